/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a class: an array, which is searched from front to back unless a hint is right. There are few cells. */
#include "record/statistics.h"

#include <stdlib.h>
#include <stdbool.h>

#include "base/try.h"

static struct statistics_cell *cell_add(struct statistics *s, uint32_t signature, uint32_t predecessor)
{
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 1;
        struct statistics_cell *cells = realloc(s->cells, capacity * sizeof *cells);
        if (!cells)
            return NULL;
        s->cells = cells;
        s->capacity = capacity;
        s->last = NULL;
    }
    struct statistics_cell *cell = &s->cells[s->count++];
    cell->signature = signature;
    cell->predecessor = predecessor;
    distribution_init(&cell->gaps);
    distribution_init(&cell->durations);
    return cell;
}

static struct statistics_cell *cell_find(const struct statistics *s, uint32_t signature, uint32_t predecessor)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (statistics_cell_is(&s->cells[i], signature, predecessor))
            return &s->cells[i];
    return NULL;
}

/* Returns the predecessor that stands for PREDECESSOR in the cells. */
static uint32_t predecessor_told(const struct statistics *s, uint32_t predecessor)
{
    return predecessor == STATISTICS_FIRST ? STATISTICS_FIRST : predecessor & ~s->one_predecessor;
}

/* Joins cells that are not distinguished any more. Needs no memory. */
static void join_cells(struct statistics *s)
{
    uint32_t count = s->count;
    s->count = 0;
    s->last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct statistics_cell *cell = &s->cells[i];
        cell->signature &= ~s->one_signature;
        cell->predecessor = predecessor_told(s, cell->predecessor);
        struct statistics_cell *found = cell_find(s, cell->signature, cell->predecessor);
        if (found) {
            distribution_merge(&found->gaps, &cell->gaps);
            distribution_merge(&found->durations, &cell->durations);
        } else if (s->count++ != i) {
            s->cells[s->count - 1] = *cell;
        }
    }
}

void statistics_join_signatures(struct statistics *s)
{
    s->one_signature = UINT32_MAX;
    join_cells(s);
}

struct statistics_cell *statistics_search(struct statistics *s, uint32_t signature, uint32_t predecessor)
{
    uint8_t *hint = statistics_hint(s, signature, predecessor);
    for (;;) {
        signature &= ~s->one_signature;
        predecessor = predecessor_told(s, predecessor);
        if (*hint < s->count && statistics_cell_is(&s->cells[*hint], signature, predecessor))
            return &s->cells[*hint];
        struct statistics_cell *cell = cell_find(s, signature, predecessor);
        bool full = s->count >= (s->cells_max ? s->cells_max : STATISTICS_CELLS);
        if (!cell && !full)
            cell = cell_add(s, signature, predecessor);
        if (cell)
            *hint = (uint8_t)(cell - s->cells);
        if (cell || !full)
            return cell;
        if (s->one_signature)
            s->one_predecessor = UINT32_MAX;
        statistics_join_signatures(s);
    }
}

struct statistics_cell *statistics_search_again(struct statistics *s, uint32_t signature, uint32_t predecessor)
{
    s->last = statistics_search(s, signature, predecessor);
    s->last_pair = (uint64_t)(signature & ~s->one_signature) << 32 | predecessor;
    return s->last;
}

enum pilgrim_status statistics_merge(struct statistics *into, const struct statistics *from, const uint32_t *names,
                                     uint32_t count)
{
    uint32_t nameless = 0;
    for (uint32_t i = 0; names && !from->one_signature && i < from->count; i++)
        if (from->cells[i].signature >= count)
            nameless = UINT32_MAX;
    into->one_signature |= from->one_signature | nameless;
    into->one_predecessor |= from->one_predecessor;
    join_cells(into);
    for (uint32_t i = 0; i < from->count; i++) {
        const struct statistics_cell *cell = &from->cells[i];
        uint32_t signature = names && !into->one_signature ? names[cell->signature] : cell->signature;
        struct statistics_cell *to = statistics_search(into, signature, cell->predecessor);
        if (!to)
            return PILGRIM_NOMEM;
        distribution_merge(&to->gaps, &cell->gaps);
        distribution_merge(&to->durations, &cell->durations);
    }
    return PILGRIM_OK;
}

void statistics_set_rank(struct statistics *s, uint32_t rank)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct statistics_cell *cell = &s->cells[i];
        cell->gaps.high_rank = cell->durations.high_rank = rank;
    }
}

void statistics_totals(const struct statistics *s, double *durations, double *gaps)
{
    for (uint32_t i = 0; i < s->count; i++) {
        *durations += distribution_total(&s->cells[i].durations);
        if (s->cells[i].predecessor != STATISTICS_FIRST)
            *gaps += distribution_total(&s->cells[i].gaps);
    }
}

/* Returns the sort key of CELL: STATISTICS_FIRST is 0 in it, other predecessors are one more than the terminal. */
static uint64_t order_of(const struct statistics_cell *cell)
{
    return (uint64_t)cell->signature << 32 | (uint32_t)(cell->predecessor + 1);
}

static int compare_cells(const void *a, const void *b)
{
    uint64_t x = order_of(a), y = order_of(b);
    return (x > y) - (x < y);
}

/* Sorts by signature, then by predecessor, with STATISTICS_FIRST first. */
static void sort_cells(struct statistics *s)
{
    bool sorted = true;
    for (uint32_t i = 1; i < s->count && sorted; i++)
        sorted = order_of(&s->cells[i - 1]) < order_of(&s->cells[i]);
    s->last = NULL;
    if (!sorted)
        qsort(s->cells, s->count, sizeof *s->cells, compare_cells);
}

/* Returns how many cells from index I on have the signature of that cell. */
static uint32_t run_length(const struct statistics *s, uint32_t i)
{
    uint32_t end = i;
    while (end < s->count && s->cells[end].signature == s->cells[i].signature)
        end++;
    return end - i;
}

struct distribution statistics_durations(const struct statistics *s, uint32_t cell, uint32_t *cells)
{
    struct distribution all;
    distribution_init(&all);
    *cells = run_length(s, cell);
    for (uint32_t i = cell; i < cell + *cells; i++)
        distribution_merge(&all, &s->cells[i].durations);
    return all;
}

void statistics_pack(struct statistics *s, struct bytes *out)
{
    sort_cells(s);
    bytes_put_u8(out, (uint8_t)((s->one_signature ? 1 : 0) | (s->one_predecessor ? 2 : 0)));
    bytes_put_varint(out, s->count);
    for (uint32_t i = 0, cells; i < s->count; i += cells) {
        struct distribution durations = statistics_durations(s, i, &cells);
        bytes_put_varint(out, s->cells[i].signature);
        bytes_put_varint(out, cells);
        distribution_pack(&durations, out);
        for (uint32_t k = i; k < i + cells; k++) {
            bytes_put_varint(out, (uint32_t)(s->cells[k].predecessor + 1));
            distribution_pack(&s->cells[k].gaps, out);
        }
    }
}

/* Reads the cells of one signature. *LEFT is the number of cells to come, of all signatures. */
static enum pilgrim_status unpack_signature(struct cursor *c, struct statistics *s, uint32_t *left)
{
    uint32_t signature = (uint32_t)cursor_varint(c), cells = (uint32_t)cursor_index(c, (size_t)*left + 1);
    struct distribution durations;
    distribution_unpack(c, &durations);
    if (c->status != PILGRIM_OK || !cells || !durations.count)
        return PILGRIM_DAMAGED;
    for (uint32_t i = 0; i < cells; i++) {
        struct statistics_cell *cell = cell_add(s, signature, (uint32_t)cursor_varint(c) - 1);
        if (!cell)
            return PILGRIM_NOMEM;
        distribution_unpack(c, &cell->gaps);
        if (!cell->gaps.count)
            return PILGRIM_DAMAGED;
        if (i == 0)
            cell->durations = durations;
    }
    *left -= cells;
    return c->status;
}

enum pilgrim_status statistics_unpack(struct cursor *c, struct statistics *s)
{
    uint8_t flags = cursor_u8(c);
    uint32_t left = (uint32_t)cursor_index(c, STATISTICS_CELLS + 1);
    *s =
        (struct statistics){.one_signature = flags & 1 ? UINT32_MAX : 0, .one_predecessor = flags & 2 ? UINT32_MAX : 0};
    while (left)
        TRY(unpack_signature(c, s, &left));
    return c->status;
}

size_t statistics_memory_bytes(const struct statistics *s)
{
    return s->capacity * sizeof *s->cells;
}

void statistics_free(struct statistics *s)
{
    free(s->cells);
    *s = (struct statistics){0};
}
