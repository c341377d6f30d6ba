/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits by loop and iteration. Loops are numbered as thread_loops.h does, and iterations count from 1 each time that
 * the loop is entered, so that a selection (loop, iteration) finds what is said here. Memory grows with threads and
 * their loops, not with iterations. */
#ifndef ANALYSIS_LOOP_WAITS_H
#define ANALYSIS_LOOP_WAITS_H

#include <pilgrim/reader.h>

enum { LOOP_WORST = 3 };

/* An iteration, with all that its thread waited in it. */
struct loop_iteration {
    uint64_t iteration; /* since the loop was entered, from 1 */
    uint64_t seq;       /* the first call in it that waited */
    uint64_t ns, error_ns;
};

/* The waits of one thread in one of its loops, with the loops inside. */
struct loop_row {
    uint32_t rank, thread;
    size_t loop, parent;               /* from 1; 0: it is in no other */
    const struct pilgrim_class *first; /* the call that begins an iteration; until loop_waits_free; NULL: not known */
    uint64_t entries, iterations;      /* how often it was entered, and its iterations over all entries */
    uint64_t waits;                    /* calls that waited */
    uint64_t total_ns, error_ns;
    double slope_ns;       /* by how much the wait grows from one iteration to the next, by least squares over all
                            * iterations, in their order; also those without waits. 0 if there are less than 3 */
    double slope_error_ns; /* twice its standard error, and what it may change by the clocks' errors */
    struct loop_iteration worst[LOOP_WORST];
    size_t worst_count;
};

struct loop_waits;

/* Returns an empty one. TRACE is borrowed until loop_waits_end. NULL: no memory */
struct loop_waits *loop_waits_new(const struct pilgrim_trace *trace);
void loop_waits_free(struct loop_waits *l); /* NULL is legal */

/* Counts a wait of call SEQ. Those of a thread come in the order of its calls. false: no memory. Other errors are kept
 * for loop_waits_end. */
bool loop_waits_add(struct loop_waits *l, uint32_t rank, uint32_t thread, uint64_t seq, uint64_t ns, uint64_t error_ns);

/* Sets *ROWS to all loops of all threads, sorted by loop, its first call, its parent, then rank and thread; until
 * loop_waits_free. After an error they are those of threads that could be read. errors: as pilgrim_cursor_next */
enum pilgrim_status loop_waits_end(struct loop_waits *l, const struct loop_row **rows, size_t *count,
                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* True if both rows are of what is shown as one loop. */
bool loop_rows_alike(const struct loop_row *a, const struct loop_row *b);

#endif
