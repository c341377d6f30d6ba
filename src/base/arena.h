/* SPDX-License-Identifier: BSD-3-Clause */
/* An arena: memory that is taken piece by piece and freed all at once. */
#ifndef PILGRIM_ARENA_H
#define PILGRIM_ARENA_H

#include <stddef.h>

struct arena_block;

/* An arena of zeros is empty. One thread uses it at a time. */
struct arena {
    struct arena_block *blocks;
    size_t used;  /* bytes used in the newest block */
    size_t total; /* bytes allocated from the system */
};

/* Returns COUNT bytes, aligned for any object and not initialised, or NULL if memory is short. They live until
 * arena_clear or arena_free. */
void *arena_take(struct arena *a, size_t count);

/* Does the same as arena_take, but aligns only for numbers of up to 4 bytes. Calls of both functions may be mixed. */
void *arena_take_small(struct arena *a, size_t count);

/* Frees all pieces. Keeps one block of at most 1 MiB for later pieces. */
void arena_clear(struct arena *a);
void arena_free(struct arena *a);

#endif
