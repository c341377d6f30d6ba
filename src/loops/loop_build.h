/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of building a loop forest, shared by loop_forest.c and loop_branches.c. */
#ifndef PILGRIM_LOOP_BUILD_H
#define PILGRIM_LOOP_BUILD_H

#include "loops/loop_cuts.h"
#include "loops/loop_forest.h"

/* The transitions into one component of a loop. A component is known by its index in the order of the components. */
struct loop_element {
    uint64_t visits; /* transitions into it from other components, and from outside the loop */
    uint32_t before; /* the smallest earlier component that it follows, within an iteration; UINT32_MAX: none */
    uint32_t behind; /* the smallest later component that it follows, across iterations; UINT32_MAX: none */
    bool begins;     /* a visit to the loop may begin with it */
};

/* Consecutive components that become one element. */
struct loop_piece {
    uint32_t from, to;
    bool is_choice; /* at most one of them comes at a time; else all but the first come only if the first does */
};

/* Loops are numbered when they are met, and analysed in that order. Branches are analysed at once. */
struct loop_build {
    struct loop_regions regions;
    struct loop_forest *forest;
    uint32_t *depth;  /* by node: nesting depth of a loop; 0: a branch */
    uint32_t *sorted; /* working memory for members */
    uint32_t *starts; /* by component of the current region: where its members begin */
    uint32_t element_count;
    struct loop_element *elements;     /* components of the current region */
    struct loop_piece *pieces, *items; /* working memory, an entry a component */
    struct loop_piece *branches;       /* by node: the components of a branch */
    int64_t *conflicts;                /* by item: the last earlier one that is its neighbour somewhere; -1: none */
};

/* Adds the COUNT components of REGION, which is LOOP and is sorted by component, to LOOP as elements. Elements that
 * come only in some iterations are grouped: those that come only if another one does, and those that exclude each
 * other, become loops of their own with one iteration or none. So the two sides of a branch give the same trips, and
 * what is inside a branch gives no trips when it is not taken. ENTRY: component with which visits to the loop begin. */
void loop_branches_add(struct loop_build *b, const struct loop_region *region, uint32_t loop, uint32_t count,
                       uint32_t entry);

#endif
