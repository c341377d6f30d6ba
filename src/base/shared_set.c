/* SPDX-License-Identifier: BSD-3-Clause */
/* A set with open addressing; see shared_set.h. An item is complete before its slot is set, and slots are set once. */
#include "base/shared_set.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 64 };

static size_t slot_of(uint64_t hash, size_t mask)
{
    return (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
}

struct shared_item *shared_set_find(const struct shared_set *s, uint64_t hash,
                                    bool (*is)(const struct shared_item *item, const void *key), const void *key)
{
    const struct shared_slots *slots = atomic_load_explicit(&s->slots, memory_order_acquire);
    if (!slots)
        return NULL;
    for (size_t i = slot_of(hash, slots->mask);; i = (i + 1) & slots->mask) {
        struct shared_item *item = atomic_load_explicit(&slots->items[i], memory_order_acquire);
        if (!item || (item->hash == hash && (!is || is(item, key))))
            return item;
    }
}

static void put(struct shared_slots *slots, struct shared_item *item)
{
    size_t i = slot_of(item->hash, slots->mask);
    while (atomic_load_explicit(&slots->items[i], memory_order_relaxed))
        i = (i + 1) & slots->mask;
    atomic_store_explicit(&slots->items[i], item, memory_order_release);
}

/* Replaces the slots by twice as many. False: no memory. */
static bool grow(struct shared_set *s)
{
    struct shared_slots *old = atomic_load_explicit(&s->slots, memory_order_relaxed);
    size_t size = old ? 2 * (old->mask + 1) : SLOTS_FIRST;
    struct shared_slots *slots = calloc(1, sizeof *slots + size * sizeof slots->items[0]);
    if (!slots)
        return false;
    slots->before = old;
    slots->mask = size - 1;
    for (size_t i = 0; old && i <= old->mask; i++) {
        struct shared_item *item = atomic_load_explicit(&old->items[i], memory_order_relaxed);
        if (item)
            put(slots, item);
    }
    atomic_store_explicit(&s->slots, slots, memory_order_release);
    return true;
}

bool shared_set_add(struct shared_set *s, struct shared_item *item)
{
    const struct shared_slots *slots = atomic_load_explicit(&s->slots, memory_order_relaxed);
    if ((!slots || s->count >= slots->mask / 2) && !grow(s))
        return false;
    put(atomic_load_explicit(&s->slots, memory_order_relaxed), item);
    s->count++;
    return true;
}

void shared_set_clear(struct shared_set *s)
{
    struct shared_slots *old = atomic_load_explicit(&s->slots, memory_order_relaxed);
    struct shared_slots *slots = calloc(1, sizeof *slots + SLOTS_FIRST * sizeof slots->items[0]);
    if (slots) {
        slots->before = old;
        slots->mask = SLOTS_FIRST - 1;
    }
    atomic_store_explicit(&s->slots, slots, memory_order_release); /* without memory the old ones are lost */
    s->count = 0;
}
