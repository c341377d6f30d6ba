/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is taken piece by piece and given back all at once. */
#ifndef PILGRIM_ARENA_H
#define PILGRIM_ARENA_H

#include <stddef.h>

struct arena_block;

/* All zero is an empty arena. */
struct arena {
    struct arena_block *blocks;
    size_t used;  /* bytes in the newest block */
    size_t total; /* bytes taken from the system */
};

/* COUNT bytes, aligned for any object, not initialised; NULL where memory is short. Lives until arena_clear or
 * arena_free. */
void *arena_take(struct arena *a, size_t count);

/* The same, aligned for numbers of up to 4 bytes. Pieces of either kind may be taken in turn. */
void *arena_take_small(struct arena *a, size_t count);

/* Gives everything back but a block, at most 1 MiB, for what is taken next. */
void arena_clear(struct arena *a);
void arena_free(struct arena *a);

#endif
