/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the loops of threads (nest.h) and groups the threads: those with equal loops of equal calls are shown as one,
 * whatever their trips are. */
#ifndef ANALYSIS_THREAD_LOOPS_H
#define ANALYSIS_THREAD_LOOPS_H

#include <pilgrim/reader.h>

#include "analysis/nest.h"
#include "analysis/phase_texts.h"

/* A thread of a rank. */
struct shown_thread {
    uint32_t rank, thread;
};

/* The loops of one or more threads, as they are shown. */
struct shown_loops {
    struct nest_item *items;
    const struct pilgrim_class **classes; /* by item; owned by the list; NULL for a loop */
    double *ns;                           /* by item: the time of all its calls; 0: not known, or of MPI_Finalize */
    double *gap_ns;                       /* by item: the sum of the gaps before them */
    struct phase_texts *phases;           /* by item: of markers; owned by the list; NULL: there are none */
    size_t count;
    uint64_t hash;                 /* of what must be equal in all threads */
    uint64_t calls_min, calls_max; /* of one thread */
    struct shown_thread *threads;  /* sorted by rank, then by number */
    size_t thread_count, thread_capacity;
};

struct loops_list;

/* Where the calls of one thread are in its loops, which are numbered from 1 in the order of its items. Calls from one
 * place that come one directly behind the other are a loop, too; these are numbered behind all others. */
struct loop_places;

/* Finds the loops of a thread from its grammar, without the calls' values. errors: as pilgrim_cursor_next */
enum pilgrim_status loop_places_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                     struct loop_places **places, struct pilgrim_error *error);
void loop_places_close(struct loop_places *p); /* NULL is legal */

size_t loop_places_count(const struct loop_places *p);

/* Returns the most iterations that LOOP, from 1, has in one go; 0: there is no such loop. */
uint64_t loop_places_most(const struct loop_places *p, size_t loop);

/* A loop of a thread. */
struct loop_shape {
    size_t parent;                     /* the loop around it; 0: none */
    uint64_t entries, iterations;      /* how often it is entered, and its iterations over all entries */
    const struct pilgrim_class *first; /* the call that begins an iteration; borrowed until loop_places_close */
};

/* Returns false if there is no LOOP, from 1. */
bool loop_places_shape(const struct loop_places *p, size_t loop, struct loop_shape *shape);

/* Returns how many iterations of LOOP, which is there, came before it was entered last, as of loop_places_find. */
uint64_t loop_places_before(const struct loop_places *p, size_t loop);

/* Sets *ITERATION to the iteration of LOOP, from 1, that call SEQ is in, since the loop was entered; 0: it is not in
 * it. SEQ must not be below that of the last time. errors: as pilgrim_cursor_next */
enum pilgrim_status loop_places_find(struct loop_places *p, size_t loop, uint64_t seq, uint64_t *iteration,
                                     struct pilgrim_error *error);

/* Iterations that are looked for: of these loops. */
struct loop_wish {
    const size_t *loops;
    size_t count;
    void *context;
    uint64_t (*from)(void *context, uint64_t iteration); /* the first one from there on; UINT64_MAX: there is none */
};

/* Sets *SEQ to the first call from AT on that is in one of them. AT must be behind what was found, and what was asked
 * of loop_places_find, the last time. PILGRIM_END: there is none. errors: as pilgrim_cursor_next */
enum pilgrim_status loop_places_next(struct loop_places *p, uint64_t at, const struct loop_wish *wish, uint64_t *seq,
                                     struct pilgrim_error *error);

/* Returns an empty list for TRACE, which is to be closed after the list. BY_RANK: some ranks are chosen, and times are
 * to be those of these ranks where the trace has them; so calls with times are read once more. NULL: no memory. */
struct loops_list *loops_list_new(const struct pilgrim_trace *trace, bool by_rank);
void loops_list_free(struct loops_list *l); /* NULL is legal */

/* Adds a thread: from its grammar, unless an earlier thread is known to have the same calls. errors: as
 * pilgrim_cursor_next */
enum pilgrim_status loops_list_add(struct loops_list *l, uint32_t rank, uint32_t thread, struct pilgrim_error *error);

/* Returns the I-th loops, in the order in which they were first added; NULL behind the last. */
const struct shown_loops *loops_list_shown(const struct loops_list *l, size_t i);

#endif
