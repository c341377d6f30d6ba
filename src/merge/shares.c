/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of shares; see shares.h. */
#include "merge/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

enum { IDLE_BLOCKS_MIN = 64 };

static bool grow_rows(struct share_table *t, uint32_t capacity)
{
    for (uint32_t i = 0; i < t->row_count; i++) {
        struct share *row = t->rows[i] ? realloc(t->rows[i], capacity * sizeof *row) : NULL;
        if (t->rows[i] && !row)
            return false;
        t->rows[i] = row;
        if (row)
            memset(row + t->capacity, 0, (capacity - t->capacity) * sizeof *row);
    }
    return true;
}

/* Makes room for COUNT more blocks. */
static enum pilgrim_status make_room(struct share_table *t, uint32_t count)
{
    uint32_t capacity = t->capacity;
    if (t->block_count + count <= capacity)
        return PILGRIM_OK;
    capacity = 2 * capacity > t->block_count + count ? 2 * capacity : t->block_count + count;
    uint32_t *ranks = realloc(t->ranks, capacity * sizeof *ranks);
    if (!ranks)
        return PILGRIM_NOMEM;
    t->ranks = ranks;
    if (!grow_rows(t, capacity))
        return PILGRIM_NOMEM;
    t->capacity = capacity;
    return PILGRIM_OK;
}

/* Returns the values of row NUMBER, which is made if it is new, or NULL if memory is short. */
static struct share *take_row(struct share_table *t, uint32_t number)
{
    if (number >= t->row_count) {
        uint32_t count = number + 1 > 2 * t->row_count ? number + 1 : 2 * t->row_count;
        struct share **rows = realloc(t->rows, count * sizeof *rows);
        if (!rows)
            return NULL;
        memset(rows + t->row_count, 0, (count - t->row_count) * sizeof *rows);
        t->rows = rows;
        t->row_count = count;
    }
    if (!t->rows[number])
        t->rows[number] = calloc(t->capacity ? t->capacity : 1, sizeof *t->rows[number]);
    return t->rows[number];
}

static enum pilgrim_status add_block(struct share_table *t, uint32_t ranks)
{
    TRY(make_room(t, 1));
    t->ranks[t->block_count++] = ranks;
    return PILGRIM_OK;
}

enum pilgrim_status shares_add_rank(struct shares *s)
{
    TRY(add_block(&s->activities, 1));
    return add_block(&s->classes, 1);
}

enum pilgrim_status shares_add(struct share_table *t, uint32_t row, double ns)
{
    struct share *values = ns > 0 ? take_row(t, row) : NULL;
    if (ns > 0 && !values)
        return PILGRIM_NOMEM;
    if (values) {
        values[t->block_count - 1].mean += (float)ns;
        values[t->block_count - 1].most += (float)ns;
    }
    return PILGRIM_OK;
}

/* Returns the share of a block that joins A, of A_RANKS ranks, and B, of the next B_RANKS ranks. */
static struct share join(struct share a, uint32_t a_ranks, struct share b, uint32_t b_ranks)
{
    double sum = (double)a.mean * a_ranks + (double)b.mean * b_ranks;
    struct share both = b.most > a.most ? b : a;
    both.at += b.most > a.most ? a_ranks : 0;
    both.mean = (float)(sum / ((double)a_ranks + b_ranks));
    return both;
}

static uint32_t rows_used(const struct share_table *t)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < t->row_count; i++)
        used += t->rows[i] != NULL;
    return used;
}

static void halve(struct share_table *t)
{
    uint32_t half = t->block_count / 2;
    for (uint32_t i = 0; i < t->row_count; i++) {
        struct share *row = t->rows[i];
        for (uint32_t k = 0; row && k < half; k++)
            row[k] = join(row[2 * k], t->ranks[2 * k], row[2 * k + 1], t->ranks[2 * k + 1]);
        if (row && t->block_count % 2)
            row[half] = row[t->block_count - 1];
        if (row)
            memset(row + half + t->block_count % 2, 0, half * sizeof *row);
    }
    for (uint32_t k = 0; k < half; k++)
        t->ranks[k] = t->ranks[2 * k] + t->ranks[2 * k + 1];
    if (t->block_count % 2)
        t->ranks[half] = t->ranks[t->block_count - 1];
    t->block_count = half + t->block_count % 2;
}

static bool is_idle(const struct share_table *t, uint32_t block)
{
    for (uint32_t i = 0; i < t->row_count; i++)
        if (t->rows[i] && (t->rows[i][block].mean != 0 || t->rows[i][block].most != 0))
            return false;
    return true;
}

/* Moves COUNT blocks of T from FROM to TO, below FROM. */
static void move_blocks(struct share_table *t, uint32_t to, uint32_t from, uint32_t count)
{
    memmove(t->ranks + to, t->ranks + from, count * sizeof *t->ranks);
    for (uint32_t i = 0; i < t->row_count; i++)
        if (t->rows[i])
            memmove(t->rows[i] + to, t->rows[i] + from, count * sizeof *t->rows[i]);
}

/* Makes one block of many neighbouring ones that are 0 in all rows: ranks whose calls are missing, mostly. */
static void join_idle(struct share_table *t)
{
    uint32_t to = 0;
    for (uint32_t from = 0, count; from < t->block_count; from += count) {
        uint32_t ranks = 0;
        for (count = 0; from + count < t->block_count && is_idle(t, from + count); count++)
            ranks += t->ranks[from + count];
        bool joined = count >= IDLE_BLOCKS_MIN;
        count += !count;
        uint32_t left = joined ? 1 : count;
        move_blocks(t, to, from, left);
        if (joined)
            t->ranks[to] = ranks;
        to += left;
    }
    t->block_count = to;
}

static void limit_values(struct share_table *t, uint32_t values)
{
    uint64_t rows = rows_used(t) ? rows_used(t) : 1; /* even a table without rows has a count of ranks for each block */
    if (t->block_count > 1 && rows * t->block_count > values)
        join_idle(t);
    while (t->block_count > 1 && rows * t->block_count > values)
        halve(t);
}

/* Appends FROM's blocks. Row i of FROM becomes row NUMBERS[i / PER] x PER + i % PER, or row i if NUMBERS is NULL. */
static enum pilgrim_status append(struct share_table *into, const struct share_table *from, const uint32_t *numbers,
                                  uint32_t per)
{
    TRY(make_room(into, from->block_count));
    for (uint32_t i = 0; i < from->row_count; i++) {
        if (!from->rows[i])
            continue;
        struct share *row = take_row(into, numbers ? numbers[i / per] * per + i % per : i);
        if (!row)
            return PILGRIM_NOMEM;
        memcpy(row + into->block_count, from->rows[i], from->block_count * sizeof *row);
    }
    if (from->block_count)
        memcpy(into->ranks + into->block_count, from->ranks, from->block_count * sizeof *from->ranks);
    into->block_count += from->block_count;
    return PILGRIM_OK;
}

enum pilgrim_status shares_merge(struct shares *into, const struct shares *from, const uint32_t *classes)
{
    TRY(append(&into->activities, &from->activities, NULL, 1));
    TRY(append(&into->classes, &from->classes, classes, 2));
    limit_values(&into->activities, SHARES_VALUES_MAX);
    limit_values(&into->classes, SHARES_VALUES_MAX);
    return PILGRIM_OK;
}

enum pilgrim_status shares_select(const struct share_table *t, const bool *chosen, uint32_t values,
                                  struct share_table *out)
{
    *out = (struct share_table){0};
    TRY(make_room(out, t->block_count));
    for (uint32_t i = 0; i < t->row_count; i++) {
        struct share *row = t->rows[i] && chosen[i] ? take_row(out, i) : NULL;
        if (t->rows[i] && chosen[i] && !row)
            return PILGRIM_NOMEM;
        if (row)
            memcpy(row, t->rows[i], t->block_count * sizeof *row);
    }
    if (t->block_count)
        memcpy(out->ranks, t->ranks, t->block_count * sizeof *t->ranks);
    out->block_count = t->block_count;
    if (out->block_count)
        join_idle(out);
    limit_values(out, values);
    return PILGRIM_OK;
}

/* ---- transport ---- */

static void put_float(struct bytes *out, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bytes_put_u32(out, bits);
}

static void pack_table(const struct share_table *t, struct bytes *out)
{
    bytes_put_varint(out, t->block_count);
    for (uint32_t k = 0; k < t->block_count; k++)
        bytes_put_varint(out, t->ranks[k]);
    bytes_put_varint(out, rows_used(t));
    for (uint32_t i = 0; i < t->row_count; i++) {
        if (!t->rows[i])
            continue;
        bytes_put_varint(out, i);
        for (uint32_t k = 0; k < t->block_count; k++) {
            put_float(out, t->rows[i][k].mean);
            if (t->ranks[k] > 1) {
                put_float(out, t->rows[i][k].most);
                bytes_put_varint(out, t->rows[i][k].at);
            }
        }
    }
}

void shares_pack(const struct shares *s, struct bytes *out)
{
    pack_table(&s->activities, out);
    pack_table(&s->classes, out);
}

static float take_float(struct cursor *c)
{
    uint32_t bits = cursor_u32(c);
    float v;
    memcpy(&v, &bits, sizeof v);
    if (!(v >= 0 && v <= 1e30F)) {
        c->status = PILGRIM_DAMAGED;
        return 0;
    }
    return v;
}

static enum pilgrim_status unpack_row(struct cursor *c, struct share_table *t, uint32_t rows)
{
    uint32_t number = (uint32_t)cursor_index(c, rows);
    if (c->status != PILGRIM_OK)
        return c->status;
    struct share *row = take_row(t, number);
    if (!row)
        return PILGRIM_NOMEM;
    for (uint32_t k = 0; k < t->block_count && c->status == PILGRIM_OK; k++) {
        row[k].mean = row[k].most = take_float(c);
        if (t->ranks[k] > 1) {
            row[k].most = take_float(c);
            row[k].at = (uint32_t)cursor_index(c, t->ranks[k]);
        }
    }
    return c->status;
}

static enum pilgrim_status unpack_table(struct cursor *c, uint64_t ranks, uint32_t rows, struct share_table *t)
{
    uint64_t sum = 0;
    for (size_t blocks = cursor_count(c, 1); blocks > 0; blocks--) {
        uint32_t block = (uint32_t)cursor_index(c, UINT32_MAX);
        sum += block;
        if (c->status != PILGRIM_OK || block == 0)
            return PILGRIM_DAMAGED;
        TRY(add_block(t, block));
    }
    if (sum != ranks)
        return PILGRIM_DAMAGED;
    for (size_t used = cursor_count(c, 1); used > 0; used--)
        TRY(unpack_row(c, t, rows));
    return c->status;
}

enum pilgrim_status shares_unpack(struct cursor *c, uint64_t ranks, uint32_t classes, struct shares *s)
{
    TRY(unpack_table(c, ranks, PROFILE_ACTIVITIES, &s->activities));
    return unpack_table(c, ranks, 2 * classes, &s->classes);
}

void share_table_free(struct share_table *t)
{
    for (uint32_t i = 0; i < t->row_count; i++)
        free(t->rows[i]);
    free(t->rows);
    free(t->ranks);
    *t = (struct share_table){0};
}

void shares_free(struct shares *s)
{
    share_table_free(&s->activities);
    share_table_free(&s->classes);
}
