/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns; see column.h. */
#include "sequence/column.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void fits(struct column *c, enum expression_kind kind, int64_t constant)
{
    c->kinds |= 1u << kind;
    c->constants[kind - 1] = constant;
}

static bool is_kind(const struct column *c, enum expression_kind kind)
{
    return c->kinds >> kind & 1;
}

/* Values are equal modulo n. So the constants are those for the absolute rank, (x + value) mod n. */
static void begin_relative(struct column *c, struct rank rank)
{
    if (rank.n <= 0 || rank.x < 0 || rank.x >= rank.n)
        return;
    __int128 sum = ((__int128)c->first + rank.x) % rank.n;
    int64_t absolute = (int64_t)(sum < 0 ? sum + rank.n : sum);
    fits(c, EXPRESSION_MINUS, absolute);
    fits(c, EXPRESSION_MINUS_TWICE, (int64_t)(((__int128)absolute + rank.x) % rank.n));
    fits(c, EXPRESSION_XOR_RELATIVE, absolute ^ rank.x);
}

static void begin_world(struct column *c, struct rank rank)
{
    int64_t offset = subtract(c->first, rank.x);
    fits(c, EXPRESSION_PLUS, offset);
    fits(c, EXPRESSION_MINUS, add(c->first, rank.x));
    fits(c, EXPRESSION_XOR, c->first ^ rank.x);
    if (c->first < 0 || c->first > INT32_MAX)
        return;
    fits(c, EXPRESSION_MODULO, offset);
    c->other = offset;
    c->most = c->first;
}

void column_begin(struct column *c, int64_t value, struct rank rank)
{
    *c = (struct column){.first = value, .last = value, .length = 1};
    if (rank.meaning == RANK_RELATIVE)
        begin_relative(c, rank);
    else if (rank.meaning == RANK_WORLD)
        begin_world(c, rank);
}

/* For (x + c) mod n, value - x is c, or c - n if x + c is n or more. Two different offsets determine n. */
static bool join_modulo(struct column *c, const struct column *from)
{
    int64_t high = c->constants[EXPRESSION_MODULO - 1], low = c->other;
    const int64_t offsets[] = {from->constants[EXPRESSION_MODULO - 1], from->other};
    for (unsigned i = 0; i < 2; i++) {
        if (offsets[i] == high || offsets[i] == low)
            continue;
        if (high != low)
            return false;
        if (offsets[i] > high)
            high = offsets[i];
        else
            low = offsets[i];
    }
    c->constants[EXPRESSION_MODULO - 1] = high;
    c->other = low;
    if (from->most > c->most)
        c->most = from->most;
    return high == low || c->most < high - low;
}

static void join_kinds(struct column *c, const struct column *from)
{
    c->kinds &= from->kinds;
    for (enum expression_kind kind = EXPRESSION_PLUS; kind <= EXPRESSION_XOR; kind++)
        if (c->constants[kind - 1] != from->constants[kind - 1])
            c->kinds &= ~(1u << kind);
    if (is_kind(c, EXPRESSION_MODULO) && !join_modulo(c, from))
        c->kinds &= ~(1u << EXPRESSION_MODULO);
}

enum pilgrim_status column_join(struct column *c, const struct column *from, int64_t offset)
{
    if (!from->length)
        return PILGRIM_OK;
    if (!c->length) {
        TRY(column_copy(c, from));
        c->first = add(c->first, offset);
    } else {
        TRY(nested_runs_append(&c->differences, subtract(add(from->first, offset), c->last), 1));
        TRY(nested_runs_join(&c->differences, &from->differences));
        c->length += from->length;
        join_kinds(c, from);
    }
    c->last = add(from->last, offset);
    return PILGRIM_OK;
}

enum pilgrim_status column_append(struct column *c, int64_t value)
{
    struct column one;
    column_begin(&one, value, (struct rank){.meaning = RANK_NOTHING});
    return column_join(c, &one, 0);
}

enum pilgrim_status column_continue(struct column *c, uint64_t count)
{
    TRY(nested_runs_append(&c->differences, 1, count));
    c->last = add(c->last, (int64_t)count);
    c->length += count;
    return PILGRIM_OK;
}

enum pilgrim_status column_copy(struct column *c, const struct column *from)
{
    *c = *from;
    return nested_runs_copy(&c->differences, &from->differences);
}

void column_free(struct column *c)
{
    nested_runs_free(&c->differences);
    *c = (struct column){0};
}

static bool is_constant(const struct column *c)
{
    const struct nested_runs *r = &c->differences;
    if (r->count > 1 || (r->count == 1 && (r->open.exponent || r->items[0].value)))
        return false;
    return !r->open.exponent || !r->open.value;
}

bool column_is(const struct column *c, enum expression_kind kind, int64_t *constant, int64_t *n)
{
    *n = 0;
    if (kind == EXPRESSION_CONSTANT) {
        *constant = c->first;
        return is_constant(c);
    }
    *constant = c->constants[kind - 1];
    if (kind == EXPRESSION_MODULO)
        *n = *constant - c->other;
    return is_kind(c, kind) && (kind != EXPRESSION_MODULO || *n > 0);
}

static enum pilgrim_status visit_items(const struct nested_run *items, size_t count, int64_t *value,
                                       column_visitor *each, void *context)
{
    for (size_t i = 0; i < count; i++) {
        bool block = items[i].exponent & NESTED_RUN_BEGIN;
        size_t size = block ? (size_t)items[i].value : 0;
        uint64_t times = block ? items[i + size + 1].exponent & ~NESTED_RUN_END : items[i].exponent;
        for (; times > 0; times--) {
            if (block) {
                TRY(visit_items(&items[i + 1], size, value, each, context));
            } else {
                *value = add(*value, items[i].value);
                TRY(each(context, *value));
            }
        }
        i += block ? size + 1 : 0;
    }
    return PILGRIM_OK;
}

enum pilgrim_status column_visit(const struct column *c, column_visitor *each, void *context)
{
    int64_t value = c->first;
    if (!c->length)
        return PILGRIM_OK;
    TRY(each(context, value));
    TRY(visit_items(c->differences.items, c->differences.count, &value, each, context));
    return visit_items(&c->differences.open, c->differences.open.exponent > 0, &value, each, context);
}

#define PACKED_STORED_DELTAS 128u /* a bit beside those of the kinds */

void column_pack(const struct column *c, struct bytes *out)
{
    bytes_put_svarint(out, c->first);
    bytes_put_varint(out, c->length);
    bytes_put_u8(out, (uint8_t)(c->kinds | (c->is_stored_deltas ? PACKED_STORED_DELTAS : 0)));
    for (enum expression_kind kind = EXPRESSION_PLUS; kind <= EXPRESSION_MODULO; kind++)
        if (is_kind(c, kind))
            bytes_put_svarint(out, c->constants[kind - 1]);
    if (is_kind(c, EXPRESSION_MODULO)) {
        bytes_put_svarint(out, c->other);
        bytes_put_svarint(out, c->most);
    }
    if (c->length > 1) {
        bytes_put_svarint(out, c->last);
        nested_runs_pack(&c->differences, out);
    }
}

enum pilgrim_status column_unpack(struct cursor *in, struct column *c)
{
    *c = (struct column){.first = cursor_svarint(in)};
    c->length = cursor_varint(in);
    c->kinds = cursor_u8(in);
    c->is_stored_deltas = c->kinds & PACKED_STORED_DELTAS;
    c->kinds &= ~PACKED_STORED_DELTAS;
    for (enum expression_kind kind = EXPRESSION_PLUS; kind <= EXPRESSION_MODULO; kind++)
        if (is_kind(c, kind))
            c->constants[kind - 1] = cursor_svarint(in);
    if (is_kind(c, EXPRESSION_MODULO)) {
        c->other = cursor_svarint(in);
        c->most = cursor_svarint(in);
    }
    c->last = c->first;
    if (c->length > 1) {
        c->last = cursor_svarint(in);
        TRY(nested_runs_unpack(in, &c->differences));
    }
    return in->status;
}
