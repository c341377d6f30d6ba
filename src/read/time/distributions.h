/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a class: what the public functions ask for, and statistics of version 5. */
#ifndef PILGRIM_DISTRIBUTIONS_H
#define PILGRIM_DISTRIBUTIONS_H

#include "read/cursor/cursor.h"

/* The calls of a class whose times are asked for. */
struct calls_asked {
    const struct group_class *class;
    struct value_group_position value_group;
};

/* Finds the calls that the arguments of pilgrim_durations name.
 * errors: as pilgrim_durations */
enum pilgrim_status calls_find(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                               struct calls_asked *asked) PILGRIM_CHECKED;

/* Adds the statistics of CLASS to ALL. V has no profile. */
void statistics_of_class(const struct shard *v, uint32_t class, struct pilgrim_class_profile *all);

#endif
