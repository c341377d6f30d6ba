/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints tables of calls as JSON or CSV; see table_records.h. */
#include "table_records.h"

#include <stdio.h>
#include <string.h>

#include "analysis/table_names.h"
#include "csv.h"
#include "print.h"
#include "site_place.h"
#include "table_print.h"

/* ---- JSON ---- */

static void json_text(struct output *o, const char *name, const char *text)
{
    out_text(o, name);
    if (text)
        out_json_string(o, text, strlen(text));
    else
        out_text(o, "null");
}

static void json_uint(struct output *o, const char *name, uint64_t v)
{
    out_text(o, name);
    out_uint(o, v);
}

static void json_rounded(struct output *o, const char *name, double v)
{
    json_uint(o, name, v < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX);
}

static void json_share(struct output *o, const char *name, double share)
{
    char text[48];
    snprintf(text, sizeof text, "%s%.6f", name, share);
    out_text(o, text);
}

static void json_spread(struct output *o, const char *name, const struct pilgrim_spread *s, double total)
{
    out_text(o, name);
    json_rounded(o, "{\"total\":", total);
    json_rounded(o, ",\"min\":", s->least);
    if (s->least_rank != PILGRIM_RANK_UNKNOWN)
        json_uint(o, ",\"min_rank\":", s->least_rank);
    json_share(o, ",\"mean\":", s->mean);
    json_rounded(o, ",\"max\":", s->most);
    if (s->most_rank != PILGRIM_RANK_UNKNOWN)
        json_uint(o, ",\"max_rank\":", s->most_rank);
    json_share(o, ",\"imbalance\":", s->imbalance);
    out_char(o, '}');
}

static void json_keys(struct output *o, const struct pilgrim_table_row *r, unsigned keys, struct source_lines *lines)
{
    if ((keys & PILGRIM_KEY_PHASE) && !r->apart)
        json_text(o, ",\"phase\":", r->phase);
    if (keys & PILGRIM_KEY_RANK)
        json_uint(o, ",\"rank\":", (uint64_t)r->rank);
    if (r->function)
        json_text(o, ",\"func\":", r->function);
    if (r->class_) {
        out_text(o, ",\"site\":");
        if (r->class_->site)
            json_frame(o, r->class_->site);
        else
            out_text(o, "null");
        json_place(o, "", r->class_->site, lines);
    }
    if (r->apart)
        return;
    if (keys & PILGRIM_KEY_COMMUNICATOR) {
        char text[32];
        json_text(o, ",\"comm\":", r->communicator);
        snprintf(text, sizeof text, "%llx", (unsigned long long)r->identity);
        if (r->identity)
            json_text(o, ",\"identity\":", text);
        if (r->communicator_name)
            json_text(o, ",\"comm_name\":", r->communicator_name);
    }
    if (keys & PILGRIM_KEY_DATATYPE)
        json_text(o, ",\"datatype\":", r->datatype);
    if (r->datatype_name)
        json_text(o, ",\"datatype_name\":", r->datatype_name);
    if (keys & PILGRIM_KEY_PEER)
        out_json_field(o, "peer", r->peer);
    if (keys & PILGRIM_KEY_SIZE) {
        json_uint(o, ",\"size_min\":", r->size_least);
        json_uint(o, ",\"size_max\":", r->size_most);
    }
}

static void json_row(struct output *o, const struct pilgrim_table_row *r, unsigned keys, struct source_lines *lines)
{
    out_text(o, r->apart ? "{\"apart\":true" : "{\"apart\":false");
    json_keys(o, r, keys, lines);
    json_spread(o, ",\"calls\":", &r->calls, (double)r->sum.calls);
    json_uint(o, ",\"failed\":", r->sum.failed);
    json_uint(o, ",\"ranks\":", r->ranks);
    if (r->timed) {
        json_spread(o, ",\"time\":", &r->times, r->sum.ns);
        json_share(o, ",\"share\":", r->share);
        out_text(o, r->estimated ? ",\"estimated\":true" : ",\"estimated\":false");
    }
    json_spread(o, ",\"bytes\":", &r->bytes, r->bytes.mean * (double)r->ranks);
    json_uint(o, ",\"messages\":", r->sum.messages);
    json_uint(o, ",\"message_bytes\":", r->sum.message_bytes);
    json_uint(o, ",\"unsized_messages\":", r->sum.unsized);
    json_uint(o, ",\"collective_bytes\":", r->sum.collective_bytes);
    json_uint(o, ",\"rma_bytes\":", r->sum.window_bytes);
    json_uint(o, ",\"io_bytes\":", r->sum.file_bytes);
    out_text(o, "}\n");
}

void table_print_json(struct output *o, const struct pilgrim_table *table, unsigned keys, struct source_lines *lines)
{
    const struct table_extent extent = table_extent(table);
    struct pilgrim_table_row row;
    const char *name, *separator = ",\"by\":[\"";
    json_uint(o, "{\"ranks\":", extent.ranks);
    json_uint(o, ",\"threads\":", extent.threads);
    json_uint(o, ",\"calls\":", extent.calls);
    if (extent.run_ns > 0)
        json_rounded(o, ",\"run\":", extent.run_ns);
    for (unsigned i = 0, key; (name = table_key(i, &key)); i++) {
        if (!(keys & key))
            continue;
        out_text(o, separator);
        out_text(o, name);
        separator = "\",\"";
    }
    out_text(o, "\"]}\n");
    for (size_t i = 0; pilgrim_table_at(table, i, &row) && !o->error; i++)
        json_row(o, &row, keys, lines);
}

/* ---- CSV ---- */

static void csv_site(struct csv *c, const struct pilgrim_class *class, struct source_lines *lines)
{
    struct site_place place;
    find_place(&place, class->site, lines);
    csv_frame(c, class->site);
    csv_name(c, place.function);
    csv_name(c, place.file);
    if (*place.file)
        csv_uint(c, place.line);
    else
        csv_empty(c, 1);
}

static void csv_rank(struct csv *c, uint32_t rank)
{
    if (rank == PILGRIM_RANK_UNKNOWN)
        csv_empty(c, 1);
    else
        csv_uint(c, rank);
}

static void csv_spread(struct csv *c, const struct pilgrim_spread *s)
{
    csv_ns(c, s->least);
    csv_rank(c, s->least_rank);
    csv_share(c, s->mean);
    csv_ns(c, s->most);
    csv_rank(c, s->most_rank);
    csv_share(c, s->imbalance);
}

static void csv_row(struct csv *c, const struct pilgrim_table_row *r, unsigned keys, struct source_lines *lines)
{
    csv_name(c, r->apart ? "true" : "false");
    csv_name(c, r->function);
    if (keys & PILGRIM_KEY_SITE)
        csv_site(c, r->class_, lines);
    if (keys & PILGRIM_KEY_RANK)
        csv_uint(c, (uint64_t)r->rank);
    if (keys & PILGRIM_KEY_PHASE)
        csv_name(c, r->phase);
    if (keys & PILGRIM_KEY_COMMUNICATOR) {
        csv_name(c, r->communicator);
        csv_name(c, r->communicator_name);
    }
    if (keys & PILGRIM_KEY_DATATYPE) {
        csv_name(c, r->datatype);
        csv_name(c, r->datatype_name);
    }
    if (keys & PILGRIM_KEY_PEER)
        csv_int(c, r->peer);
    if (keys & PILGRIM_KEY_SIZE) {
        csv_uint(c, r->size_least);
        csv_uint(c, r->size_most);
    }
    csv_uint(c, r->sum.calls);
    csv_uint(c, r->sum.failed);
    csv_uint(c, r->ranks);
    csv_spread(c, &r->calls);
    if (r->timed) {
        csv_ns(c, r->sum.ns);
        csv_share(c, r->share);
        csv_spread(c, &r->times);
    } else {
        csv_empty(c, 8);
    }
    csv_spread(c, &r->bytes);
    csv_uint(c, r->sum.messages);
    csv_uint(c, r->sum.message_bytes);
    csv_uint(c, r->sum.unsized);
    csv_uint(c, r->sum.collective_bytes);
    csv_uint(c, r->sum.window_bytes);
    csv_uint(c, r->sum.file_bytes);
    csv_end(c);
}

void table_print_csv(struct output *o, const struct pilgrim_table *table, unsigned keys, struct source_lines *lines)
{
    static const struct {
        unsigned key;
        const char *names;
    } heads[] = {{PILGRIM_KEY_SITE, ",site,function,file,line"},
                 {PILGRIM_KEY_RANK, ",rank"},
                 {PILGRIM_KEY_PHASE, ",phase"},
                 {PILGRIM_KEY_COMMUNICATOR, ",comm,comm_name"},
                 {PILGRIM_KEY_DATATYPE, ",datatype,datatype_name"},
                 {PILGRIM_KEY_PEER, ",peer"},
                 {PILGRIM_KEY_SIZE, ",size_min,size_max"}};
    static const char *const measures[] = {"calls", "time", "bytes"};
    struct csv c = {.out = o};
    struct pilgrim_table_row row;
    out_text(o, "apart,func");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (keys & heads[i].key)
            out_text(o, heads[i].names);
    out_text(o, ",calls,failed,ranks");
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        char text[128];
        const char *m = measures[i];
        if (i == 1)
            out_text(o, ",time,share");
        snprintf(text, sizeof text, ",%s_min,%s_min_rank,%s_mean,%s_max,%s_max_rank,%s_imbalance", m, m, m, m, m, m);
        out_text(o, text);
    }
    out_text(o, ",messages,message_bytes,unsized_messages,collective_bytes,rma_bytes,io_bytes\n");
    for (size_t i = 0; pilgrim_table_at(table, i, &row) && !o->error; i++)
        csv_row(&c, &row, keys, lines);
}
