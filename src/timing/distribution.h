/* What is known of many times without keeping each: how many, the shortest and the longest and which rank had them, sum, squares, a
 * histogram of powers of two. All of that is exact, so distributions may be put together in any order.
 *
 * In the file (docs/FORMAT.md, section 6) a figure is a bucket and a place in it, a byte: relative error below 1 in 256. */
#ifndef PILGRIM_DISTRIBUTION_H
#define PILGRIM_DISTRIBUTION_H

#include <stdint.h>

#include "base/bytes.h"

enum { BUCKETS = 64 };

#define DISTRIBUTION_NS_MAX INT64_MAX

/* All zero, but for the least one, is empty: distribution_init. */
struct distribution {
    uint64_t least;    /* ns; UINT64_MAX while it is empty */
    uint64_t most;
    uint32_t low_rank; /* that had the shortest; the lowest one of several */
    uint32_t high_rank;
    unsigned __int128 total;
    unsigned __int128 squares;
    uint64_t counts[BUCKETS];
};

/* 0 for 0 ns, else k where 2^(k-1) <= ns < 2^k; ns below 2^63. */
static inline unsigned bucket_of(uint64_t ns)
{
    return 63 - (unsigned)__builtin_clzll(2 * ns + 1);
}

/* NS, of bucket K, by its place there. */
static inline uint8_t bucket_place(uint64_t ns, unsigned k)
{
    return (uint8_t)(k == 0 ? 0 : (ns - (UINT64_C(1) << (k - 1))) >> (k > 9 ? k - 9 : 0));
}

/* The smallest number at PLACE of bucket K. */
static inline uint64_t bucket_ns(unsigned k, uint8_t place)
{
    return k == 0 ? 0 : (UINT64_C(1) << (k - 1)) + ((uint64_t)place << (k > 9 ? k - 9 : 0));
}

void distribution_init(struct distribution *d);

/* NS is at most DISTRIBUTION_NS_MAX. */
static inline void distribution_add(struct distribution *d, uint64_t ns)
{
    d->counts[bucket_of(ns)]++;
    d->total += ns;
    d->squares += (unsigned __int128)ns * ns;
    if (ns < d->least)
        d->least = ns;
    if (ns > d->most)
        d->most = ns;
}

void distribution_merge(struct distribution *into, const struct distribution *from);

uint64_t distribution_count(const struct distribution *d);

/* Of one that is not empty, rounded down. */
uint64_t distribution_mean(const struct distribution *d);
uint64_t distribution_deviation(const struct distribution *d);

/* For transport between processes of one run; not a file format. What is not one is left to C->status. */
void distribution_pack(const struct distribution *d, struct bytes *out);
void distribution_unpack(struct cursor *c, struct distribution *d);

#endif
