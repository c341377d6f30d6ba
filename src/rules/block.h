/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks: rules that are bit-packed terminals (docs/FORMAT.md, "Rules and sequences"). They stay packed in memory: the
 * numbers are borrowed from the bytes that they were read from.
 *
 * As differences, terminals are zigzag coded (base/bytes.h). With sums, what is packed is the differences' sums from
 * the start of the block; without, the sum before each BLOCK_STRIDE-th terminal is kept, so that a sum takes as many
 * steps at most. */
#ifndef PILGRIM_BLOCK_H
#define PILGRIM_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/trace_format.h"
#include "pilgrim/status.h"

enum { BLOCK_STRIDE = 128 };

struct block {
    const uint8_t *numbers; /* borrowed */
    uint64_t *marks;        /* borrowed: sums before terminals; NULL with sums */
    int64_t base;
    uint32_t count;
    uint8_t width; /* bits */
    bool planes, sums;
    /* Set by block_check: */
    bool rises, increases; /* no difference is negative, and their sum is below 2^63; nor is one 0 */
    uint64_t limit;        /* the largest terminal + 1 */
    int64_t sum;           /* of all, as differences */
};

/* The block at C, behind its first byte. What depends on its terminals is not checked yet.
 * errors: PILGRIM_TRUNCATED, PILGRIM_DAMAGED (also left in c->status) */
enum pilgrim_status block_parse(struct cursor *c, struct block *b) PILGRIM_CHECKED;

/* How many marks B needs. */
size_t block_marks(const struct block *b);

/* Checks all terminals and sets what follows from them. MARKS: room for block_marks of them, which becomes the block's.
 * errors: PILGRIM_DAMAGED */
enum pilgrim_status block_check(struct block *b, uint64_t *marks) PILGRIM_CHECKED;

/* The sum of the first COUNT differences, at most all, modulo 2^64. */
uint64_t block_sum(const struct block *b, uint32_t count);

/* How many of the first differences add up to SUM; false: none do. They increase. */
bool block_find_sum(const struct block *b, uint64_t sum, uint32_t *count);

/* Appends the block of TERMINALS, COUNT of them within the limits above. false: what would be packed does not fit, or
 * OUT has failed; OUT is as it was. */
bool block_put(struct bytes *out, const uint64_t *terminals, uint32_t count, bool planes, bool sums);

/* 8 bytes at AT, fewer if fewer are LEFT. */
static inline uint64_t block_word(const uint8_t *at, size_t left)
{
    uint64_t word = 0;
    if (left >= 8)
        return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
               (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
    for (size_t i = 0; i < left; i++)
        word |= (uint64_t)at[i] << (8 * i);
    return word;
}

static inline size_t block_bytes(const struct block *b)
{
    return ((size_t)b->count * b->width + 7) / 8;
}

/* The packed number I. */
static inline uint64_t block_number(const struct block *b, uint32_t i)
{
    uint64_t number = 0;
    if (b->planes) {
        const uint8_t *at = b->numbers + i;
        for (unsigned shift = 0; shift < b->width; shift += 8, at += b->count)
            number |= (uint64_t)*at << shift;
        return number;
    }
    size_t bit = (size_t)i * b->width, first = bit / 8;
    unsigned shift = bit % 8;
    number = block_word(b->numbers + first, block_bytes(b) - first) >> shift;
    if (shift + b->width > 64)
        number |= (uint64_t)b->numbers[first + 8] << (64 - shift);
    return number & ((UINT64_C(1) << b->width) - 1);
}

/* Number I with the base: a terminal, or a sum. */
static inline uint64_t block_value(const struct block *b, uint32_t i)
{
    return (uint64_t)b->base + block_number(b, i);
}

/* Goes along a block: at terminal AT. All zero: at the end. */
struct block_walk {
    const struct block *block;
    uint32_t at, end;
    uint64_t before; /* the sum so far, of a block with sums */
};

static inline struct block_walk block_begin(const struct block *b)
{
    return (struct block_walk){.block = b, .end = b->count};
}

/* The terminal at w->at, which is not the end. */
static inline uint64_t block_next(struct block_walk *w)
{
    uint64_t value = block_value(w->block, w->at++), before = w->before;
    if (!w->block->sums)
        return value;
    w->before = value;
    return zigzag((int64_t)(value - before));
}

/* Moves to terminal AT, or the end. */
static inline void block_seek(struct block_walk *w, uint32_t at)
{
    w->at = at;
    w->before = at > 0 && w->block->sums ? block_value(w->block, at - 1) : 0;
}

#endif
