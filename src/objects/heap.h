/* SPDX-License-Identifier: BSD-3-Clause */
/* Heap memory: following the allocator and mmap, and names of allocations and mappings. src/intercept/alloc.c tells
 * what is allocated and freed; memory.c asks for names. Any thread. */
#ifndef PILGRIM_HEAP_H
#define PILGRIM_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Grows whenever a name may have become wrong, because an allocation was freed or a mapping changed. A name holds as
 * long as this number stays. */
extern _Atomic uint64_t memory_generation __attribute__((visibility("hidden")));

/* Put the name of ADDRESS into *ID and *OFFSET if it lies in an allocation, or in a mapping, that is followed. An
 * allocation without an id gets one now; *BYTES is its size. False: it does not lie in one. */
bool heap_name(const void *address, int64_t *id, int64_t *offset, size_t *bytes);
bool heap_name_mapping(const void *address, int64_t *id, int64_t *offset);

/* True if an allocation or a mapping begins at ADDRESS. */
bool heap_begins(const void *address);

/* Takes an id of the heap's pool, for memory that is followed elsewhere, and gives it back. -1: memory is short. */
int64_t heap_id_take(void);
void heap_id_give(int64_t id);

/* Returns the id of an address that lies in no known memory: an id of its own, from the same pool, never given back.
 * -1: memory is short. */
int64_t heap_name_unknown(const void *address);

/* Makes the calling thread, the process's first, the owner of a bitmap: what it allocates and frees is followed
 * without atomic instructions from here on. Once in a process. Costs next to nothing while there are no other
 * threads. */
void heap_own(void);

/* Follow the allocator; called by the interposed functions (alloc.c). Lock-free for memory that no MPI call has
 * named.
 *
 * heap_freed comes before the memory is really freed, so that no other thread gets the address while it still has a
 * name.
 *
 * realloc: heap_suspended comes before it, returns the id of the allocation (-1: none), and keeps the id out of the
 * pool. heap_resumed comes after it. Its START is the same if the allocation stayed at its address or the call
 * failed. It is NULL if the allocation moved or was freed; then the id goes back to the pool. */
void heap_allocated(const void *start);
void heap_freed(const void *start);
int64_t heap_suspended(const void *start);
void heap_resumed(const void *start, int64_t id);
void heap_mapped(const void *start, size_t length);   /* mmap */
void heap_unmapped(const void *start, size_t length); /* munmap, of any part */

/* For a part that may be mapped again by the time that it is known to be unmapped: of the first MADE mappings only.
 * heap_mappings_made says how many there were before. */
void heap_unmapped_old(const void *start, size_t length, uint64_t made);
uint64_t heap_mappings_made(void);

/* Puts the number of the mapping that begins at START into *SERIAL; false: none does. heap_mapping_gone ends all
 * pieces of the mapping with this number. */
bool heap_mapping_serial(const void *start, uint64_t *serial);
void heap_mapping_gone(uint64_t serial);

/* Returns an address below which there is no allocation and no mapping that was followed. */
uintptr_t heap_lowest(void);

/* False: allocations are not followed, and those of before are forgotten. Set before main, from PILGRIM_BUFFERS;
 * cleared when the program turns out to use another MPI. */
extern bool memory_followed;

/* Called when the allocator has no WANTED bytes. True: others gave some back, so it is asked again. NULL: nobody does.
 */
extern bool (*heap_short_hook)(size_t wanted);

/* Around fork, so that the child finds the lock free. */
void heap_fork_prepare(void);
void heap_fork_done(void);

#endif
