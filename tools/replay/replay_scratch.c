/* SPDX-License-Identifier: BSD-3-Clause */
/* A bump allocator; see replay_scratch.h. */
#include "replay_scratch.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 10 };

struct replay_block {
    struct replay_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

void *scratch_alloc(struct replay_scratch *scratch, size_t bytes)
{
    struct replay_block *b = scratch->blocks;
    bytes = (bytes + alignof(max_align_t)) / alignof(max_align_t) * alignof(max_align_t);
    if (!b || b->size - b->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        b = malloc(sizeof *b + size);
        if (!b)
            return NULL;
        b->next = scratch->blocks;
        b->used = 0;
        b->size = size;
        scratch->blocks = b;
    }
    void *found = b->bytes + b->used;
    b->used += bytes;
    return memset(found, 0, bytes);
}

void scratch_reset(struct replay_scratch *scratch)
{
    struct replay_block *b = scratch->blocks;
    if (!b)
        return;
    scratch_free(b->next);
    b->next = NULL;
    b->used = 0;
    if (b->size > BLOCK_BYTES) {
        scratch_free(b);
        scratch->blocks = NULL;
    }
}

struct replay_block *scratch_take(struct replay_scratch *scratch)
{
    struct replay_block *taken = scratch->blocks;
    scratch->blocks = NULL;
    return taken;
}

void scratch_free(struct replay_block *blocks)
{
    while (blocks) {
        struct replay_block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}
