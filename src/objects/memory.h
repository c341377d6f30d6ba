/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pointer points to: heap, stack, static data, device memory.
 *
 * Allocations are followed from the start of the process, but an allocation gets its id only when an MPI call
 * first names it, and gives it back when it is freed: ids are small, and the same on every rank, whatever the
 * MPI library allocates for itself. */
#ifndef PILGRIM_MEMORY_H
#define PILGRIM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum memory_space { MEMORY_HEAP, MEMORY_STACK, MEMORY_STATIC, MEMORY_DEVICE };

/* A pointer's symbolic name. */
struct memory_name {
    enum memory_space space;
    int64_t device; /* MEMORY_DEVICE only */
    int64_t id;     /* heap: allocation, ids from a pool, smallest free first; stack: address, in order of first use;
                       static: module (program or shared library), in order of first use */
    int64_t offset; /* bytes from the start of the allocation or of the module's image; 0 for stack */
};

/* Names ADDRESS (not NULL), giving an id to its allocation if it has none yet. An address in no known memory
 * counts as a heap allocation of its own, offset 0. Any thread. */
struct memory_name memory_name_of(const void *address);

/* As above, but only where ADDRESS lies in known memory: false otherwise, and nothing is named then. For integers
 * that may be addresses. */
bool memory_find(const void *address, struct memory_name *name);

/* As memory_find, for a cache: the result holds as long as memory_generation (heap.h) is *GENERATION; never, if that is
 * 0. */
bool memory_find_lasting(const void *address, struct memory_name *name, uint64_t *generation);

/* The name of ADDRESS, of which memory_find knows nothing. */
struct memory_name memory_name_unknown(const void *address);

/* From here on the calling thread's stack is known; it is, at the latest, when the thread first names anything. */
void memory_know_stack(void);

/* Whether ADDRESS lies in the calling thread's own stack, which is not what it runs on where the program has made
 * others. */
bool memory_in_own_stack(const void *address);

#endif
