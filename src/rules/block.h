/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks: rules that are bit-packed terminals (docs/FORMAT.md, "Rules and sequences"). A block stays packed in memory;
 * its numbers are borrowed from the bytes that it was parsed from.
 *
 * Terminals that are differences are zigzag-coded (base/bytes.h). A block "with sums" packs the sums of its differences
 * from its start on. A block without them has marks in memory, the sums before each BLOCK_STRIDE-th terminal, so
 * finding a sum takes at most that many steps. */
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
    uint64_t *marks;        /* borrowed: sums before each BLOCK_STRIDE-th terminal; NULL for a block with sums */
    int64_t base;
    uint32_t count;
    uint8_t width; /* bits */
    bool planes, sums;
    /* Set by block_check: */
    bool rises, increases; /* no difference is negative, and the sum is below 2^63; also, none is 0 */
    uint64_t limit;        /* the largest terminal + 1 */
    int64_t sum;           /* of all differences, modulo 2^64 */
};

/* Parses the block at C, whose first byte the caller has read. Does not check yet what depends on the terminals.
 * errors: PILGRIM_TRUNCATED, PILGRIM_DAMAGED (also left in c->status) */
enum pilgrim_status block_parse(struct cursor *c, struct block *b) PILGRIM_CHECKED;

/* Returns the number of marks that B needs. */
size_t block_marks(const struct block *b);

/* Checks all terminals and sets the fields that depend on them. MARKS: room for block_marks(B) numbers, which B borrows
 * from then on.
 * errors: PILGRIM_DAMAGED */
enum pilgrim_status block_check(struct block *b, uint64_t *marks) PILGRIM_CHECKED;

/* Returns the sum of the first COUNT differences, at most all of them, modulo 2^64. */
uint64_t block_sum(const struct block *b, uint32_t count);

/* Sets *COUNT to the number of first differences that add up to SUM. False if no number of them does. The block
 * increases. */
bool block_find_sum(const struct block *b, uint64_t sum, uint32_t *count);

/* Appends the block of the COUNT TERMINALS, which are within the limits above. False if a number is too wide to be
 * packed, or OUT has failed; OUT is then unchanged. */
bool block_put(struct bytes *out, const uint64_t *terminals, uint32_t count, bool planes, bool sums);

/* Reads 8 bytes at AT as a little-endian number, or LEFT bytes if they are fewer. */
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

/* Returns packed number I. */
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

/* Returns number I plus the base: a terminal, or a sum. */
static inline uint64_t block_value(const struct block *b, uint32_t i)
{
    return (uint64_t)b->base + block_number(b, i);
}

/* A walk along a block, at terminal AT. A walk of zeros is at the end. */
struct block_walk {
    const struct block *block;
    uint32_t at, end;
    uint64_t before; /* in a block with sums: the sum so far */
};

static inline struct block_walk block_begin(const struct block *b)
{
    return (struct block_walk){.block = b, .end = b->count};
}

/* Returns the terminal at w->at, which is not the end, and moves on. */
static inline uint64_t block_next(struct block_walk *w)
{
    uint64_t value = block_value(w->block, w->at++), before = w->before;
    if (!w->block->sums)
        return value;
    w->before = value;
    return zigzag((int64_t)(value - before));
}

/* Moves to terminal AT, or to the end. */
static inline void block_seek(struct block_walk *w, uint32_t at)
{
    w->at = at;
    w->before = at > 0 && w->block->sums ? block_value(w->block, at - 1) : 0;
}

#endif
