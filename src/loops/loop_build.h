/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that make a loop forest share. */
#ifndef PILGRIM_LOOP_BUILD_H
#define PILGRIM_LOOP_BUILD_H

#include "loops/loop_cuts.h"
#include "loops/loop_forest.h"

/* What is known of a place in the order of a loop's components. */
struct loop_element {
    uint64_t visits; /* from elsewhere */
    uint32_t before; /* the first place before it that it follows in a iteration */
    uint32_t behind; /* the first place behind it that it follows, in the next iteration; UINT32_MAX: none */
    bool begins;     /* it may be what a visit begins with */
};

/* Some elements of a loop that become one: consecutive places. */
struct loop_piece {
    uint32_t from, to;
    bool is_choice; /* of which one comes at most; else all but the first come only if that does */
};

/* Loops are numbered when they are met, and looked into in this order; but branches at once. */
struct loop_build {
    struct loop_regions regions;
    struct loop_forest *forest;
    uint32_t *depth;  /* of loops, by node; 0: a branch */
    uint32_t *sorted; /* room for members */
    uint32_t *starts; /* where the places of the region that is looked into begin, in its members */
    uint32_t element_count;
    struct loop_element *elements;     /* of that region */
    struct loop_piece *pieces, *items; /* room for as many as there are places */
    struct loop_piece *branches;       /* of that region: by node */
    int64_t *conflicts;                /* of items */
};

/* Adds the components of REGION, which is LOOP and is sorted by COUNT places, to it as elements. What comes only in
 * some iterations is put together: elements that come only where another one does, and elements of which only one comes
 * at a time, are loops of their own that go around once or not at all. So two sides of a branch say the same, and what
 * is inside says nothing when the branch is not taken. ENTRY: as for the loop. */
void loop_branches_add(struct loop_build *b, const struct loop_region *region, uint32_t loop, uint32_t count,
                       uint32_t entry);

#endif
