/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of things that all threads find without a lock. One thread at a time adds; things are never moved. */
#ifndef PILGRIM_SHARED_SET_H
#define PILGRIM_SHARED_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The beginning of each thing. */
struct shared_item {
    uint64_t hash;
};

struct shared_slots {
    struct shared_slots *before; /* smaller; kept, as a thread may still look into it */
    size_t mask;
    _Atomic(struct shared_item *) items[];
};

/* All 0: empty. */
struct shared_set {
    _Atomic(struct shared_slots *) slots;
    size_t count;
};

/* Returns the item with HASH that IS the one of KEY; IS may be NULL: the hash is enough. NULL: there is none. */
struct shared_item *shared_set_find(const struct shared_set *s, uint64_t hash,
                                    bool (*is)(const struct shared_item *item, const void *key), const void *key);

/* Adds ITEM, which is not in the set. Under the caller's lock. False: no memory. */
bool shared_set_add(struct shared_set *s, struct shared_item *item);

/* Makes the set empty. What it had is not freed. Under the caller's lock. */
void shared_set_clear(struct shared_set *s);

#endif
