/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the structure group of a stream, and its value group in a class; see streams.h. */
#include "read/table/streams.h"

#include <string.h>

#include "read/table/columns.h"
#include "read/table/member_index.h"

static uint64_t threads_before(const struct shard *v, uint64_t rank)
{
    return (uint64_t)column_value(v, v->threads, rank, 0);
}

uint64_t thread_count(const struct shard *v, uint32_t rank)
{
    return threads_before(v, (uint64_t)rank + 1) - threads_before(v, rank);
}

static bool stream_find(const struct shard *v, const struct member_index *index, uint64_t stream,
                        struct stream_position *at)
{
    const struct member_set *set = member_index_find(v, index, stream, &at->member);
    at->group = set ? &v->groups[set->number] : NULL;
    return set != NULL;
}

bool process_find(const struct shard *v, uint32_t rank, struct stream_position *at)
{
    return stream_find(v, &v->processes, rank, at);
}

bool thread_find(const struct shard *v, uint32_t rank, uint32_t thread, struct stream_position *at)
{
    return stream_find(v, &v->thread_groups, threads_before(v, rank) + thread, at);
}

bool value_group_find(const struct shard *v, const struct group_class *class, const struct stream_position *member,
                      struct value_group_position *at)
{
    if (class->partition == 0) {
        *at = (struct value_group_position){&class->value_groups[0], 0, member->member,
                                            column_size(member->group->members)};
        return true;
    }
    uint64_t position;
    const struct member_set *set =
        member_index_find(v, &v->partitions[class->partition - 1], member->member, &position);
    if (set)
        *at = (struct value_group_position){&class->value_groups[set->number], set->number, position, set->size};
    return set != NULL;
}

bool class_is_loop(const struct shard *v, uint32_t class)
{
    return v->functions[v->classes[v->group_classes[class].class].function].is_loop;
}
