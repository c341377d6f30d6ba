/* Pools of ids: always the smallest free one first.
 *
 * So ids stay small, and processes that create and free alike use the same ids. A tree of bitmaps with 64
 * children a node: taking and giving touch one word a level, whatever is taken. The first 64 ids need no memory. */
#ifndef PILGRIM_POOL_H
#define PILGRIM_POOL_H

#include <stddef.h>
#include <stdint.h>

enum { POOL_LEVELS = 5 }; /* 64^5 ids */

/* All zero is an empty pool. It may be moved in memory. A pool is used by one thread at a time. */
struct pool {
    uint64_t first[POOL_LEVELS];  /* the first word of each level */
    uint64_t *words[POOL_LEVELS]; /* the others (words[l][0] is word 1), or NULL */
    size_t capacity[POOL_LEVELS]; /* of words[l] */
};

/* Returns the smallest id that is not taken and takes it; -1 where memory is short (or all ids are taken). */
int64_t pool_take(struct pool *p);

/* Gives ID back; one that is not taken is left alone. */
void pool_give(struct pool *p, int64_t id);

void pool_free(struct pool *p); /* leaves an empty pool */

#endif
