/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of threads as loops (nest.h): those of threads with equal loops, of equal calls, as one, whatever their
 * trips are. */
#ifndef DECODER_THREAD_LOOPS_H
#define DECODER_THREAD_LOOPS_H

#include <pilgrim/reader.h>

#include "nest.h"

/* A thread of a rank. */
struct shown_thread {
    uint32_t rank, thread;
};

/* The loops of one or more threads. */
struct shown_loops {
    struct nest_item *items;
    const struct pilgrim_class **classes; /* of each item, the list's own; NULL: a loop */
    double *ns;                           /* that all its calls took; 0: not known */
    double *gap_ns;                       /* and that was between the call before and each of them */
    size_t count;
    uint64_t hash;                 /* of what must be equal */
    uint64_t calls_min, calls_max; /* of a thread */
    struct shown_thread *threads;  /* by rank, then by number */
    size_t thread_count, thread_capacity;
};

struct loops_list;

/* NULL: no memory. The trace is to be closed after the list. BY_RANK: some ranks are chosen, and times are to be theirs
 * where the trace has these. */
struct loops_list *loops_new(const struct pilgrim_trace *trace, bool by_rank);
void loops_free(struct loops_list *l); /* NULL is legal */

/* Adds a thread, whose calls are walked twice, unless they are known to be those of one before. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status loops_add(struct loops_list *l, uint32_t rank, uint32_t thread, struct pilgrim_error *error);

/* The I-th ones, in the order in which they were first added; NULL behind the last. */
const struct shown_loops *loops_shown(const struct loops_list *l, size_t i);

#endif
