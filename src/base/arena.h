/* Memory that is taken piece by piece and given back all at once. */
#ifndef PILGRIM_ARENA_H
#define PILGRIM_ARENA_H

#include <stddef.h>

struct arena_block;

/* All zero is an empty arena. */
struct arena {
    struct arena_block *blocks;
    size_t used;     /* bytes in the newest block */
    size_t total;    /* bytes taken from the system */
};

/* COUNT bytes, aligned for any object, not initialised; NULL where memory is short. Lives until arena_free. */
void *arena_take(struct arena *a, size_t count);
void arena_free(struct arena *a);

#endif
