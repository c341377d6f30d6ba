/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops around a call, and the iterations that it is in. */
#ifndef PILGRIM_DIFF_LOOPS_AROUND_H
#define PILGRIM_DIFF_LOOPS_AROUND_H

#include "diff_side.h"

enum { LOOPS_AROUND_MAX = 3 };

struct loop_around {
    uint32_t kind;      /* the call that begins an iteration */
    uint64_t iteration; /* from 1 */
};

/* Sets LOOPS to the loops around the call at AT in the structure of GROUP, the outermost first, of the innermost
 * LOOPS_AROUND_MAX. Returns how many there are; 0 also if finding them takes long. */
unsigned loops_around(const struct side_group *group, const struct call_kinds *kinds, uint64_t at,
                      struct loop_around loops[LOOPS_AROUND_MAX]);

/* A loop of a structure. */
struct diff_loop {
    uint32_t kind;            /* the call that begins an iteration */
    uint32_t depth;           /* how many loops are around it */
    uint64_t entered;         /* how often */
    uint64_t total, min, max; /* iterations */
};

/* Sets *LOOPS to the loops of a structure, in the order in which they come first; to be freed. Returns how many there
 * are; 0 also if finding them takes long. */
size_t loops_of(const struct side_group *group, const struct call_kinds *kinds, struct diff_loop **loops);

/* The same of what NEST has counted, which counts no more then. KINDS: by class of the nest. */
struct nest;
size_t loops_of_nest(struct nest *nest, const uint32_t *kinds, struct diff_loop **loops);

#endif
