/* SPDX-License-Identifier: BSD-3-Clause */
/* Views by rank: times, call sites, phases, partners, hosts. More than REPORT_RANKS_MAX ranks stand in blocks, so that
 * a page of a million ranks is as large as one of a thousand; a block keeps what is least and most in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/print.h"
#include "../../decoder/site_place.h"
#include "analysis/analysis_errors.h"
#include "analysis/table.h"
#include "report.h"

static bool every(const void *context, uint32_t number)
{
    (void)context;
    (void)number;
    return true;
}

static void field(struct output *o, const char *name, double value)
{
    char text[64];
    snprintf(text, sizeof text, ",\"%s\":%.0f", name, value);
    out_text(o, text);
}

/* ---- times by rank ---- */

struct rank_block {
    struct output *o;
    uint32_t size;
    uint32_t first, ranks; /* of the block that is added up; no ranks: none */
    double sum[PILGRIM_ACTIVITIES], least[PILGRIM_ACTIVITIES], most[PILGRIM_ACTIVITIES];
    uint32_t least_rank[PILGRIM_ACTIVITIES], most_rank[PILGRIM_ACTIVITIES];
};

static void print_block(struct rank_block *b)
{
    if (!b->ranks)
        return;
    out_named(b->o, "{\"rank\":", b->first);
    out_json_field(b->o, "ranks", b->ranks);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        out_text(b->o, ",\"");
        json_activity(b->o, i);
        char text[160];
        snprintf(text, sizeof text,
                 "\":{\"mean\":%.0f,\"least\":%.0f,\"least_rank\":%u,\"most\":%.0f,\"most_rank\":%u}",
                 b->sum[i] / b->ranks, b->least[i], b->least_rank[i], b->most[i], b->most_rank[i]);
        out_text(b->o, text);
    }
    out_text(b->o, "}\n");
    b->ranks = 0;
}

static void see_rank(void *context, const struct pilgrim_rank_profile *row)
{
    struct rank_block *b = context;
    const uint32_t first = row->first_rank / b->size * b->size;
    if (b->ranks && first != b->first)
        print_block(b);
    for (unsigned i = 0; i < PILGRIM_ACTIVITIES; i++) {
        if (!b->ranks || row->ns[i] < b->least[i]) {
            b->least[i] = row->ns[i];
            b->least_rank[i] = row->first_rank;
        }
        if (!b->ranks || row->most_ns[i] > b->most[i]) {
            b->most[i] = row->most_ns[i];
            b->most_rank[i] = row->most_rank[i];
        }
        b->sum[i] = (b->ranks ? b->sum[i] : 0) + row->ns[i] * row->rank_count;
    }
    b->first = first;
    b->ranks += row->rank_count;
}

enum pilgrim_status report_ranks(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    struct rank_block b = {.o = o, .size = report_block(r->trace)};
    const enum pilgrim_status status = rank_rows_visit(r->trace, &(struct rank_rows){every, NULL, see_rank, &b}, error);
    print_block(&b);
    return status;
}

/* ---- hosts ---- */

enum pilgrim_status report_hosts(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    const uint32_t ranks = pilgrim_rank_count(r->trace);
    const enum pilgrim_status status = report_system(r, error);
    const struct pilgrim_system *system = r->system;
    if (status != PILGRIM_OK || !system)
        return status;
    for (uint32_t rank = 0, next; rank < ranks; rank = next) {
        struct pilgrim_location at, other;
        struct pilgrim_host host;
        next = rank + 1;
        if (pilgrim_system_location(system, rank, &at) != PILGRIM_OK ||
            pilgrim_system_host(system, at.host, &host) != PILGRIM_OK)
            continue;
        while (next < ranks && pilgrim_system_location(system, next, &other) == PILGRIM_OK && other.host == at.host)
            next++;
        out_named(o, "{\"first\":", rank);
        out_json_field(o, "ranks", next - rank);
        out_json_field(o, "host", at.host);
        out_text(o, ",\"name\":");
        out_json_string(o, host.name ? host.name : "?", strlen(host.name ? host.name : "?"));
        out_text(o, "}\n");
    }
    return PILGRIM_OK;
}

/* ---- heat maps ---- */

/* A row of a map: a call site or a phase. */
struct heat {
    const struct pilgrim_class *class;
    const char *phase;
    double *ns; /* by block of ranks: the sum */
    double total, most;
    uint64_t calls;
    uint32_t most_rank; /* PILGRIM_RANK_UNKNOWN: it is not known, or they all have the same */
};

struct heats {
    struct heat *rows;
    size_t count, capacity;
    uint32_t block, blocks;
    bool estimated;
};

static struct heat *heat_of(struct heats *h, const struct pilgrim_table_row *row)
{
    for (size_t i = h->count; i > 0; i--) /* rows of one rank come one behind the other, in one order */
        if (h->rows[i - 1].class == row->class_ && h->rows[i - 1].phase == row->phase)
            return &h->rows[i - 1];
    if (h->count == h->capacity) {
        const size_t capacity = h->capacity ? 2 * h->capacity : 64;
        struct heat *rows = realloc(h->rows, capacity * sizeof *rows);
        if (!rows)
            return NULL;
        h->rows = rows;
        h->capacity = capacity;
    }
    struct heat *heat = &h->rows[h->count];
    *heat = (struct heat){.class = row->class_, .phase = row->phase, .ns = calloc(h->blocks, sizeof *heat->ns)};
    h->count += heat->ns != NULL;
    return heat->ns ? heat : NULL;
}

static bool add_heat(struct heats *h, const struct pilgrim_table_row *row)
{
    if (row->rank < 0 || row->apart || !row->timed)
        return true;
    struct heat *heat = heat_of(h, row);
    if (!heat)
        return false;
    heat->ns[row->rank / h->block] += row->sum.ns;
    heat->total += row->sum.ns;
    heat->calls += row->sum.calls;
    if (row->times.most > heat->most) {
        heat->most = row->times.most;
        heat->most_rank = h->block > 1 ? row->times.most_rank : (uint32_t)row->rank;
    }
    h->estimated = h->estimated || row->estimated;
    return true;
}

static void print_heats(struct output *o, const struct heats *h, const struct html_page *r)
{
    const uint32_t ranks = pilgrim_rank_count(r->trace);
    out_named(o, "{\"block\":", h->block);
    out_json_field(o, "ranks", ranks);
    out_text(o, h->estimated ? ",\"estimated\":true}\n" : ",\"estimated\":false}\n");
    for (size_t i = 0; i < h->count; i++) {
        const struct heat *heat = &h->rows[i];
        if (heat->class) {
            out_text(o, "{\"func\":");
            out_json_string(o, heat->class->function->name, strlen(heat->class->function->name));
            out_text(o, ",\"site\":");
            if (heat->class->site)
                json_frame(o, heat->class->site);
            else
                out_text(o, "\"?\"");
        } else if (heat->phase) {
            out_text(o, "{\"phase\":");
            out_json_string(o, heat->phase, strlen(heat->phase));
        } else
            out_text(o, "{\"phase\":null");
        field(o, "total", heat->total);
        field(o, "calls", (double)heat->calls);
        field(o, "most", heat->most);
        if (heat->most_rank != PILGRIM_RANK_UNKNOWN)
            field(o, "most_rank", heat->most_rank);
        out_text(o, ",\"ns\":[");
        for (uint32_t k = 0; k < h->blocks; k++) {
            const uint32_t in_block = k + 1 < h->blocks ? h->block : ranks - k * h->block;
            char text[32];
            snprintf(text, sizeof text, k ? ",%.0f" : "%.0f", heat->ns[k] / in_block);
            out_text(o, text);
        }
        out_text(o, "]}\n");
    }
}

static enum pilgrim_status no_table(struct output *o, enum pilgrim_status status)
{
    if (status != PILGRIM_LIMIT)
        return status;
    out_text(o, "{\"not_known\":\"there are too many ranks and call sites\"}\n");
    return PILGRIM_OK;
}

static enum pilgrim_status print_map(struct html_page *r, struct output *o, unsigned key, struct pilgrim_error *error)
{
    struct pilgrim_table *table;
    struct pilgrim_table_row row;
    struct heats h = {.block = report_block(r->trace)};
    h.blocks = (pilgrim_rank_count(r->trace) + h.block - 1) / h.block;
    enum pilgrim_status status = table_make_blocks(r->trace, key | PILGRIM_KEY_RANK, h.block, r->lines, &table, error);
    bool good = true;
    for (size_t i = 0; good && status != PILGRIM_LIMIT && pilgrim_table_at(table, i, &row); i++)
        good = add_heat(&h, &row);
    if (good && h.count)
        print_heats(o, &h, r);
    status = no_table(o, status);
    for (size_t i = 0; i < h.count; i++)
        free(h.rows[i].ns);
    free(h.rows);
    pilgrim_table_free(table);
    return good ? status : no_memory(error);
}

enum pilgrim_status report_rank_sites(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    return print_map(r, o, PILGRIM_KEY_SITE, error);
}

enum pilgrim_status report_rank_phases(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    return r->has_markers ? print_map(r, o, PILGRIM_KEY_PHASE, error) : PILGRIM_OK;
}

/* ---- partners ---- */

static int compare_pairs(const void *a, const void *b)
{
    const struct pilgrim_table_row *x = a, *y = b;
    if (x->class_ != y->class_)
        return x->class_ < y->class_ ? -1 : 1;
    if (x->identity != y->identity)
        return x->identity < y->identity ? -1 : 1;
    const int by_name = strcmp(x->communicator ? x->communicator : "", y->communicator ? y->communicator : "");
    if (by_name)
        return by_name;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : (x->peer > y->peer) - (x->peer < y->peer);
}

static bool same_place(const struct pilgrim_table_row *a, const struct pilgrim_table_row *b)
{
    return a->class_ == b->class_ && a->identity == b->identity &&
           strcmp(a->communicator ? a->communicator : "", b->communicator ? b->communicator : "") == 0;
}

static void print_pairs(struct output *o, const struct pilgrim_table_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_place(&rows[i - 1], &rows[i])) {
            out_text(o, i ? "]}\n{\"func\":" : "{\"func\":");
            out_json_string(o, rows[i].class_->function->name, strlen(rows[i].class_->function->name));
            out_text(o, ",\"site\":");
            if (rows[i].class_->site)
                json_frame(o, rows[i].class_->site);
            else
                out_text(o, "\"?\"");
            out_text(o, ",\"communicator\":");
            if (rows[i].communicator)
                out_json_string(o, rows[i].communicator, strlen(rows[i].communicator));
            else
                out_text(o, "null");
            out_text(o, ",\"pairs\":[");
        } else
            out_char(o, ',');
        out_int(o, rows[i].rank);
        out_named(o, ",", rows[i].peer);
        out_char(o, ',');
        out_uint(o, rows[i].sum.messages);
        out_char(o, ',');
        out_uint(o, rows[i].sum.message_bytes);
    }
    out_text(o, count ? "]}\n" : "");
}

enum pilgrim_status report_pairs(struct html_page *r, struct output *o, struct pilgrim_error *error)
{
    const unsigned keys = PILGRIM_KEY_SITE | PILGRIM_KEY_RANK | PILGRIM_KEY_PEER | PILGRIM_KEY_COMMUNICATOR;
    struct pilgrim_table *table;
    struct pilgrim_table_row row;
    size_t count = 0;
    if (report_block(r->trace) > 1)
        return PILGRIM_OK;
    enum pilgrim_status status = table_make(r->trace, NULL, keys, r->lines, &table, error);
    const size_t most = status == PILGRIM_LIMIT || !table ? 0 : table_rows(table);
    struct pilgrim_table_row *rows = malloc((most + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < most && pilgrim_table_at(table, i, &row); i++)
        if (row.class_ && row.sum.messages)
            rows[count++] = row;
    if (rows) {
        qsort(rows, count, sizeof *rows, compare_pairs);
        print_pairs(o, rows, count);
    }
    const bool good = rows != NULL;
    free(rows);
    pilgrim_table_free(table);
    return good ? no_table(o, status) : no_memory(error);
}
