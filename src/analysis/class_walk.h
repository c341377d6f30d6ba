/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives the calls of a thread to a nest (nest.h), class by class. What its grammar repeats is given a few times, and
 * counted as often as it comes; so the time is that of the grammar, not of the calls. */
#ifndef ANALYSIS_CLASS_WALK_H
#define ANALYSIS_CLASS_WALK_H

#include <pilgrim/reader.h>

#include "analysis/loop_classes.h"
#include "analysis/nest.h"

struct class_walk;

/* Opens a walk before the first call of a thread, that gives NEST the classes of SEEN, both borrowed. SEEN is what
 * loop_classes_read has of the thread. errors: as pilgrim_cursor_open */
enum pilgrim_status class_walk_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                    const struct loop_classes *seen, struct nest *nest, struct class_walk **walk,
                                    struct pilgrim_error *error) PILGRIM_CHECKED;
void class_walk_close(struct class_walk *w); /* NULL is legal */

/* Gives all calls to nest_see. errors: as pilgrim_cursor_next */
enum pilgrim_status class_walk_see(struct class_walk *w, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Gives the calls before call END to nest_count, and counts them in SEEN; each only once. PILGRIM_END: there are not so
 * many. errors: as pilgrim_cursor_next */
enum pilgrim_status class_walk_count(struct class_walk *w, uint64_t end, struct pilgrim_error *error) PILGRIM_CHECKED;

/* What is looked for among calls. It is known from the nest, after each call. */
struct class_goal {
    void *context;
    bool (*reached)(void *context);   /* by the call that was counted last */
    uint64_t (*calls)(void *context); /* so many more calls of the same class do surely not reach it */
    /* `mark` fills in NOW, VALUES numbers. `stretches` returns how many more stretches of calls do surely not reach the
     * goal, like those since BEFORE was filled in, which did not. */
    size_t values;
    void (*mark)(void *context, uint64_t *now);
    uint64_t (*stretches)(void *context, const uint64_t *before);
};

/* Goes on to the first call that reaches GOAL, and sets *SEQ to it. PILGRIM_END: there is none. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status class_walk_find(struct class_walk *w, const struct class_goal *goal, uint64_t *seq,
                                    struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
