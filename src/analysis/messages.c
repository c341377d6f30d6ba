/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what calls send; see messages.h.
 *
 * What a call sends follows from the role of its function and some of its values (message_roles.c); what these values
 * name is followed in bindings.h. The result is cached by the identity that the reader gives equal calls. It is valid
 * until some name gets another meaning. */
#include <stdlib.h>

#include "analysis/messages_data.h"
#include "analysis/analysis_errors.h"

enum { CACHED_TRANSFERS_MAX = 1 << 12 };

struct messages *messages_new(const struct pilgrim_trace *trace)
{
    struct messages *m = calloc(1, sizeof *m);
    if (m)
        m->trace = trace;
    return m;
}

void messages_free(struct messages *m)
{
    if (!m)
        return;
    bindings_free(&m->bindings);
    world_ranks_free(&m->world);
    key_table_clear(&m->sizes);
    key_table_clear(&m->target_numbers);
    key_table_clear(&m->extent_numbers);
    free(m->extents);
    pilgrim_communicators_close(m->created);
    counted_calls_free(m->calls);
    free(m->targets);
    free(m->transfers);
    free(m);
}

void *messages_roomy(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t larger = *capacity ? 2 * *capacity : 16;
    void *moved = realloc(array, larger * size);
    if (moved)
        *capacity = larger;
    return moved;
}

/* ---- calls ---- */

/* Begins a call; drops the cached transfers first if there are many. */
static void begin_call(struct messages *m)
{
    if (m->cached > CACHED_TRANSFERS_MAX) {
        m->cached = 0;
        m->bindings.changes++;
    }
    m->seen_first = m->cached;
    m->seen_count = 0;
    m->acts = false;
}

static struct messages_count sum_of(const struct messages *m)
{
    struct messages_count sum = {0, 0};
    for (size_t i = 0; i < m->seen_count; i++) {
        const struct messages_transfer *transfer = &m->transfers[m->seen_first + i];
        sum.messages += transfer->kind == MESSAGES_SEND;
        sum.bytes += transfer->kind == MESSAGES_SEND ? transfer->bytes : 0;
    }
    return sum;
}

enum pilgrim_status messages_see(struct messages *m, const struct pilgrim_call *call, struct messages_count *count)
{
    struct memo *memo = &m->memos[call->identity % MEMOS];
    if (call->identity && memo->identity == call->identity && memo->changes == m->bindings.changes) {
        m->seen_first = memo->first;
        m->seen_count = memo->transfer_count;
        *count = memo->count;
        return PILGRIM_OK;
    }
    begin_call(m);
    if (!messages_act(m, call))
        return PILGRIM_NOMEM;
    *count = sum_of(m);
    if (call->identity && !m->acts) {
        *memo = (struct memo){call->identity, m->bindings.changes, m->seen_first, m->seen_count, *count};
        m->cached += m->seen_count;
    }
    return PILGRIM_OK;
}

const struct messages_transfer *messages_transfers(const struct messages *m, size_t *count)
{
    *count = m->seen_count;
    return m->transfers ? &m->transfers[m->seen_first] : NULL;
}

/* ---- threads ---- */

static enum pilgrim_status begin_thread(struct messages *m, uint32_t thread, struct pilgrim_error *error)
{
    m->thread = thread;
    m->cached = 0;
    bindings_begin_thread(&m->bindings);
    return messages_begin_created(m, error);
}

/* Reads the calls of THREAD, to bind what it makes for the other threads. */
static enum pilgrim_status look_through(struct messages *m, uint32_t thread, struct pilgrim_error *error)
{
    struct pilgrim_call call;
    struct messages_count count;
    uint64_t calls;
    enum pilgrim_status status = begin_thread(m, thread, error);
    if (status == PILGRIM_OK && !m->calls && !(m->calls = counted_calls_new(m->trace)))
        status = no_memory(error);
    if (status == PILGRIM_OK)
        status = counted_calls_begin(m->calls, m->rank, thread, COUNTED, error);
    while (status == PILGRIM_OK &&
           (status = counted_calls_next(m->calls, messages_changes(m), &call, &calls, error)) == PILGRIM_OK)
        if (messages_see(m, &call, &count) != PILGRIM_OK)
            status = no_memory(error);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static enum pilgrim_status begin_rank(struct messages *m, uint32_t rank, struct pilgrim_error *error)
{
    m->rank = rank;
    m->begun = true;
    m->target_count = 0;
    key_table_clear(&m->target_numbers);
    m->extent_count = 0;
    key_table_clear(&m->extent_numbers);
    bindings_begin_rank(&m->bindings);
    enum pilgrim_status status = messages_begin_groups(m, error);
    uint32_t threads = pilgrim_thread_count(m->trace, rank);
    m->looking = true;
    for (uint32_t thread = 0; threads > 1 && thread < threads && status == PILGRIM_OK; thread++)
        status = look_through(m, thread, error);
    m->looking = false;
    return status;
}

enum pilgrim_status messages_begin(struct messages *m, uint32_t rank, uint32_t thread, struct pilgrim_error *error)
{
    enum pilgrim_status status = m->begun && m->rank == rank ? PILGRIM_OK : begin_rank(m, rank, error);
    return status == PILGRIM_OK ? begin_thread(m, thread, error) : status;
}

uint64_t messages_changes(const struct messages *m)
{
    return m->bindings.changes;
}

size_t messages_targets(const struct messages *m)
{
    return m->target_count;
}

struct group_member messages_target(const struct messages *m, uint32_t target)
{
    return m->targets[target];
}

int64_t messages_world_rank(const struct messages *m, const struct group_member *member)
{
    return world_ranks_find(&m->world, member, pilgrim_rank_count(m->trace));
}
