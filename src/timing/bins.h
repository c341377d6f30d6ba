/* SPDX-License-Identifier: BSD-3-Clause */
/* The series that times are rounded down to: B_0 = 0, B_1 = 1, B_(i+1) = max(B_i + 1, floor(B_i x b)), below 2^63;
 * docs/FORMAT.md, section 6.
 *
 * Place i stands for the times from B_i to B_(i+1) - 1. All in integers, so that every reader has the same numbers. The
 * series is computed as far as it is asked for: that of b = 1.2 has 239 numbers, that of 1.0001 has 360,368. */
#ifndef PILGRIM_BINS_H
#define PILGRIM_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

/* A base b is (b - 1) x 10^6. With a finer one bins are single ns up to 10 us: exact times are as small. */
#define BINS_BASE_MIN 100
#define BINS_BASE_MAX 1000000000
#define BINS_UNIT     1000000

/* For writers: places are found in a table of slots. They are no wider than bins, so that a place is found without a
 * branch that cannot be predicted, but in the finest bases, where there would be too many. */
struct bins {
    uint32_t base;
    uint64_t slack;     /* (b - 1) / b of 2^64, rounded up */
    uint64_t limit;     /* times below it have a place that is known */
    unsigned slot_bits; /* 2^slot_bits slots for each power of two */
    uint32_t count;     /* of bounds */
    uint32_t slot_count;
    size_t capacity;
    size_t slot_capacity;
    uint64_t *bounds; /* B; behind them, if there are no more, UINT64_MAX */
    uint32_t *slots;  /* for each slot the place of its first value */
};

/* Memory is taken later. */
void bins_init(struct bins *b, uint32_t base);
void bins_free(struct bins *b);

/* Computes the series up to VALUE, below 2^63, and the bound behind it: before bins_index, unless VALUE is below
 * b->limit. errors: PILGRIM_NOMEM */
enum pilgrim_status bins_reach(struct bins *b, uint64_t value) PILGRIM_CHECKED;

/* How much less than INTERVAL, below 2^63, a time may be whose b-fold is not below INTERVAL; 1 ns less than that may be
 * said from 2^34 ns on, where the product's error may reach to the next ns. */
static inline uint64_t bins_slack(const struct bins *b, uint64_t interval)
{
    return (uint64_t)((unsigned __int128)interval * b->slack >> 64) - (interval >> 34 != 0);
}

/* The number of VALUE's slot: numbers below 2^bits are slots of their own, above there are 2^bits slots for each power
 * of two. */
static inline uint32_t bins_slot(unsigned bits, uint64_t value)
{
    unsigned shift = 63 - (unsigned)__builtin_clzll(value | UINT64_C(1) << bits) - bits;
    return (uint32_t)(((uint64_t)shift << bits) + (value >> shift));
}

/* The place of VALUE, which the series reaches. */
static inline uint32_t bins_index(const struct bins *b, uint64_t value)
{
    uint32_t bin = b->slots[bins_slot(b->slot_bits, value)];
    bin += b->bounds[bin + 1] <= value;
    while (__builtin_expect(b->bounds[bin + 1] <= value, 0))
        bin++;
    return bin;
}

/* For readers: of a long series only some numbers are kept, as many different ones may be asked for by a hostile file.
 */
struct bin_bounds {
    uint32_t base;
    unsigned shift; /* every 2^shift-th number is kept */
    size_t count;   /* of those that are kept */
    size_t capacity;
    uint64_t *bounds;
};

void bin_bounds_init(struct bin_bounds *b, uint32_t base);
void bin_bounds_free(struct bin_bounds *b);

/* Makes the series known up to BIN.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (there is no such place) */
enum pilgrim_status bin_bounds_reach(struct bin_bounds *b, uint64_t bin) PILGRIM_CHECKED;

/* The number behind VALUE in the series; 0: there is none. */
static inline uint64_t bins_next(uint32_t base, uint64_t value)
{
    /* floor(value x base / BINS_UNIT): in two parts, so that it takes 64 bits. */
    uint64_t step, low = value % BINS_UNIT * base / BINS_UNIT;
    if (__builtin_mul_overflow(value / BINS_UNIT, base, &step) || step > INT64_MAX)
        return 0;
    step += low;
    uint64_t next = value + (step ? step : 1);
    return next <= INT64_MAX ? next : 0;
}

/* B at BIN, which is known. */
static inline uint64_t bin_bounds_at(const struct bin_bounds *b, uint64_t bin)
{
    uint64_t value = b->bounds[bin >> b->shift];
    for (uint64_t more = bin & ((UINT64_C(1) << b->shift) - 1); more; more--)
        value = bins_next(b->base, value);
    return value;
}

#endif
