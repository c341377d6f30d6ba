/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: finds the structure group of a thread, and its value group in a class. */
#ifndef PILGRIM_STREAMS_H
#define PILGRIM_STREAMS_H

#include "read/table/shard.h"

/* A stream: a rank's process stream, or one of its threads. */
struct stream_position {
    const struct stored_group *group;
    uint64_t member; /* its index among the members of the group */
};

/* Returns the number of threads of RANK, a rank of the shard. */
uint64_t thread_count(const struct shard *v, uint32_t rank);

/* Finds the process stream of RANK, or its thread THREAD, which is below thread_count. False: the stream is in no
 * group, which is damage. */
bool process_find(const struct shard *v, uint32_t rank, struct stream_position *at);
bool thread_find(const struct shard *v, uint32_t rank, uint32_t thread, struct stream_position *at);

/* Where a member stands in the value groups of a class. */
struct value_group_position {
    const struct stored_value_group *value_group;
    uint32_t number;   /* of the value group in its class */
    uint64_t position; /* of the member in the value group: what columns take */
    uint64_t size;     /* members of the value group */
};

/* Finds the value group of MEMBER in CLASS, a class of its group. False: it is in none, which is damage. */
bool value_group_find(const struct shard *v, const struct group_class *class, const struct stream_position *member,
                      struct value_group_position *at);

/* True if group class CLASS is a loop, and no function that was called. */
bool class_is_loop(const struct shard *v, uint32_t class);

#endif
