/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of threads that are compared call by call: their grammars do not say all, so the calls are gone through.
 * Loops are those of the calls, whatever loops are stored. */
#ifndef PILGRIM_DIFF_WALKED_LOOPS_H
#define PILGRIM_DIFF_WALKED_LOOPS_H

#include "loops_around.h"

/* A thread of a trace, and how far its loops were counted. All 0: none yet. */
struct walked_loops {
    uint32_t rank, thread;
    uint64_t runs; /* that were passed over, of all threads */
    struct pilgrim_cursor *cursor;
    struct nest *nest;
    uint32_t *taken; /* by class of the nest: its number for call_kinds_of */
    size_t class_count, class_capacity;
    uint32_t *class_of; /* by class of the segment: that of the nest; or one that does not count */
    uint32_t segment;
    uint32_t class;      /* the run that the cursor has passed over last, of the nest */
    uint64_t left, seen; /* its calls that are not counted; and all calls that are */
};

/* As loops_around and loops_of (loops_around.h), of a thread of S: around its call SEQ. 0 also if there is no memory,
 * or after 2^23 runs in all. Calls in ascending order cost one way through the thread. */
unsigned walked_loops_around(struct walked_loops *w, const struct diff_side *s, uint32_t rank, uint32_t thread,
                             uint64_t seq, struct loop_around loops[LOOPS_AROUND_MAX]);
size_t walked_loops_of(struct walked_loops *w, const struct diff_side *s, uint32_t rank, uint32_t thread,
                       struct diff_loop **loops);

void walked_loops_free(struct walked_loops *w);

#endif
