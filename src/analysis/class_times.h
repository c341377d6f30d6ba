/* SPDX-License-Identifier: BSD-3-Clause */
/* What the profile says of the call classes of a thread, in the segment that is read. Classes with the same function
 * and call site, such as failed polls and other polls, are one here. */
#ifndef ANALYSIS_CLASS_TIMES_H
#define ANALYSIS_CLASS_TIMES_H

#include <pilgrim/reader.h>

#include "analysis/key_table.h"

struct class_time {
    const struct pilgrim_class *class;
    size_t row;                               /* for the user: a number of its own */
    uint64_t calls;                           /* for the user: how many calls it counted */
    size_t number;                            /* of the class, or of the last of those that are one here */
    bool timed;                               /* durations and gaps were asked for, and are known */
    struct pilgrim_statistic durations, gaps; /* of the calls of its value group */
    struct pilgrim_rank_class rank;           /* of the calls on the thread's rank, if that has no other thread */
};

/* All zero: empty. */
struct classes_timed {
    struct class_time *classes;
    size_t count, capacity;
    struct key_table index; /* indices into `classes`, by class */
};

/* Fills in the classes of the segment that CURSOR is in. TIMES: also what the profile says of them; ALONE: the thread
 * is the only one of its rank. errors: as pilgrim_durations, PILGRIM_NOMEM */
enum pilgrim_status class_times_begin(struct classes_timed *t, const struct pilgrim_cursor *cursor, bool times,
                                      bool alone, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the entry of CLASS; NULL: the segment has no such class. */
struct class_time *class_times_find(const struct classes_timed *t, const struct pilgrim_class *class);

void class_times_free(struct classes_timed *t);

#endif
