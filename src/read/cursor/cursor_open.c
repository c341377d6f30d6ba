/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens cursors, and moves them to the next segment: classes and loops of the stream; see cursor_open.h. */
#include "read/cursor/cursor_open.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "read/cursor/class_values.h"
#include "read/cursor/loop_walk.h"
#include "read/cursor/process_values.h"
#include "read/table/trace_error.h"

#define IN_PLACE_BYTES_MAX (2u << 20)

/* Of values that cursors keep: of one, and of all that are open in the process. */
#define CACHED_BYTES_MAX     (4u << 20)
#define CACHED_BYTES_MAX_ALL (32u << 20)

static atomic_size_t cursors_open;

size_t cursor_cached_limit(void)
{
    const size_t each = CACHED_BYTES_MAX_ALL / (atomic_load_explicit(&cursors_open, memory_order_relaxed) + 1);
    return each < CACHED_BYTES_MAX ? each : CACHED_BYTES_MAX;
}

/* ---- open, close ---- */

/* Opens the loops of G. The memory of a walk depends on the depth of its grammar, and grammars share rules, so the
 * memory of all walks together is limited. */
static bool open_loops(struct pilgrim_cursor *c, const struct stored_group *g)
{
    size_t count = g->loop_count;
    if (count == 0)
        return true;
    c->loops = calloc(count, sizeof *c->loops);
    c->nest = calloc(count, sizeof *c->nest);
    for (size_t i = 0; i < count && c->loops && c->nest; i++)
        c->loops[i].loop = &g->loops[i];
    c->loop_count = c->loops && c->nest ? count : 0;
    return c->loop_count == count;
}

static enum pilgrim_status open_classes(struct pilgrim_cursor *c, const char **problem)
{
    const struct shard *v = c->shard;
    const struct stored_group *g = c->stream.group;
    c->memory_left = v->call_budget;
    bool bounded = memory_fits(&c->memory_left, rules_cursor_bytes(&v->rules, g->sequence));
    c->sequence = g->sequence;
    c->class_count = g->class_count;
    c->classes = calloc(c->class_count + 1, sizeof *c->classes);
    c->own_numbers = malloc((c->class_count + 1) * sizeof *c->own_numbers);
    if (!c->classes || !c->own_numbers || !open_loops(c, g))
        return PILGRIM_NOMEM;
    for (size_t i = 0; i < c->loop_count && bounded; i++) {
        c->classes[g->loops[i].class_index].loop = &c->loops[i];
        bounded = memory_fits(&c->memory_left, rules_cursor_bytes(&v->rules, g->loops[i].body));
    }
    uint64_t own_number = (uint64_t)c->thread << VALUE_THREAD_SHIFT;
    for (uint32_t i = 0; i < c->class_count && bounded; i++) {
        const struct group_class *row = &v->group_classes[g->classes[i]];
        struct value_group_position found;
        *problem = in_no_group;
        if (!value_group_find(v, row, &c->stream, &found))
            return PILGRIM_DAMAGED;
        c->classes[i].class = &v->classes[row->class];
        c->classes[i].value_group = found.value_group;
        c->classes[i].value_group_number = found.number;
        c->classes[i].value_group_size = found.size;
        c->needs_registers |= found.value_group->needs_registers;
        c->has_posted |= found.value_group->has_posted;
        c->follows |= found.value_group->follows;
        c->classes[i].position = found.position;
        c->own_numbers[i] = (int64_t)own_number;
        own_number += !c->classes[i].loop && found.value_group->sequence != 0;
        bounded = memory_fits(&c->memory_left, rules_cursor_bytes(&v->rules, found.value_group->sequence));
    }
    if (!bounded) {
        *problem = v->memory_problem;
        return PILGRIM_LIMIT;
    }
    return rules_cursor_init(&c->structure, &v->rules, g->sequence);
}

/* Opens a cursor over STREAM of V, in SEGMENT. Takes over the hold on V, also if it fails. */
static enum pilgrim_status open_stream(const struct pilgrim_trace *trace, const struct shard *v, uint32_t segment,
                                       uint32_t rank, uint32_t thread, const struct stream_position *stream,
                                       struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    struct pilgrim_cursor *c = calloc(1, sizeof *c);
    if (!c) {
        shard_release(trace, v);
        return trace_no_memory(error);
    }
    atomic_fetch_add_explicit(&cursors_open, 1, memory_order_relaxed);
    *c = (struct pilgrim_cursor){.trace = trace,
                                 .shard = v,
                                 .stream = *stream,
                                 .rank = rank,
                                 .thread = thread,
                                 .segment = segment,
                                 .caller.rank = rank,
                                 .generation = 1,
                                 .unzipped_budget = IN_PLACE_BYTES_MAX,
                                 .registers.limit = v->call_budget,
                                 .begun.limit = v->call_budget};
    const char *problem = NULL;
    enum pilgrim_status status = open_classes(c, &problem);
    if (status != PILGRIM_OK) {
        rank_error(v, rank, status, problem, error);
        pilgrim_cursor_close(c);
        return status;
    }
    *cursor = c;
    return PILGRIM_OK;
}

enum pilgrim_status segment_cursor_open(const struct pilgrim_trace *trace, uint32_t segment, uint32_t rank,
                                        uint32_t thread, struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    const struct shard *v;
    struct stream_position stream;
    enum pilgrim_status status = segment_hold(trace, segment, rank, &v, error);
    if (status != PILGRIM_OK)
        return status;
    if (thread_find(v, rank - v->first_rank, thread, &stream))
        return open_stream(trace, v, segment, rank, thread, &stream, cursor, error);
    rank_error(v, rank, PILGRIM_DAMAGED, in_no_group, error);
    shard_release(trace, v);
    return PILGRIM_DAMAGED;
}

/* Returns the first segment from SEGMENT on in which the thread has calls, or the number of segments. */
static uint32_t segment_with(const struct pilgrim_trace *trace, uint32_t segment, uint32_t rank, uint32_t thread)
{
    while (segment < trace->segment_count && segment_is_silent(trace, segment, rank, thread))
        segment++;
    return segment;
}

/* Returns that segment, or the first one that has the thread. */
static uint32_t first_segment(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    uint32_t segment = segment_with(trace, 0, rank, thread);
    if (segment < trace->segment_count)
        return segment;
    for (segment = 0; thread >= segment_threads(trace, segment, rank);)
        segment++;
    return segment;
}

static void set_rank_bases(struct pilgrim_cursor *c, const struct stored_rank_bases *bases)
{
    c->bases = bases->items;
    c->caller.bases = bases->items;
    c->caller.base_count = bases->count;
}

enum pilgrim_status pilgrim_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                        struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    struct stored_rank_bases bases;
    if (cursor)
        *cursor = NULL;
    if (!trace || !cursor)
        return trace_null(error);
    if (thread >= pilgrim_thread_count(trace, rank))
        return trace_error(error, PILGRIM_INVALID, 0, "no thread %u of rank %u", thread, rank);
    enum pilgrim_status status = rank_bases_read(trace, rank, &bases, error);
    if (status == PILGRIM_OK)
        status = segment_cursor_open(trace, first_segment(trace, rank, thread), rank, thread, cursor, error);
    if (status == PILGRIM_OK)
        set_rank_bases(*cursor, &bases);
    else
        free(bases.items);
    if (status == PILGRIM_OK)
        call_times_begin(&(*cursor)->times, trace, rank, thread);
    return status;
}

/* True if the stream has calls of a function. */
static bool stream_calls(const struct shard *v, const struct stored_group *g, const char *function)
{
    for (uint32_t i = 0; i < g->class_count; i++)
        if (strcmp(v->functions[v->classes[v->group_classes[g->classes[i]].class].function].shown.name, function) == 0)
            return true;
    return false;
}

enum pilgrim_status process_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, const char *function,
                                        struct pilgrim_cursor **cursor, struct pilgrim_error *error)
{
    const struct shard *v;
    struct stream_position stream;
    struct stored_rank_bases bases;
    uint32_t segment;
    *cursor = NULL;
    if (rank >= trace->rank_count)
        return trace_error(error, PILGRIM_INVALID, 0, "no rank %u", rank);
    enum pilgrim_status status = process_stream_find(trace, rank, &segment, &v, &stream, error);
    const bool found = status == PILGRIM_OK;
    if (found && !stream_calls(v, stream.group, function)) {
        shard_release(trace, v);
        return PILGRIM_END;
    }
    if (found || status == PILGRIM_END) /* if no segment has calls the first one will do */
        status = rank_bases_read(trace, rank, &bases, error);
    if (status != PILGRIM_OK) {
        shard_release(trace, v);
        return status;
    }
    status = open_stream(trace, v, segment + !found, rank, 0, &stream, cursor, error);
    if (status != PILGRIM_OK) {
        free(bases.items);
        return status;
    }
    (*cursor)->is_process = true;
    set_rank_bases(*cursor, &bases);
    return PILGRIM_OK;
}

enum pilgrim_status cursor_next_segment(struct pilgrim_cursor *c, struct pilgrim_error *error)
{
    struct pilgrim_cursor *next, last;
    uint32_t segment =
        c->is_process ? c->trace->segment_count : segment_with(c->trace, c->segment + 1, c->rank, c->thread);
    if (segment == c->trace->segment_count)
        return PILGRIM_END;
    enum pilgrim_status status = segment_cursor_open(c->trace, segment, c->rank, c->thread, &next, error);
    if (status != PILGRIM_OK)
        return status;
    const struct stored_rank_bases bases = {c->bases, c->caller.base_count};
    set_rank_bases(next, &bases);
    c->bases = NULL;
    next->seq = next->first_seq = c->seq;
    next->identities = c->identities;
    next->tells_loops = c->tells_loops;
    next->times = c->times;
    c->times = (struct call_times){0};
    call_times_leave_segment(&next->times);
    last = *c;
    *c = *next;
    *next = last;
    pilgrim_cursor_close(next);
    return PILGRIM_OK;
}

uint32_t pilgrim_cursor_segment(const struct pilgrim_cursor *c)
{
    return c ? c->segment : 0;
}

void pilgrim_cursor_close(struct pilgrim_cursor *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->class_count && c->classes; i++)
        class_close(&c->classes[i]);
    for (size_t i = 0; i < c->loop_count; i++)
        loop_close(&c->loops[i]);
    rules_cursor_free(&c->structure);
    free(c->classes);
    free(c->own_numbers);
    free(c->loops);
    free(c->nest);
    registers_free(&c->registers);
    begun_free(&c->begun);
    live_free(&c->live);
    call_times_free(&c->times);
    arena_free(&c->once);
    arena_free(&c->arena);
    arena_free(&c->cached);
    free(c->bases);
    shard_release(c->trace, c->shard);
    free(c);
    atomic_fetch_sub_explicit(&cursors_open, 1, memory_order_relaxed);
}
