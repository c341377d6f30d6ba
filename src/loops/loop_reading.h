/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a sequence with a loop forest, run by run, and counts the trips of each of its loops. */
#ifndef PILGRIM_LOOP_READING_H
#define PILGRIM_LOOP_READING_H

#include "loops/loop_bodies.h"

struct run_frame {
    uint32_t position, end;
    uint64_t left; /* repetitions of the symbol at POSITION still to come */
};

/* The runs of a sequence. */
struct run_cursor {
    const struct rules *rules;
    struct run_frame *stack; /* the caller frees it */
    uint32_t depth;
    uint64_t terminal, count; /* the next run; count 0: none */
};

/* Begins at symbol START of the start rule of R, which exists. False: no memory. */
bool run_cursor_init(struct run_cursor *c, const struct rules *r, uint32_t start);

/* Finds the next run; equal neighbours are one run. False at the end. */
bool run_cursor_next(struct run_cursor *c, uint32_t *terminal, uint64_t *count);

/* Reads the grammar R with F, which has all of its terminals. *STATES: by node, to be freed by loop_states_free, also
 * after an error. *COMPLETE false: the sequence has too many runs, or trips have more than MOST runs.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status loop_read(const struct rules *r, const struct loop_forest *f, uint64_t most,
                              struct loop_state **states, bool *complete) PILGRIM_CHECKED;
void loop_states_free(struct loop_state *states, const struct loop_forest *f); /* NULL is legal */

#endif
