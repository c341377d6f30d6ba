/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools of ids; see pool.h.
 *
 * Level 0 has a bit for each id, set while it is taken. Level l + 1 has a bit for each word of level l, set while
 * that word is full. A word beyond the capacity counts as empty. */
#include "objects/pool.h"

#include "objects/pages.h"

#define FULL UINT64_MAX

static uint64_t word_get(const struct pool *p, unsigned level, size_t word)
{
    if (word == 0)
        return p->first[level];
    return word - 1 < p->capacity[level] ? p->words[level][word - 1] : 0;
}

static uint64_t *word_of(struct pool *p, unsigned level, size_t word)
{
    return word ? &p->words[level][word - 1] : &p->first[level];
}

/* Makes room for word number WORD of LEVEL. Returns 0, or -1 if memory is short. */
static int level_reserve(struct pool *p, unsigned level, size_t word)
{
    enum { FIRST_BYTES = 4096 };
    if (word <= p->capacity[level])
        return 0;
    size_t before = p->capacity[level] * sizeof(uint64_t);
    size_t bytes = before ? before : FIRST_BYTES;
    while (bytes / sizeof(uint64_t) < word)
        bytes *= 2;
    uint64_t *words = before ? pages_grow(p->words[level], before, bytes) : pages_take(bytes);
    if (!words)
        return -1;
    p->words[level] = words;
    p->capacity[level] = bytes / sizeof(uint64_t);
    return 0;
}

int64_t pool_take(struct pool *p)
{
    size_t id = 0;
    for (unsigned level = POOL_LEVELS; level-- > 0;) {
        uint64_t word = word_get(p, level, id);
        if (word == FULL)
            return -1; /* the top: all ids are taken */
        id = id * 64 + (size_t)__builtin_ctzll(~word);
    }
    size_t word = id / 64;
    for (unsigned level = 0; level < POOL_LEVELS; level++, word /= 64)
        if (level_reserve(p, level, word) != 0)
            return -1;
    size_t bit = id;
    for (unsigned level = 0; level < POOL_LEVELS; level++, bit /= 64) {
        uint64_t *w = word_of(p, level, bit / 64);
        *w |= (uint64_t)1 << (bit % 64);
        if (*w != FULL)
            break;
    }
    return (int64_t)id;
}

void pool_give(struct pool *p, int64_t id)
{
    if (id < 0)
        return;
    size_t bit = (size_t)id;
    for (unsigned level = 0; level < POOL_LEVELS; level++, bit /= 64) {
        if (bit / 64 > p->capacity[level])
            return;
        uint64_t *w = word_of(p, level, bit / 64);
        uint64_t before = *w;
        *w &= ~((uint64_t)1 << (bit % 64));
        if (before != FULL)
            return;
    }
}

void pool_free(struct pool *p)
{
    for (unsigned level = 0; level < POOL_LEVELS; level++)
        pages_give(p->words[level], p->capacity[level] * sizeof(uint64_t));
    *p = (struct pool){0};
}
