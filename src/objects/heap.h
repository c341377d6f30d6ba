/* SPDX-License-Identifier: BSD-3-Clause */
/* Heap memory, between heap.c and memory.c. All functions may be called by any thread. */
#ifndef PILGRIM_HEAP_H
#define PILGRIM_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
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

/* From here on what the calling thread, the process's first, allocates and frees is followed without atomic
 * instructions. Once in a process; while there are no other threads it costs next to nothing. */
void heap_own(void);

/* Following the allocator; called by the interposed functions (alloc.c), lock-free for memory that no MPI call
 * has named. heap_freed comes before the memory is really freed, so that no other thread gets the address while
 * it still has a name.
 * realloc: heap_suspended before it, which returns the id that the allocation had (-1: none) and keeps it out of
 * the pool; then heap_resumed, with the same START where the allocation stayed in place, or the call failed, NULL
 * where it moved or was freed: the id goes back. */
void heap_allocated(const void *start);
void heap_freed(const void *start);
int64_t heap_suspended(const void *start);
void heap_resumed(const void *start, int64_t id);
void heap_mapped(const void *start, size_t length);   /* mmap */
void heap_unmapped(const void *start, size_t length); /* munmap, of any part */

/* The number of the mapping that begins at START; false: none does. And the end of that mapping, all of it. */
bool heap_mapping_serial(const void *start, uint64_t *serial);
void heap_mapping_gone(uint64_t serial);

/* False with PILGRIM_BUFFERS=off: allocations are not followed, those of before are forgotten. Set once, before
 * main. */
extern bool memory_followed;

/* Around fork, so that the child finds the lock free. */
void heap_fork_prepare(void);
void heap_fork_done(void);

#endif
