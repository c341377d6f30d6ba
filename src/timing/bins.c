/* SPDX-License-Identifier: BSD-3-Clause */
/* Exponential bins in integers; see bins.h. */
#include "timing/bins.h"

#include <stdlib.h>

#define CAPACITY_MIN  256
#define SLOT_BITS_MAX 10

/* For a smaller base than this, which has longer runs of single ns, the reader stores every 2^SPARSE_SHIFT-th bound. */
#define SPARSE_BASE_MAX 5000
#define SPARSE_SHIFT    5

/* Returns ITEMS, of SIZE bytes each, with room for at least COUNT. NULL without memory; ITEMS are then unchanged. */
static void *grown(void *items, size_t size, size_t count, size_t *capacity)
{
    size_t room = *capacity ? *capacity : CAPACITY_MIN;
    while (room < count)
        room *= 2;
    if (room == *capacity)
        return items;
    void *larger = realloc(items, room * size);
    if (larger)
        *capacity = room;
    return larger;
}

/* ---- writers ---- */

void bins_init(struct bins *b, uint32_t base)
{
    /* Behind a power of two, slots are narrower than 2^-bits of it, and bins at least b - 1 of it, rounded down. */
    unsigned bits = 0;
    while (bits < SLOT_BITS_MAX && ((uint64_t)base << bits) < BINS_UNIT)
        bits++;
    uint64_t slack = (uint64_t)(((unsigned __int128)base << 64) / (BINS_UNIT + (uint64_t)base)) + 1;
    *b = (struct bins){.base = base, .slack = slack, .slot_bits = bits};
}

void bins_free(struct bins *b)
{
    free(b->bounds);
    free(b->slots);
    bins_init(b, b->base);
}

/* Returns the first value of SLOT; UINT64_MAX if it is 2^63 or more. */
static uint64_t slot_first(unsigned bits, uint32_t slot)
{
    uint64_t one = UINT64_C(1) << bits;
    if (slot < 2 * one)
        return slot;
    unsigned shift = (unsigned)(slot >> bits) - 1;
    return shift + bits < 63 ? (one + (slot & (one - 1))) << shift : UINT64_MAX;
}

/* Gives BIN to the slots that have no bin yet and whose first value is below END. */
static enum pilgrim_status add_slots(struct bins *b, uint64_t end, uint32_t bin)
{
    while (slot_first(b->slot_bits, b->slot_count) < end) {
        uint32_t *slots = grown(b->slots, sizeof *slots, b->slot_count + (size_t)1, &b->slot_capacity);
        if (!slots)
            return PILGRIM_NOMEM;
        b->slots = slots;
        b->slots[b->slot_count++] = bin;
    }
    return PILGRIM_OK;
}

/* Appends BOUND; UINT64_MAX if there are no more. */
static enum pilgrim_status add_bound(struct bins *b, uint64_t bound)
{
    /* One more than there are, for what is behind the last one. */
    uint64_t *bounds = grown(b->bounds, sizeof *bounds, b->count + (size_t)2, &b->capacity);
    if (!bounds)
        return PILGRIM_NOMEM;
    b->bounds = bounds;
    if (b->count && add_slots(b, bound, b->count - 1) != PILGRIM_OK)
        return PILGRIM_NOMEM;
    bounds[b->count] = bound;
    b->limit = bound;
    if (bound != UINT64_MAX)
        bounds[++b->count] = 0;
    return PILGRIM_OK;
}

enum pilgrim_status bins_reach(struct bins *b, uint64_t value)
{
    while (value >= b->limit) {
        uint64_t next = b->count ? bins_next(b->base, b->bounds[b->count - 1]) : 0;
        if (add_bound(b, b->count && !next ? UINT64_MAX : next) != PILGRIM_OK)
            return PILGRIM_NOMEM;
    }
    return PILGRIM_OK;
}

/* ---- readers ---- */

void bin_bounds_init(struct bin_bounds *b, uint32_t base)
{
    *b = (struct bin_bounds){.base = base, .shift = base < SPARSE_BASE_MAX ? SPARSE_SHIFT : 0};
}

void bin_bounds_free(struct bin_bounds *b)
{
    free(b->bounds);
    bin_bounds_init(b, b->base);
}

static enum pilgrim_status add_bound_at(struct bin_bounds *b, uint64_t value)
{
    uint64_t *bounds = grown(b->bounds, sizeof *bounds, b->count + 1, &b->capacity);
    if (!bounds)
        return PILGRIM_NOMEM;
    b->bounds = bounds;
    b->bounds[b->count++] = value;
    return PILGRIM_OK;
}

enum pilgrim_status bin_bounds_reach(struct bin_bounds *b, uint64_t bin)
{
    uint64_t value = b->count ? b->bounds[b->count - 1] : 0, at = b->count ? (uint64_t)(b->count - 1) << b->shift : 0;
    if (!b->count && add_bound_at(b, 0) != PILGRIM_OK)
        return PILGRIM_NOMEM;
    while (at < bin) {
        value = bins_next(b->base, value);
        at++;
        if (!value)
            return PILGRIM_DAMAGED;
        if ((at & ((UINT64_C(1) << b->shift) - 1)) == 0 && add_bound_at(b, value) != PILGRIM_OK)
            return PILGRIM_NOMEM;
    }
    return PILGRIM_OK;
}
