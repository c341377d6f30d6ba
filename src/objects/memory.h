/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pointer points to: heap, stack, static data, device memory.
 *
 * Allocations are followed from the start of the process. But an allocation gets its id only when an MPI call first
 * names it, and gives the id back when it is freed. So ids are small and the same on every rank, whatever the MPI
 * library allocates for itself.
 *
 * Any thread may call these functions. */
#ifndef PILGRIM_MEMORY_H
#define PILGRIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_space { MEMORY_HEAP, MEMORY_STACK, MEMORY_STATIC, MEMORY_DEVICE };

/* The symbolic name of a pointer. */
struct memory_name {
    enum memory_space space;
    int64_t device; /* MEMORY_DEVICE only */
    int64_t id;     /* heap, device: allocation, ids from a pool, smallest free first; stack: address, in order of first
                       use; static: module (program or shared library), in order of first use */
    int64_t offset; /* bytes from the start of the allocation or of the module's image; 0 for stack */
    size_t bytes;   /* all addresses at an offset below have this name as long as it lasts; 0: this is not known */
};

/* Returns the name of ADDRESS, which is not NULL. Its allocation gets an id if it has none yet. An address in no
 * known memory counts as a heap allocation of its own, at offset 0. */
struct memory_name memory_name_of(const void *address);

/* As memory_name_of, but only if ADDRESS lies in known memory. False: it does not, and nothing gets an id. For
 * integers that may be addresses. */
bool memory_find(const void *address, struct memory_name *name);

/* Allocations on the heap that addresses were in of late, of one thread: programs walk over large ones. All zero is
 * empty. */
enum { MEMORY_BLOCKS = 4 };
struct memory_blocks {
    struct {
        uint64_t start, bytes;
        uint64_t generation; /* 0: empty */
        int64_t id;
    } blocks[MEMORY_BLOCKS];
    unsigned next; /* to be replaced */
};

/* As memory_find, for a cache: the name holds as long as memory_generation (heap.h) is *GENERATION. 0: the name must
 * not be cached. */
bool memory_find_lasting(struct memory_blocks *blocks, const void *address, struct memory_name *name,
                         uint64_t *generation);

/* Returns the name of an ADDRESS that memory_find does not know. */
struct memory_name memory_name_unknown(const void *address);

/* Makes the calling thread's stack known. Otherwise it becomes known when the thread first names anything. */
void memory_know_stack(void);

/* True if ADDRESS lies in the calling thread's own stack. The thread does not run on that stack if the program has
 * made others (coroutines). */
bool memory_in_own_stack(const void *address);

/* Returns where that stack begins, and its size in *SIZE; the size is 0 if it is unknown. */
uintptr_t memory_own_stack(size_t *size);

#endif
