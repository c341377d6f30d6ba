/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found to differ; see differences.h.
 *
 * A value is kept twice: as it is, and as its distance from the rank (`rank+1`). Peers that all ranks have at one
 * distance are then one row, and so is a root that all have in common. What takes fewer rows is shown. */
#include "differences.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/print.h"

enum { ROWS_MAX = 32, ALL_ROWS_MAX = 8192, TEXT_SHOWN = 72 }; /* of one parameter of a kind; characters */

void differences_free(struct differences *d)
{
    for (size_t i = 0; i < d->first_count; i++)
        free(d->firsts[i].ranks.items);
    for (size_t i = 0; i < d->count_count; i++)
        free(d->counts[i].ranks.items);
    for (size_t i = 0; i < d->value_count; i++)
        free(d->values[i].ranks.items);
    free(d->firsts);
    free(d->counts);
    free(d->values);
    free(d->row_of_key);
    free(d->scratch);
    interned_texts_free(&d->texts);
    interned_texts_free(&d->keys);
}

bool ranks_add(struct rank_ranges *r, uint32_t rank)
{
    if (r->count > 0 && r->items[r->count - 1].last == rank)
        return true;
    r->ranks++;
    if (r->count > 0 && r->items[r->count - 1].last + 1 == rank) {
        r->items[r->count - 1].last = rank;
        return true;
    }
    if (r->count == r->capacity) {
        size_t capacity = 2 * r->capacity + 4;
        struct rank_range *grown = realloc(r->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        r->items = grown;
        r->capacity = capacity;
    }
    r->items[r->count++] = (struct rank_range){rank, rank};
    return true;
}

/* Returns the row of KEY; a new one, all 0, if *IS_NEW. ROWS: an array of rows of SIZE bytes. NULL: no memory. */
static void *find_row(struct differences *d, const char *key, void **rows, size_t *count, size_t *capacity, size_t size,
                      bool *is_new)
{
    size_t known = d->keys.count;
    uint32_t number = interned_text(&d->keys, key);
    *is_new = number == known;
    if (number == UINT32_MAX)
        return NULL;
    if (number >= d->key_capacity) {
        uint32_t *grown = realloc(d->row_of_key, 2 * ((size_t)number + 32) * sizeof *grown);
        if (!grown)
            return NULL;
        d->row_of_key = grown;
        d->key_capacity = 2 * ((size_t)number + 32);
    }
    if (*is_new && *count == *capacity) {
        void *grown = realloc(*rows, (2 * *capacity + 16) * size);
        if (!grown)
            return NULL;
        *rows = grown;
        *capacity = 2 * *capacity + 16;
    }
    if (*is_new) {
        memset((char *)*rows + *count * size, 0, size);
        d->row_of_key[number] = (uint32_t)(*count)++;
    }
    return (char *)*rows + d->row_of_key[number] * size;
}

void differ_first(struct differences *d, const struct diff_where *where, const uint32_t kinds[2],
                  const uint64_t calls[2], uint64_t alike_again)
{
    char key[256];
    bool is_new;
    void *rows = d->firsts;
    const uint64_t *at = d->by_place ? where->at : where->call;
    snprintf(key, sizeof key, "first %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, where->thread,
             kinds[0], kinds[1], at[0], at[1], calls[0], calls[1], alike_again);
    struct first_row *row = find_row(d, key, &rows, &d->first_count, &d->first_capacity, sizeof *row, &is_new);
    d->firsts = rows;
    if (row && is_new)
        *row = (struct first_row){*where, {kinds[0], kinds[1]}, {calls[0], calls[1]}, alike_again, {0}};
    d->failed = d->failed || !row || !ranks_add(&row->ranks, where->rank);
}

void differ_count(struct differences *d, const struct diff_where *where, uint32_t kind, const uint64_t calls[2])
{
    char key[128];
    bool is_new;
    void *rows = d->counts;
    snprintf(key, sizeof key, "count %u %u %" PRIu64 " %" PRIu64, where->thread, kind, calls[0], calls[1]);
    struct count_row *row = find_row(d, key, &rows, &d->count_count, &d->count_capacity, sizeof *row, &is_new);
    d->counts = rows;
    if (row && is_new)
        *row = (struct count_row){kind, where->thread, {calls[0], calls[1]}, {0}};
    d->failed = d->failed || !row || !ranks_add(&row->ranks, where->rank);
}

/* Returns the number of V as a text; RELATIVE: as a distance from RANK. */
static uint32_t value_text(struct differences *d, const struct pilgrim_value *v, bool relative, uint32_t rank)
{
    char text[2 * TEXT_SHOWN];
    size_t length;
    struct output *o = d->scratch;
    o->used = 0;
    if (relative && v->type == PILGRIM_INT && v->integer != rank) {
        out_text(o, v->integer < (int64_t)rank ? "rank" : "rank+");
        out_int(o, v->integer - (int64_t)rank);
    } else if (relative && v->type == PILGRIM_INT) {
        out_text(o, "rank");
    } else {
        text_value(o, v, relative);
    }
    const char *from = out_since(o, o->flushed, &length);
    if (length <= TEXT_SHOWN)
        snprintf(text, sizeof text, "%.*s", (int)length, from);
    else
        snprintf(text, sizeof text, "%.*s... (%zu characters)", TEXT_SHOWN - 24, from, length);
    return interned_text(&d->texts, text);
}

/* Adds a value as one of its two rows. Beyond ROWS_MAX rows of a parameter the others are one. */
static void add_value(struct differences *d, const struct diff_where *where, uint32_t kind, uint32_t parameter,
                      const uint32_t text[2], bool relative, uint64_t calls)
{
    char key[128];
    bool is_new;
    void *rows = d->values;
    const uint32_t various[2] = {UINT32_MAX, UINT32_MAX};
    snprintf(key, sizeof key, "value %u %u %u %d %u %u", where->thread, kind, parameter, relative, text[0], text[1]);
    if (interned_text_known(&d->keys, key) == UINT32_MAX && text[0] != UINT32_MAX) {
        size_t like = 0;
        for (size_t i = 0; i < d->value_count; i++)
            like += d->values[i].kind == kind && d->values[i].parameter == parameter &&
                    d->values[i].is_relative == relative;
        if (like >= ROWS_MAX || d->value_count >= ALL_ROWS_MAX) {
            add_value(d, where, kind, parameter, various, relative, calls);
            return;
        }
    }
    struct value_row *row = find_row(d, key, &rows, &d->value_count, &d->value_capacity, sizeof *row, &is_new);
    d->values = rows;
    if (row && is_new) {
        *row = (struct value_row){.kind = kind, .parameter = parameter, .is_relative = relative, .where = *where};
        row->text[0] = text[0];
        row->text[1] = text[1];
    }
    if (row)
        row->calls += calls;
    d->failed = d->failed || !row || !ranks_add(&row->ranks, where->rank);
}

void differ_value(struct differences *d, const struct diff_where *where, uint32_t kind,
                  const struct value_difference *value, uint64_t calls, const uint32_t ranks[2])
{
    if (!d->scratch)
        d->scratch = calloc(1, sizeof *d->scratch);
    uint32_t parameter = interned_text(&d->texts, value->path), text[2];
    d->failed = d->failed || !d->scratch || parameter == UINT32_MAX;
    for (int relative = 0; relative < 2 && !d->failed; relative++) {
        text[0] = value_text(d, value->a, relative, ranks[0]);
        text[1] = value_text(d, value->b, relative, ranks[1]);
        add_value(d, where, kind, parameter, text, relative, calls);
    }
}

/* ---- at the end ---- */

static int by_ranks(uint64_t ranks_a, uint64_t ranks_b, uint64_t call_a, uint64_t call_b)
{
    if (ranks_a != ranks_b)
        return ranks_a > ranks_b ? -1 : 1;
    return call_a < call_b ? -1 : call_a > call_b;
}

static int compare_firsts(const void *a, const void *b)
{
    const struct first_row *x = a, *y = b;
    return by_ranks(x->ranks.ranks, y->ranks.ranks, x->where.call[0], y->where.call[0]);
}

static int compare_counts(const void *a, const void *b)
{
    const struct count_row *x = a, *y = b;
    uint64_t dx = x->calls[0] > x->calls[1] ? x->calls[0] - x->calls[1] : x->calls[1] - x->calls[0];
    uint64_t dy = y->calls[0] > y->calls[1] ? y->calls[0] - y->calls[1] : y->calls[1] - y->calls[0];
    return by_ranks(dx, dy, x->kind, y->kind);
}

static int compare_values(const void *a, const void *b)
{
    const struct value_row *x = a, *y = b;
    if (x->is_chosen != y->is_chosen)
        return x->is_chosen ? -1 : 1;
    int order = by_ranks(0, 0, x->where.call[0], y->where.call[0]);
    return order ? order : by_ranks(x->ranks.ranks, y->ranks.ranks, x->parameter, y->parameter);
}

void differences_finish(struct differences *d)
{
    for (size_t i = 0; i < d->value_count; i++) {
        struct value_row *row = &d->values[i];
        size_t rows[2] = {0, 0};
        for (size_t k = 0; k < d->value_count; k++)
            if (d->values[k].kind == row->kind && d->values[k].parameter == row->parameter)
                rows[d->values[k].is_relative]++;
        row->is_chosen = row->is_relative == (rows[1] < rows[0]);
    }
    if (d->first_count)
        qsort(d->firsts, d->first_count, sizeof *d->firsts, compare_firsts);
    if (d->count_count)
        qsort(d->counts, d->count_count, sizeof *d->counts, compare_counts);
    if (d->value_count)
        qsort(d->values, d->value_count, sizeof *d->values, compare_values);
    while (d->value_count && !d->values[d->value_count - 1].is_chosen)
        free(d->values[--d->value_count].ranks.items);
}
