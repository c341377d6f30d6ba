/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints communicators (--communicators): in JSON those of each rank, as text those of ranks that agree on one line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "analysis/key_table.h"

void communicator_json(struct output *o, uint32_t rank, const struct pilgrim_communicator *c, const char *name)
{
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"size", c->size}, {"comm_rank", c->rank}, {"remote_size", c->remote_size}, {"leader", c->leader}};
    out_text(o, "{\"rank\":");
    out_uint(o, rank);
    out_text(o, ",\"thread\":");
    if (c->thread >= 0)
        out_int(o, c->thread);
    else
        out_text(o, "null");
    out_text(o, ",\"comm\":");
    out_json_string(o, c->name, strlen(c->name));
    out_text(o, ",\"parent\":");
    if (c->parent)
        out_json_string(o, c->parent, strlen(c->parent));
    else
        out_text(o, "null");
    out_text(o, ",\"sequence\":");
    out_uint(o, c->sequence);
    out_text(o, c->inter ? ",\"inter\":true" : ",\"inter\":false");
    out_text(o, ",\"topology\":");
    out_json_string(o, c->topology, strlen(c->topology));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        out_json_field(o, numbers[i].name, numbers[i].value);
    out_text(o, ",\"identity\":\"");
    out_hex(o, c->identity);
    out_text(o, "\",\"name\":");
    if (name)
        out_json_string(o, name, strlen(name));
    else
        out_text(o, "null");
    out_text(o, "}\n");
}

/* ---- text: a line for all ranks that agree ---- */

/* Neighbours among the ranks of a communicator: COUNT ranks of MPI_COMM_WORLD from `world` on in steps of `world_step`,
 * which are its ranks from `own` on in steps of `own_step`. */
struct member_run {
    uint32_t world, count;
    int64_t own, world_step, own_step;
};

struct communicator_row {
    char *text; /* what all of them say */
    struct member_run *runs;
    size_t run_count, run_capacity;
    uint64_t ranks;
    bool is_null;    /* they are not in it */
    uint32_t last;   /* rank that said so, */
    uint32_t repeat; /* and so many times before: each time has a row, of which the first one counts them */
};

struct communicator_rows {
    struct communicator_row *rows;
    size_t count, capacity;
    struct key_table index; /* of rows, by their texts */
};

struct communicator_rows *communicator_rows_new(void)
{
    return calloc(1, sizeof(struct communicator_rows));
}

void communicator_rows_free(struct communicator_rows *r)
{
    for (size_t i = 0; r && i < r->count; i++) {
        free(r->rows[i].text);
        free(r->rows[i].runs);
    }
    if (r) {
        key_table_clear(&r->index);
        free(r->rows);
    }
    free(r);
}

enum { ROW_TEXT = 512 };

static void row_text(char text[ROW_TEXT], const struct pilgrim_communicator *c, const char *name)
{
    const bool is_null = strcmp(c->name, "MPI_COMM_NULL") == 0;
    const char *quote = name ? "\"" : "";
    int used = snprintf(text, ROW_TEXT, "%.100s%s%s%.128s%s%s%.100s #%" PRIu64, c->name, name ? " " : "", quote,
                        name ? name : "", quote, c->parent ? " from " : "", c->parent ? c->parent : "", c->sequence);
    if (c->thread != 0)
        used += c->thread > 0 ? snprintf(text + used, ROW_TEXT - (size_t)used, ", made by thread %" PRId64, c->thread)
                              : snprintf(text + used, ROW_TEXT - (size_t)used, ", made by no recorded call");
    if (is_null)
        return;
    used +=
        snprintf(text + used, ROW_TEXT - (size_t)used, ": %s, size %" PRId64, c->inter ? "inter" : "intra", c->size);
    if (c->inter)
        used += snprintf(text + used, ROW_TEXT - (size_t)used, " and %" PRId64, c->remote_size);
    if (strcmp(c->topology, "MPI_UNDEFINED") != 0)
        used += snprintf(text + used, ROW_TEXT - (size_t)used, ", %.40s", c->topology);
    snprintf(text + used, ROW_TEXT - (size_t)used, ", leader %" PRId64 ", identity %" PRIx64, c->leader, c->identity);
}

/* Returns the row with TEXT, a new one if there is none. NULL: no memory. */
static struct communicator_row *find_row(struct communicator_rows *r, const char *text, uint32_t repeat)
{
    uint64_t hash[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)};
    for (const char *c = text; *c; c++) {
        hash[0] = (hash[0] ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        hash[1] = (hash[1] + (unsigned char)*c) * UINT64_C(0xff51afd7ed558ccd);
    }
    const struct key key = {{hash[0], hash[1], repeat}};
    const uint64_t *known = key_table_find(&r->index, key);
    if (known)
        return &r->rows[*known];
    if (r->count == r->capacity) {
        size_t capacity = 2 * r->capacity + 16;
        struct communicator_row *more = realloc(r->rows, capacity * sizeof *more);
        if (!more)
            return NULL;
        r->rows = more;
        r->capacity = capacity;
    }
    struct communicator_row *row = &r->rows[r->count];
    *row = (struct communicator_row){.text = strdup(text)};
    if (!row->text || !key_table_put(&r->index, key, r->count)) {
        free(row->text);
        return NULL;
    }
    r->count++;
    return row;
}

/* Adds rank WORLD, which is rank OWN in it. False: no memory. */
static bool add_member(struct communicator_row *row, uint32_t world, int64_t own)
{
    struct member_run *last = row->run_count ? &row->runs[row->run_count - 1] : NULL;
    row->ranks++;
    if (last && last->count == 1 && own == last->own)
        last = NULL; /* of the other group of an intercommunicator */
    if (last && last->count == 1) {
        last->world_step = (int64_t)world - last->world;
        last->own_step = own - last->own;
    }
    if (last && world == last->world + last->count * last->world_step &&
        own == last->own + last->count * last->own_step) {
        last->count++;
        return true;
    }
    if (row->run_count == row->run_capacity) {
        size_t capacity = 2 * row->run_capacity + 1;
        struct member_run *more = realloc(row->runs, capacity * sizeof *more);
        if (!more)
            return false;
        row->runs = more;
        row->run_capacity = capacity;
    }
    row->runs[row->run_count++] = (struct member_run){.world = world, .count = 1, .own = own};
    return true;
}

bool communicator_rows_add(struct communicator_rows *r, uint32_t rank, const struct pilgrim_communicator *c,
                           const char *name)
{
    char text[ROW_TEXT];
    row_text(text, c, name);
    struct communicator_row *row = find_row(r, text, 0);
    if (row) {
        row->repeat = row->ranks && row->last == rank ? row->repeat + 1 : 0;
        row->last = rank;
        row = row->repeat ? find_row(r, text, row->repeat) : row;
    }
    if (!row)
        return false;
    row->is_null = strcmp(c->name, "MPI_COMM_NULL") == 0;
    return add_member(row, rank, row->is_null ? 0 : c->rank);
}

enum { RUNS_SHOWN = 8 };

/* Prints the numbers of the runs: "0-3,8-14/2"; OWN: those that the ranks have in the communicator. */
static void print_runs(struct output *o, const struct communicator_row *row, bool own)
{
    for (size_t i = 0; i < row->run_count; i++) {
        const struct member_run *m = &row->runs[i];
        const int64_t first = own ? m->own : m->world, step = own ? m->own_step : m->world_step;
        if (i == RUNS_SHOWN) {
            out_text(o, ",...");
            return;
        }
        if (i)
            out_char(o, ',');
        out_int(o, first);
        if (m->count == 1 || step == 0)
            continue;
        out_char(o, '-');
        out_int(o, first + step * (m->count - 1));
        if (step > 1 || step < -1) {
            out_char(o, '/');
            out_int(o, step < 0 ? -step : step);
        }
    }
}

/* Prints the text of a row. What is between the first quote and the last one is a name, whatever is in it. */
static void print_text(struct output *o, const char *text)
{
    const char *name = strchr(text, '"'), *end = strrchr(text, '"');
    if (!name) {
        out_name(o, text);
        return;
    }
    out_json_escaped(o, text, (size_t)(name - text));
    out_json_string(o, name + 1, (size_t)(end - name - 1));
    out_name(o, end + 1);
}

void communicator_rows_print(struct output *o, const struct communicator_rows *r, uint64_t limit)
{
    for (size_t i = 0; i < r->count && i < limit && !o->error; i++) {
        const struct communicator_row *row = &r->rows[i];
        out_text(o, row->ranks == 1 ? "rank " : "ranks ");
        print_runs(o, row, false);
        if (row->ranks > 1) {
            out_text(o, " (");
            out_uint(o, row->ranks);
            out_char(o, ')');
        }
        out_text(o, ": ");
        print_text(o, row->text);
        if (!row->is_null) {
            out_text(o, row->ranks == 1 ? ", as rank " : ", as ranks ");
            print_runs(o, row, true);
        }
        out_char(o, '\n');
    }
}
