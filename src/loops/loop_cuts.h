/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a loop's iterations may begin: the inside of loop_forest.c. A region is a set of terminals, consecutive in
 * `members`. */
#ifndef PILGRIM_LOOP_CUTS_H
#define PILGRIM_LOOP_CUTS_H

#include "loops/transitions.h"

/* A region's iterations begin at HEAD, or after TAIL; UINT32_MAX: no such terminal. */
struct loop_cut {
    uint32_t head, tail;
};

/* Working memory; each array has an entry for each terminal. */
struct loop_regions {
    struct transitions transitions;
    uint32_t *members;                         /* terminals, region by region */
    uint32_t *region;                          /* terminal -> the region that it is in */
    uint32_t *order;                           /* terminal -> of its component in the order found last */
    uint32_t *index, *low, *at, *stack, *path; /* of the search for components */
    int64_t *skips;  /* of the component in a place: in how many iterations more than the one before it does not come */
    uint32_t *sizes; /* of the component in a place: terminals */
    uint64_t steps;  /* transitions looked at so far */
};

struct loop_region {
    uint32_t number;
    uint32_t begin, end; /* of members */
};

/* The strongly connected components of a region without the transitions that begin a iteration: how many there are.
 * Sets the members' places to theirs, in topological order. */
uint32_t loop_components(struct loop_regions *w, const struct loop_region *region, struct loop_cut cut);

/* What a region's iterations would cost, in bits, about, read in the order of the COUNT places that are set. *ENTRY:
 * the place that all visits, if there are several, begin with, else 0; *EXIT: the one that all end with, or COUNT - 1.
 */
uint64_t loop_cut_cost(struct loop_regions *w, const struct loop_region *region, uint32_t count, uint32_t *entry,
                       uint32_t *exit);

/* Sets the members' places in the best order found for a region that is strongly connected: how many there are. */
uint32_t loop_cut_choose(struct loop_regions *w, const struct loop_region *region, uint32_t *entry);

#endif
