/* SPDX-License-Identifier: BSD-3-Clause */
/* Touches buffers; see replay_touch.h. */
#include "replay_touch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pilgrim/analysis.h"

enum { CALLS_READ_MAX = 1000000, SEEN = 1024 };

struct touch {
    struct replay_warm *warm;
    struct pilgrim_calls *calls;
    uint64_t left;       /* bytes */
    uint64_t seen[SEEN]; /* identities of calls, by their lowest bits */
};

/* Returns the bytes of COUNT elements behind buffer AT, by the parameters that follow it; 0: not known. */
static uint64_t posted(struct touch *t, const struct pilgrim_call *call, size_t at)
{
    const struct pilgrim_parameter *p = call->function->parameters;
    int64_t count = -1, lower, extent;
    for (size_t i = at + 1; i < call->function->parameter_count; i++) {
        if (count < 0 && strstr(p[i].name, "count") && call->in[i].type == PILGRIM_INT)
            count = call->in[i].integer;
        if (!strstr(p[i].name, "type"))
            continue;
        if (count <= 0 || pilgrim_calls_datatype_extent(t->calls, &call->in[i], &lower, &extent, NULL) != PILGRIM_OK ||
            extent <= 0 || extent > INT64_MAX / count)
            return 0;
        return (uint64_t)(count * extent);
    }
    return 0;
}

static void touch(struct touch *t, const struct pilgrim_value *v, uint64_t bytes)
{
    const enum replay_space space = v->type == PILGRIM_HEAP ? ARENA_HEAP : ARENA_STATIC;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (!bytes || bytes > t->left || v->offset > INT64_MAX - (int64_t)bytes ||
        !arena_address(t->warm->arenas, space, v->id, v->offset + (int64_t)bytes - 1))
        return;
    volatile char *begin = arena_address(t->warm->arenas, space, v->id, v->offset);
    for (uint64_t i = 0; begin && i < bytes; i += page)
        begin[i] = begin[i];
    t->left -= bytes;
    warm_note(t->warm, v, bytes);
}

static void touch_call(struct touch *t, const struct pilgrim_call *call)
{
    struct pilgrim_volume volume;
    if (pilgrim_calls_volume(t->calls, &volume, NULL) != PILGRIM_OK)
        return;
    for (size_t i = 0; i < call->function->parameter_count; i++) {
        const struct pilgrim_value *v = &call->in[i];
        if (v->type != PILGRIM_HEAP && v->type != PILGRIM_STATIC)
            continue;
        const bool received = strstr(call->function->parameters[i].name, "recv") || !volume.sent;
        const uint64_t moved = received ? volume.received : volume.sent;
        touch(t, v, moved ? moved : posted(t, call, i));
    }
}

void touch_buffers(struct replay_warm *warm, const struct pilgrim_trace *trace, uint32_t rank, uint32_t ranks)
{
    struct touch t = {.warm = warm};
    struct pilgrim_selection *selection = NULL;
    struct pilgrim_call call;
    char number[16];
    const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    t.left = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 / ranks : 0;
    snprintf(number, sizeof number, "%u", rank);
    if (pilgrim_selection_new(&selection) == PILGRIM_OK &&
        pilgrim_selection_add(selection, "rank", number, NULL) == PILGRIM_OK &&
        pilgrim_calls_open(trace, selection, PILGRIM_BY_RANK, &t.calls, NULL) == PILGRIM_OK)
        for (uint64_t i = 0; i < CALLS_READ_MAX && pilgrim_calls_next(t.calls, &call, NULL) == PILGRIM_OK; i++) {
            if (call.identity && t.seen[call.identity % SEEN] == call.identity)
                continue;
            t.seen[call.identity % SEEN] = call.identity;
            touch_call(&t, &call);
        }
    pilgrim_calls_close(t.calls);
    pilgrim_selection_free(selection);
}
