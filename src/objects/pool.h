/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools of ids: always the smallest free one first. So ids stay small, and processes that create and free alike use
 * the same ids.
 *
 * A pool is a tree of bitmaps with 64 children a node. Taking and giving back touch one word a level, whatever is
 * taken. The first 64 ids need no memory. */
#ifndef PILGRIM_POOL_H
#define PILGRIM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_LEVELS = 5 }; /* 64^5 ids */

/* All zero is an empty pool. It may be moved in memory. One thread at a time. */
struct pool {
    uint64_t first[POOL_LEVELS];  /* the first word of each level */
    uint64_t *words[POOL_LEVELS]; /* the other words (words[l][0] is word 1), or NULL */
    size_t capacity[POOL_LEVELS]; /* of words[l], in words */
};

/* Takes the smallest free id and returns it; -1 if memory is short or all ids are taken. */
int64_t pool_take(struct pool *p);

/* Gives ID back. Does nothing if it is not taken. */
void pool_give(struct pool *p, int64_t id);

/* Frees the memory of P; leaves an empty pool. */
void pool_free(struct pool *p);

/* ---- the same in a few instructions, for common cases ---- */

/* pool_take_quickly, if the first 63 ids are taken. */
static inline int64_t pool_take_beyond(struct pool *p)
{
    uint64_t *at = &p->first[0], word = *at, taken = word | (word + 1), full = p->first[1];
    unsigned number = 0; /* of the first word that is not full */
    if (word == UINT64_MAX) {
        number = ~full ? (unsigned)__builtin_ctzll(~full) : 64;
        if (number == 64 || number > p->capacity[0])
            return -1;
        at = &p->words[0][number - 1];
        word = *at;
        taken = word | (word + 1);
    }
    if (taken == UINT64_MAX) {
        full |= UINT64_C(1) << number;
        if (full == UINT64_MAX)
            return -1;
        p->first[1] = full;
    }
    *at = taken;
    return number * INT64_C(64) + __builtin_ctzll(~word);
}

/* As pool_take. Returns -1, and has done nothing, if more than two levels would change or memory is needed. */
static inline int64_t pool_take_quickly(struct pool *p)
{
    uint64_t word = p->first[0], taken = word | (word + 1);
    if (__builtin_expect(taken == UINT64_MAX, 0))
        return pool_take_beyond(p);
    p->first[0] = taken;
    return __builtin_ctzll(~word);
}

/* As pool_give, for an ID that is taken. */
static inline void pool_give_quickly(struct pool *p, uint32_t id)
{
    uint64_t *word = __builtin_expect(id < 64, 1) ? &p->first[0] : &p->words[0][id / 64 - 1];
    if (__builtin_expect(*word == UINT64_MAX, 0)) {
        if (id >= 64 * 64 || p->first[1] == UINT64_MAX) {
            pool_give(p, id);
            return;
        }
        p->first[1] &= ~(UINT64_C(1) << id / 64);
    }
    *word &= ~(UINT64_C(1) << id % 64);
}

#endif
