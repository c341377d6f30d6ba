/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses buffers between calls; see replay_warm.h. */
#include "replay_warm.h"

#include <stdlib.h>

#include "pilgrim/reader.h"
#include "replay_gaps.h"

enum { BUFFERS_MAX = 1 << 16, LINE_BYTES = 64, STEP_BYTES = 1024 };

static struct warm_buffer *place_of(const struct replay_warm *w, const struct pilgrim_value *v)
{
    const enum replay_space space = v->type == PILGRIM_HEAP ? ARENA_HEAP : ARENA_STATIC;
    uint64_t hash = ((uint64_t)v->id * 2 + space) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)v->offset;
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    for (size_t i = hash >> 32;; i++) {
        struct warm_buffer *b = &w->buffers[i % w->capacity];
        if (!b->bytes || (b->id == v->id && b->offset == v->offset && b->space == space))
            return b;
    }
}

static void grow(struct replay_warm *w)
{
    struct replay_warm larger = {
        .arenas = w->arenas, .count = w->count, .capacity = w->capacity ? 2 * w->capacity : 64};
    larger.buffers = calloc(larger.capacity, sizeof *larger.buffers);
    if (!larger.buffers)
        return;
    for (size_t i = 0; i < w->capacity; i++) {
        const struct warm_buffer *b = &w->buffers[i];
        const struct pilgrim_value v = {
            .type = b->space == ARENA_HEAP ? PILGRIM_HEAP : PILGRIM_STATIC, .id = b->id, .offset = b->offset};
        if (b->bytes)
            *place_of(&larger, &v) = *b;
    }
    free(w->buffers);
    *w = larger;
}

void warm_note(struct replay_warm *w, const struct pilgrim_value *v, uint64_t bytes)
{
    if (2 * w->count >= w->capacity && w->capacity < BUFFERS_MAX)
        grow(w);
    if (!bytes || 2 * w->count >= w->capacity)
        return;
    struct warm_buffer *b = place_of(w, v);
    w->count += !b->bytes;
    if (b->bytes < bytes)
        *b = (struct warm_buffer){.id = v->id,
                                  .offset = v->offset,
                                  .bytes = bytes,
                                  .space = v->type == PILGRIM_HEAP ? ARENA_HEAP : ARENA_STATIC};
}

void warm_use(const struct replay_warm *w, const struct pilgrim_call *call, uint64_t end_ns)
{
    for (size_t i = 0; w->count && i < call->function->parameter_count; i++) {
        const struct pilgrim_value *v = &call->in[i];
        if (v->type != PILGRIM_HEAP && v->type != PILGRIM_STATIC)
            continue;
        const struct warm_buffer *b = place_of(w, v);
        volatile char *begin = b->bytes ? arena_address(w->arenas, b->space, b->id, b->offset) : NULL;
        for (uint64_t at = 0; begin && at < b->bytes; at += LINE_BYTES) {
            if (at % STEP_BYTES == 0 && replay_now() >= end_ns)
                return;
            begin[at] = begin[at];
        }
    }
}
