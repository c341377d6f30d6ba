/* SPDX-License-Identifier: BSD-3-Clause */
/* What an opened trace tells without decoding a call: ranks, threads, calls, properties, groups, classes. */
#include <string.h>

#include "base/error_classes.h"
#include "read/cursor/cursor.h"
#include "read/cursor/loop_counts.h"
#include "read/table/columns.h"
#include "read/table/trace_error.h"

uint32_t pilgrim_rank_count(const struct pilgrim_trace *t)
{
    return t ? t->rank_count : 0;
}

uint32_t pilgrim_segment_count(const struct pilgrim_trace *t)
{
    return t ? t->segment_count : 0;
}

uint32_t pilgrim_thread_count(const struct pilgrim_trace *t, uint32_t rank)
{
    uint32_t most = 0;
    for (uint32_t segment = 0; t && segment < t->segment_count && rank < t->rank_count; segment++) {
        uint32_t threads = segment_threads(t, segment, rank);
        most = threads > most ? threads : most;
    }
    return most;
}

/* Counts the calls of a thread in SEGMENT, which has it. False: the thread is damaged. */
static bool count_calls(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, uint32_t thread,
                        uint64_t *count)
{
    const struct shard *v;
    struct stream_position at;
    if (segment_hold(t, segment, rank, &v, NULL) != PILGRIM_OK)
        return false;
    bool good = thread_find(v, rank - v->first_rank, thread, &at);
    if (good && at.group->loop_count > 0)
        good = loops_call_count(t, segment, rank, thread, count);
    else if (good)
        *count = at.group->calls;
    shard_release(t, v);
    return good;
}

uint64_t pilgrim_call_count(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread)
{
    uint64_t sum = 0, count;
    for (uint32_t segment = 0; t && segment < t->segment_count && rank < t->rank_count; segment++) {
        if (segment_is_silent(t, segment, rank, thread))
            continue;
        if (!count_calls(t, segment, rank, thread, &count))
            return 0;
        sum += count;
    }
    return sum;
}

bool pilgrim_property_at(const struct pilgrim_trace *t, size_t i, const char **key, const char **value)
{
    if (!t || !key || !value || i >= t->property_count)
        return false;
    *key = t->properties[i][0];
    *value = t->properties[i][1];
    return true;
}

const char *pilgrim_property(const struct pilgrim_trace *t, const char *key)
{
    const char *found, *value;
    for (size_t i = 0; key && pilgrim_property_at(t, i, &found, &value); i++)
        if (strcmp(found, key) == 0)
            return value;
    return NULL;
}

const char *pilgrim_error_name(const struct pilgrim_trace *t, int64_t code)
{
    return error_class_name(pilgrim_property(t, "library"), code);
}

enum pilgrim_status pilgrim_thread_group(const struct pilgrim_trace *t, uint32_t rank, uint32_t thread, uint32_t *group,
                                         struct pilgrim_error *error)
{
    const struct shard *v;
    struct stream_position at;
    if (!t || !group)
        return trace_null(error);
    if (rank >= t->rank_count || thread >= segment_threads(t, 0, rank))
        return trace_error(error, PILGRIM_INVALID, 0, "no thread %u of rank %u", thread, rank);
    enum pilgrim_status status = segment_hold(t, 0, rank, &v, error);
    if (status != PILGRIM_OK)
        return status;
    if (thread_find(v, rank - v->first_rank, thread, &at))
        *group = v->first_group + (uint32_t)(at.group - v->groups);
    else
        status = trace_error(error, PILGRIM_DAMAGED, 0, "thread %u of rank %u is in no group", thread, rank);
    shard_release(t, v);
    return status;
}

void pilgrim_thread_info(const struct pilgrim_cursor *c, struct pilgrim_thread_info *info)
{
    if (!info)
        return;
    *info = (struct pilgrim_thread_info){0};
    if (!c)
        return;
    const struct stored_group *g = c->stream.group;
    *info = (struct pilgrim_thread_info){.structure_group = c->shard->first_group + (uint32_t)(g - c->shard->groups),
                                         .structure_group_size = column_size(g->members),
                                         .class_count = g->class_count,
                                         .loop_count = g->loop_count,
                                         .structure = g->sequence};
}

enum pilgrim_status pilgrim_class_info(const struct pilgrim_cursor *c, size_t class_number,
                                       struct pilgrim_class_info *info)
{
    if (!c || !info)
        return PILGRIM_INVALID;
    const struct stored_group *g = c->stream.group;
    if (class_number >= g->class_count)
        return PILGRIM_INVALID;
    const struct class_state *state = &c->classes[class_number];
    *info = (struct pilgrim_class_info){.class_ = &state->class->shown,
                                        .value_group = state->value_group_number,
                                        .value_group_size = state->value_group_size,
                                        .signature_count = state->value_group->call_count_limit,
                                        .values = state->value_group->sequence};
    for (uint32_t i = 0; i < g->loop_count; i++)
        if (g->loops[i].class_index == class_number)
            info->body = g->loops[i].body;
    return PILGRIM_OK;
}
