/* SPDX-License-Identifier: BSD-3-Clause */
/* Heap memory, between heap.c and memory.c. All functions may be called by any thread. */
#ifndef PILGRIM_HEAP_H
#define PILGRIM_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts up whenever a name may have become wrong (an allocation freed, a mapping changed): a name that was found
 * under one count holds as long as the count does. */
extern _Atomic uint64_t memory_generation __attribute__((visibility("hidden")));

/* The name of ADDRESS if it lies in an allocation, or in a mapping, that is followed; one that has none gets one now.
 */
bool heap_name(const void *address, int64_t *id, int64_t *offset);
bool heap_name_mapping(const void *address, int64_t *id, int64_t *offset);

/* Whether an allocation or a mapping begins at ADDRESS. */
bool heap_begins(const void *address);

/* An id of the heap's pool, for memory that is followed elsewhere; -1 where memory is short. */
int64_t heap_id_take(void);
void heap_id_give(int64_t id);

/* The id of an address that lies in no known memory: one of its own, from the same pool, for good. */
int64_t heap_name_unknown(const void *address);

/* Around fork, so that the child finds the lock free. */
void heap_fork_prepare(void);
void heap_fork_done(void);

#endif
