/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the loops of threads (nest.h) and groups the threads: those with equal loops of equal calls are shown as one,
 * whatever their trips are. */
#ifndef ANALYSIS_THREAD_LOOPS_H
#define ANALYSIS_THREAD_LOOPS_H

#include <pilgrim/reader.h>

#include "analysis/nest.h"

/* A thread of a rank. */
struct shown_thread {
    uint32_t rank, thread;
};

/* The loops of one or more threads, as they are shown. */
struct shown_loops {
    struct nest_item *items;
    const struct pilgrim_class **classes; /* by item; owned by the list; NULL for a loop */
    double *ns;                           /* by item: the time of all its calls; 0: not known */
    double *gap_ns;                       /* by item: the sum of the gaps before them */
    size_t count;
    uint64_t hash;                 /* of what must be equal in all threads */
    uint64_t calls_min, calls_max; /* of one thread */
    struct shown_thread *threads;  /* sorted by rank, then by number */
    size_t thread_count, thread_capacity;
};

struct loops_list;

/* Returns an empty list for TRACE, which is to be closed after the list. BY_RANK: some ranks are chosen, and times are
 * to be those of these ranks where the trace has them. NULL: no memory. */
struct loops_list *loops_new(const struct pilgrim_trace *trace, bool by_rank);
void loops_free(struct loops_list *l); /* NULL is legal */

/* Adds a thread. Its calls are read twice, unless an earlier thread is known to have the same. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status loops_add(struct loops_list *l, uint32_t rank, uint32_t thread, struct pilgrim_error *error);

/* Returns the I-th loops, in the order in which they were first added; NULL behind the last. */
const struct shown_loops *loops_shown(const struct loops_list *l, size_t i);

#endif
