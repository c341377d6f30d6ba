/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions of times; see distribution.h. All in integers. */
#include "timing/distribution.h"

static unsigned __int128 wide(const uint64_t sum[2])
{
    return (unsigned __int128)sum[1] << 64 | sum[0];
}

void distribution_init(struct distribution *d)
{
    *d = (struct distribution){.least = UINT64_MAX};
}

void distribution_halve(struct distribution *d)
{
    for (unsigned k = 0; k < BUCKETS; k++)
        d->histogram[k] = (uint16_t)((d->histogram[k] + 1u) / 2); /* a count does not become 0 */
    d->unit++;
}

/* Returns COUNT in a unit 2^SHIFT times as large. A count does not become 0. */
static uint32_t in_unit(uint32_t count, uint32_t shift)
{
    uint32_t less = shift < 32 ? count >> shift : 0;
    return less > 0 || count == 0 ? less : 1;
}

/* The lowest and the highest bucket that may have a count. */
static unsigned first_bucket(const struct distribution *d)
{
    return histogram_bucket(bucket_of(d->least));
}

static unsigned last_bucket(const struct distribution *d)
{
    return histogram_bucket(bucket_of(d->most));
}

/* Adds FROM's counts, which are in the same unit. Returns false, and adds nothing, if one would become too large. */
static bool add_counts(struct distribution *into, const struct distribution *from)
{
    unsigned first = first_bucket(from), last = last_bucket(from);
    for (unsigned k = first; k <= last; k++)
        if (into->histogram[k] + from->histogram[k] >= UINT16_MAX)
            return false;
    for (unsigned k = first; k <= last; k++)
        into->histogram[k] = (uint16_t)(into->histogram[k] + from->histogram[k]);
    return true;
}

static void merge_histograms(struct distribution *into, const struct distribution *from)
{
    if (into->unit == from->unit && add_counts(into, from))
        return;
    uint32_t counts[BUCKETS], unit = into->unit > from->unit ? into->unit : from->unit, most = 0;
    for (unsigned k = 0; k < BUCKETS; k++) {
        counts[k] = in_unit(into->histogram[k], unit - into->unit) + in_unit(from->histogram[k], unit - from->unit);
        most = counts[k] > most ? counts[k] : most;
    }
    uint32_t more = most >= UINT16_MAX;
    for (unsigned k = 0; k < BUCKETS; k++)
        into->histogram[k] = (uint16_t)in_unit(counts[k], more);
    into->unit = unit + more;
}

void distribution_merge(struct distribution *into, const struct distribution *from)
{
    if (from->count == 0)
        return;
    if (into->count == 0 || from->most > into->most || (from->most == into->most && from->high_rank < into->high_rank))
        into->high_rank = from->high_rank;
    if (from->least < into->least)
        into->least = from->least;
    if (from->most > into->most)
        into->most = from->most;
    if (__builtin_add_overflow(into->count, from->count, &into->count))
        into->count = UINT64_MAX; /* only what was not recorded counts so far */
    add_wide(into->total, wide(from->total));
    add_wide(into->squares, wide(from->squares));
    merge_histograms(into, from);
}

uint64_t distribution_mean(const struct distribution *d)
{
    return (uint64_t)(wide(d->total) / d->count);
}

double distribution_total(const struct distribution *d)
{
    return (double)d->total[1] * 0x1p64 + (double)d->total[0];
}

static uint64_t square_root(unsigned __int128 v)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
        if ((unsigned __int128)(root | bit) * (root | bit) <= v)
            root |= bit;
    return root;
}

/* q is the mean, rounded down, and total = count x q + r. The sum of the squared differences from q is the sum of
 * x^2 - 2qx + q^2. That is squares - q x (total + r), and no intermediate result is larger. */
uint64_t distribution_deviation(const struct distribution *d)
{
    unsigned __int128 mean = wide(d->total) / d->count, rest = wide(d->total) % d->count;
    uint64_t deviation = square_root((wide(d->squares) - mean * (wide(d->total) + rest)) / d->count);
    return deviation < d->most ? deviation : d->most;
}

static void put_wide(struct bytes *out, const uint64_t sum[2])
{
    bytes_put_varint(out, sum[0]);
    bytes_put_varint(out, sum[1]);
}

static void take_wide(struct cursor *c, uint64_t sum[2])
{
    sum[0] = cursor_varint(c);
    sum[1] = cursor_varint(c);
}

void distribution_pack(const struct distribution *d, struct bytes *out)
{
    bytes_put_varint(out, d->count);
    if (d->count == 0)
        return;
    bytes_put_varint(out, d->least);
    bytes_put_varint(out, d->most);
    bytes_put_varint(out, d->high_rank);
    put_wide(out, d->total);
    put_wide(out, d->squares);
    bytes_put_varint(out, d->unit);
    for (unsigned k = first_bucket(d); k <= last_bucket(d); k++)
        bytes_put_varint(out, d->histogram[k]);
}

void distribution_unpack(struct cursor *c, struct distribution *d)
{
    distribution_init(d);
    uint64_t count = cursor_varint(c);
    if (count == 0)
        return;
    d->count = count;
    d->least = cursor_varint(c);
    d->most = cursor_varint(c);
    d->high_rank = (uint32_t)cursor_varint(c);
    take_wide(c, d->total);
    take_wide(c, d->squares);
    d->unit = (uint32_t)cursor_index(c, 64);
    if (d->least > d->most || d->most > DISTRIBUTION_NS_MAX)
        c->status = PILGRIM_DAMAGED;
    for (unsigned k = c->status == PILGRIM_OK ? first_bucket(d) : 1; c->status == PILGRIM_OK && k <= last_bucket(d);
         k++)
        d->histogram[k] = (uint16_t)cursor_index(c, UINT16_MAX);
    if (c->status != PILGRIM_OK)
        distribution_init(d);
}
