/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions: what is stored of many times instead of each of them.
 *
 * A distribution has their count, the shortest and the longest, the rank of the longest, the sum, the sum of
 * squares, and a histogram of powers of two. All but the histogram are exact, so distributions may be merged in any
 * order. The histogram gives shares: the unit of its counts doubles when one of them gets too large. So a
 * distribution takes 144 bytes. */
#ifndef PILGRIM_DISTRIBUTION_H
#define PILGRIM_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum { BUCKETS = 40 }; /* the last one has all longer times, too: 2^38 ns are 275 s */

#define DISTRIBUTION_NS_MAX INT64_MAX

/* All zero, but for `least`, is empty: distribution_init. */
struct distribution {
    uint64_t count;
    uint64_t least; /* ns; UINT64_MAX while it is empty */
    uint64_t most;
    uint64_t total[2], squares[2]; /* the lower 64 bits, then the upper 64 bits */
    uint32_t high_rank;            /* with the longest time; the lowest one of several */
    uint32_t unit;                 /* of the histogram: 2^unit times */
    uint16_t histogram[BUCKETS];
};

/* Returns the bucket of NS, which is below 2^63: 0 for 0 ns, else k with 2^(k-1) <= ns < 2^k. */
static inline unsigned bucket_of(uint64_t ns)
{
    return 63 ^ (unsigned)__builtin_clzll(2 * ns + 1);
}

/* Returns NS as a figure: a number with 2^PRECISION steps for each bucket. PRECISION is at most 8. */
static inline unsigned figure_of(uint64_t ns, unsigned precision)
{
    unsigned k = bucket_of(ns);
    if (k <= 1)
        return k << precision;
    uint64_t below = ns - (UINT64_C(1) << (k - 1));
    return (k << precision) +
           (unsigned)(k - 1 > precision ? below >> (k - 1 - precision) : below << (precision - (k - 1)));
}

/* Returns the shortest time with FIGURE. */
static inline uint64_t figure_ns(unsigned figure, unsigned precision)
{
    unsigned k = figure >> precision;
    uint64_t below = figure & ((1u << precision) - 1);
    if (k <= 1)
        return k;
    return (UINT64_C(1) << (k - 1)) +
           (k - 1 > precision ? below << (k - 1 - precision) : below >> (precision - (k - 1)));
}

/* Returns the bucket of the histogram that stands for BUCKET. */
static inline unsigned histogram_bucket(unsigned bucket)
{
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

void distribution_init(struct distribution *d);

/* Doubles the unit of the histogram. */
void distribution_halve(struct distribution *d);

static inline void add_wide(uint64_t sum[2], unsigned __int128 v)
{
    bool carry = __builtin_add_overflow(sum[0], (uint64_t)v, &sum[0]); /* compilers spill a sum of 128 bits */
    sum[1] += (uint64_t)(v >> 64) + carry;
}

/* Returns what decides whether the histogram counts the next time, after COUNT others: it does if the lot is at least
 * its unit. So it counts one of 2^unit. Those are spread like the multiples of the golden ratio: evenly over any period
 * that the times may have. */
static inline uint32_t distribution_lot(uint64_t count)
{
    return (uint32_t)__builtin_clzll(count * UINT64_C(0x9e3779b97f4a7c15) | 1);
}

/* Adds NS, which is at most DISTRIBUTION_NS_MAX. LOT: distribution_lot of its count. WIDE: the sum may come to 2^64 ns,
 * more than 584 years. No branch depends on the lot, as none can be predicted. */
static inline __attribute__((always_inline)) void distribution_add_lot(struct distribution *d, uint64_t ns,
                                                                       uint32_t lot, bool wide)
{
    unsigned k = bucket_of(ns);
    if (__builtin_expect(k >= BUCKETS, 0)) {
        k = BUCKETS - 1;
        __asm__("" : "+r"(k)); /* keeps compilers from a conditional move, which costs more */
    }
    unsigned times = d->histogram[k] + (unsigned)(d->unit <= lot);
    d->histogram[k] = (uint16_t)times;
    if (__builtin_expect(times == UINT16_MAX, 0))
        distribution_halve(d);
    d->count++;
    if (wide)
        add_wide(d->total, ns);
    else
        d->total[0] += ns;
    add_wide(d->squares, (unsigned __int128)ns * ns);
    if (__builtin_expect(ns < d->least, 0))
        d->least = ns;
    if (__builtin_expect(ns > d->most, 0))
        d->most = ns;
}

static inline void distribution_add(struct distribution *d, uint64_t ns)
{
    distribution_add_lot(d, ns, distribution_lot(d->count), true);
}

void distribution_merge(struct distribution *into, const struct distribution *from);

/* Return ns, rounded down, of a distribution that is not empty. */
uint64_t distribution_mean(const struct distribution *d);
uint64_t distribution_deviation(const struct distribution *d);
double distribution_total(const struct distribution *d); /* ns */

/* Pack for transport between processes of one run; this is no file format. Malformed input sets C->status and leaves
 * *D empty. */
void distribution_pack(const struct distribution *d, struct bytes *out);
void distribution_unpack(struct cursor *c, struct distribution *d);

#endif
