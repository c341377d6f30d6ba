/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses where the iterations of a loop begin. Used only to build loop forests (loop_forest.c).
 *
 * A region is a set of terminals; they are consecutive in `members`. */
#ifndef PILGRIM_LOOP_CUTS_H
#define PILGRIM_LOOP_CUTS_H

#include "loops/transitions.h"

/* A cut: the iterations of a region begin at the terminal HEAD, or after the terminal TAIL; UINT32_MAX: no such
 * terminal. */
struct loop_cut {
    uint32_t head, tail;
};

/* Working memory. Each array has an entry for each terminal. */
struct loop_regions {
    struct transitions transitions;
    uint32_t *members;                         /* terminals, region after region */
    uint32_t *region;                          /* by terminal: its region */
    uint32_t *order;                           /* by terminal: index of its component in the order found last */
    uint32_t *index, *low, *at, *stack, *path; /* of the search for components */
    int64_t *skips;  /* by component: iterations without it, minus iterations without the component before it */
    uint32_t *sizes; /* by component: number of its terminals */
    uint64_t steps;  /* transitions examined so far */
};

struct loop_region {
    uint32_t number;
    uint32_t begin, end; /* range in `members` */
};

/* Finds the strongly connected components of a region without the transitions that begin an iteration. Returns their
 * number, and sets each member's order to the index of its component in topological order. */
uint32_t loop_components(struct loop_regions *w, const struct loop_region *region, struct loop_cut cut);

/* Estimates the bits that the iterations of a region cost if they are read in the current order of its COUNT
 * components. *ENTRY: the component that begins every visit, if there are several visits and they agree, else 0. *EXIT:
 * the component that ends every visit, else COUNT - 1. */
uint64_t loop_cut_cost(struct loop_regions *w, const struct loop_region *region, uint32_t count, uint32_t *entry,
                       uint32_t *exit);

/* Chooses the best cut of a strongly connected region and sets its members' orders. Returns the number of components.
 * *ENTRY: as in loop_cut_cost. */
uint32_t loop_cut_choose(struct loop_regions *w, const struct loop_region *region, uint32_t *entry);

#endif
