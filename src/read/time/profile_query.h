/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a class in a shard that has a profile. */
#ifndef PILGRIM_PROFILE_QUERY_H
#define PILGRIM_PROFILE_QUERY_H

#include "read/cursor/cursor.h"

/* As pilgrim_durations, pilgrim_gaps and pilgrim_class_before. */
enum pilgrim_status profile_durations(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                      struct pilgrim_statistic *statistic) PILGRIM_CHECKED;
enum pilgrim_status profile_gaps(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                 uint64_t before, struct pilgrim_statistic *statistic) PILGRIM_CHECKED;
enum pilgrim_status profile_class_before(const struct pilgrim_cursor *c, size_t class_number, uint64_t signatures,
                                         uint64_t *before) PILGRIM_CHECKED;

#endif
