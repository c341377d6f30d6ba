/* SPDX-License-Identifier: BSD-3-Clause */
/* Exponential bins, which times are rounded down to (docs/FORMAT.md, section 6).
 *
 * The bounds are B_0 = 0, B_1 = 1, B_(i+1) = max(B_i + 1, floor(B_i x b)), below 2^63. Bin i stands for the times
 * from B_i to B_(i+1) - 1. All is computed in integers, so that every reader has the same bounds, and only as far as
 * needed: b = 1.2 has 239 bounds, b = 1.0001 has 360,368. */
#ifndef PILGRIM_BINS_H
#define PILGRIM_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

/* A base b is stored as (b - 1) x 10^6. With a smaller base than the least one bins would be single ns up to 10 us;
 * exact times take as little then. */
#define BINS_BASE_MIN 100
#define BINS_BASE_MAX 1000000000
#define BINS_UNIT     1000000

/* The bounds for writers, who look up bins in a table of slots. A slot is no wider than a bin, so that a look-up
 * needs no branch that is hard to predict; but for the smallest bases, which would need too many slots. */
struct bins {
    uint32_t base;
    uint64_t slack;     /* (b - 1) / b x 2^64, rounded up */
    uint64_t limit;     /* the bin of a time below it is in the table */
    unsigned slot_bits; /* there are 2^slot_bits slots for each power of two */
    uint32_t count;     /* of bounds */
    uint32_t slot_count;
    size_t capacity;
    size_t slot_capacity;
    uint64_t *bounds; /* B, then UINT64_MAX if it is complete */
    uint32_t *slots;  /* by slot: the bin of its first value */
};

/* Sets the base. Takes no memory yet. */
void bins_init(struct bins *b, uint32_t base);
void bins_free(struct bins *b);

/* Computes the bounds up to VALUE, which is below 2^63, and the one behind it. Must come before bins_index unless
 * VALUE is below b->limit. errors: PILGRIM_NOMEM */
enum pilgrim_status bins_reach(struct bins *b, uint64_t value) PILGRIM_CHECKED;

/* Returns by how much a time may be less than INTERVAL, which is below 2^63, if b times that time is not to be less.
 * From 2^34 ns on it may return 1 ns less than that, because of the product's rounding error. */
static inline uint64_t bins_slack(const struct bins *b, uint64_t interval)
{
    return (uint64_t)((unsigned __int128)interval * b->slack >> 64) - (interval >> 34 != 0);
}

/* Returns the slot of VALUE. Values below 2^bits have a slot each; above, there are 2^bits slots for each power of
 * two. */
static inline uint32_t bins_slot(unsigned bits, uint64_t value)
{
    unsigned shift = 63 - (unsigned)__builtin_clzll(value | UINT64_C(1) << bits) - bits;
    return (uint32_t)(((uint64_t)shift << bits) + (value >> shift));
}

/* Returns the bin of VALUE, which must be below b->limit. */
static inline uint32_t bins_index(const struct bins *b, uint64_t value)
{
    uint32_t bin = b->slots[bins_slot(b->slot_bits, value)];
    bin += b->bounds[bin + 1] <= value;
    while (__builtin_expect(b->bounds[bin + 1] <= value, 0))
        bin++;
    return bin;
}

/* The bounds for readers. Of many bounds only some are stored, because a hostile file may ask for many bases. */
struct bin_bounds {
    uint32_t base;
    unsigned shift; /* every 2^shift-th bound is stored */
    size_t count;   /* of stored bounds */
    size_t capacity;
    uint64_t *bounds;
};

void bin_bounds_init(struct bin_bounds *b, uint32_t base);
void bin_bounds_free(struct bin_bounds *b);

/* Computes the bounds up to BIN. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (there is no such bin) */
enum pilgrim_status bin_bounds_reach(struct bin_bounds *b, uint64_t bin) PILGRIM_CHECKED;

/* Returns the bound behind VALUE; 0 if there is none. */
static inline uint64_t bins_next(uint32_t base, uint64_t value)
{
    /* floor(value x base / BINS_UNIT), in two parts that fit into 64 bits. */
    uint64_t step, low = value % BINS_UNIT * base / BINS_UNIT;
    if (__builtin_mul_overflow(value / BINS_UNIT, base, &step) || step > INT64_MAX)
        return 0;
    step += low;
    uint64_t next = value + (step ? step : 1);
    return next <= INT64_MAX ? next : 0;
}

/* Returns bound BIN, which must have been computed. */
static inline uint64_t bin_bounds_at(const struct bin_bounds *b, uint64_t bin)
{
    uint64_t value = b->bounds[bin >> b->shift];
    for (uint64_t more = bin & ((UINT64_C(1) << b->shift) - 1); more; more--)
        value = bins_next(b->base, value);
    return value;
}

#endif
