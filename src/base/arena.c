/* SPDX-License-Identifier: BSD-3-Clause */
/* A bump allocator; see arena.h. Blocks double in size, so the number of calls of malloc is logarithmic. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARENA_FIRST_BLOCK = 256, ARENA_LARGEST_BLOCK = 1 << 20 };

struct arena_block {
    struct arena_block *older;
    size_t capacity;
    alignas(max_align_t) unsigned char data[];
};

static void *take(struct arena *a, size_t count, size_t alignment)
{
    if (count > SIZE_MAX / 2)
        return NULL;
    count = (count + alignment - 1) & ~(alignment - 1);
    struct arena_block *b = a->blocks;
    a->used = (a->used + alignment - 1) & ~(alignment - 1);
    if (!b || a->used > b->capacity || count > b->capacity - a->used) {
        size_t capacity = b ? b->capacity * 2 : ARENA_FIRST_BLOCK;
        if (capacity > ARENA_LARGEST_BLOCK)
            capacity = ARENA_LARGEST_BLOCK;
        if (capacity < count)
            capacity = count;
        b = malloc(sizeof *b + capacity);
        if (!b)
            return NULL;
        b->older = a->blocks;
        b->capacity = capacity;
        a->blocks = b;
        a->used = 0;
        a->total += sizeof *b + capacity;
    }
    void *at = b->data + a->used;
    a->used += count;
    return at;
}

void *arena_take(struct arena *a, size_t count)
{
    return take(a, count, alignof(max_align_t));
}

void *arena_take_small(struct arena *a, size_t count)
{
    return take(a, count, alignof(uint32_t));
}

static void free_blocks(struct arena_block *b)
{
    while (b) {
        struct arena_block *older = b->older;
        free(b);
        b = older;
    }
}

void arena_clear(struct arena *a)
{
    struct arena_block *newest = a->blocks;
    if (!newest || newest->capacity > ARENA_LARGEST_BLOCK) {
        arena_free(a);
        return;
    }
    if (newest->older)
        free_blocks(newest->older);
    newest->older = NULL;
    a->used = 0;
    a->total = sizeof *newest + newest->capacity;
}

void arena_free(struct arena *a)
{
    free_blocks(a->blocks);
    *a = (struct arena){0};
}
