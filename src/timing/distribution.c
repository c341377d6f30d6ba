/* Distributions of times; see distribution.h. */
#include "timing/distribution.h"

#include <stdbool.h>

void distribution_init(struct distribution *d)
{
    *d = (struct distribution){.least = UINT64_MAX};
}

static void take_rank(uint32_t *rank, uint32_t other, bool better, bool equal)
{
    if (better || (equal && other < *rank))
        *rank = other;
}

void distribution_merge(struct distribution *into, const struct distribution *from)
{
    if (from->least == UINT64_MAX)
        return;
    bool empty = into->least == UINT64_MAX;
    take_rank(&into->low_rank, from->low_rank, from->least < into->least, from->least == into->least);
    take_rank(&into->high_rank, from->high_rank, empty || from->most > into->most, from->most == into->most);
    if (from->least < into->least)
        into->least = from->least;
    if (from->most > into->most)
        into->most = from->most;
    into->total += from->total;
    into->squares += from->squares;
    for (unsigned k = 0; k < BUCKETS; k++)
        into->counts[k] += from->counts[k];
}

uint64_t distribution_count(const struct distribution *d)
{
    uint64_t count = 0;
    for (unsigned k = 0; k < BUCKETS; k++)
        count += d->counts[k];
    return count;
}

uint64_t distribution_mean(const struct distribution *d)
{
    return (uint64_t)(d->total / distribution_count(d));
}

static uint64_t square_root(unsigned __int128 v)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
        if ((unsigned __int128)(root | bit) * (root | bit) <= v)
            root |= bit;
    return root;
}

/* From q, the mean rounded down, the squares of all differences are the sum of x^2 - 2qx + q^2; with total = count x q + r that is
 * squares - q x (total + r), without anything that is larger. */
uint64_t distribution_deviation(const struct distribution *d)
{
    uint64_t count = distribution_count(d);
    unsigned __int128 mean = d->total / count, rest = d->total % count;
    uint64_t deviation = square_root((d->squares - mean * (d->total + rest)) / count);
    return deviation < d->most ? deviation : d->most;
}

static void put_wide(struct bytes *out, unsigned __int128 v)
{
    bytes_put_varint(out, (uint64_t)v);
    bytes_put_varint(out, (uint64_t)(v >> 64));
}

static unsigned __int128 wide(struct cursor *c)
{
    uint64_t low = cursor_varint(c);
    return low | (unsigned __int128)cursor_varint(c) << 64;
}

void distribution_pack(const struct distribution *d, struct bytes *out)
{
    bool empty = d->least == UINT64_MAX;
    bytes_put_u8(out, !empty);
    if (empty)
        return;
    bytes_put_varint(out, d->least);
    bytes_put_varint(out, d->most);
    bytes_put_varint(out, d->low_rank);
    bytes_put_varint(out, d->high_rank);
    put_wide(out, d->total);
    put_wide(out, d->squares);
    for (unsigned k = bucket_of(d->least); k <= bucket_of(d->most); k++)
        bytes_put_varint(out, d->counts[k]);
}

void distribution_unpack(struct cursor *c, struct distribution *d)
{
    distribution_init(d);
    if (!cursor_u8(c))
        return;
    d->least = cursor_varint(c);
    d->most = cursor_varint(c);
    d->low_rank = (uint32_t)cursor_varint(c);
    d->high_rank = (uint32_t)cursor_varint(c);
    d->total = wide(c);
    d->squares = wide(c);
    if (d->least > d->most || d->most > DISTRIBUTION_NS_MAX)
        c->status = PILGRIM_DAMAGED;
    if (c->status != PILGRIM_OK) {
        distribution_init(d);
        return;
    }
    for (unsigned k = bucket_of(d->least); k <= bucket_of(d->most); k++)
        d->counts[k] = cursor_varint(c);
    if (!d->counts[bucket_of(d->least)] || !d->counts[bucket_of(d->most)])
        c->status = PILGRIM_DAMAGED;
}
