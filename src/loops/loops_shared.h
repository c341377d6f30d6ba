/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that several sequences share: one structure for all of them, and for each sequence its own trips.
 *
 * The forest comes from the transitions of all sequences together, so a call that only some of them make, or make in
 * some iterations, is a loop with one trip or none in all of them. */
#ifndef PILGRIM_LOOPS_SHARED_H
#define PILGRIM_LOOPS_SHARED_H

#include "loops/loops.h"

struct loops_shared {
    struct loops loops;     /* their structure; the trips are those of all sequences, one after another */
    uint32_t *order;        /* by terminal: its place in the order of the structure */
    struct loops_loop *own; /* the trips of each sequence, without bodies: LOOPS.count for each */
    uint32_t sequences;
};

/* Finds the loops of COUNT serialised grammars, at least one, over terminals 0 to TERMINAL_COUNT - 1, each of which
 * occurs in one of them. *FOUND false: no grammars, too many runs, or they do not all begin with one terminal and end
 * with one. Whether loops pay is not known. The caller frees *S in any case. errors: PILGRIM_NOMEM */
enum pilgrim_status loops_find_shared(const struct bytes *grammars, uint32_t count, uint32_t terminal_count,
                                      struct loops_shared *s, bool *found) PILGRIM_CHECKED;
void loops_shared_free(struct loops_shared *s);

#endif
