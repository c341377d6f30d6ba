/* A bump allocator: blocks that double in size, so that the number of mallocs is logarithmic. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { ARENA_FIRST_BLOCK = 1024, ARENA_LARGEST_BLOCK = 1 << 20 };

struct arena_block {
    struct arena_block *older;
    size_t capacity;
    alignas(max_align_t) unsigned char data[];
};

void *arena_take(struct arena *a, size_t count)
{
    if (count > SIZE_MAX / 2)
        return NULL;
    count = (count + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct arena_block *b = a->blocks;
    if (!b || count > b->capacity - a->used) {
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

void arena_free(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *older = a->blocks->older;
        free(a->blocks);
        a->blocks = older;
    }
    *a = (struct arena){0};
}
