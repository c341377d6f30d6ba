/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop forest of a sequence: which terminal is in which loop, and in which order.
 *
 * The forest depends only on the transitions, that is, on which terminal follows which. A loop is a strongly connected
 * component of the transitions. Its iterations begin at a chosen terminal, or after one. Without the transitions that
 * begin an iteration, the components of the rest are the elements of the loop, in topological order: terminals and
 * inner loops. So in each iteration some of the elements come, in that order, and any sequence can be read with its
 * forest. A terminal that follows itself is one element with a run, or each of its occurrences begins an iteration.
 * What is in no loop is an element of the root, which has one iteration. */
#ifndef PILGRIM_LOOP_FOREST_H
#define PILGRIM_LOOP_FOREST_H

#include "rules/rules.h"

#define LOOP_DEPTH_MAX 32 /* nesting depth; the terminals of a deeper loop become elements of the loop around it */

/* A node: a terminal or a loop. */
struct loop_node {
    uint32_t parent;     /* the loop that it is an element of; the root is its own parent */
    uint32_t element;    /* its index among the parent's elements */
    uint32_t elements;   /* of a loop: index of its first element in loop_forest.elements, ... */
    uint32_t count;      /* ... and how many elements there are; of a terminal 0 */
    uint32_t entry;      /* of a loop: index of the element that begins every visit; 0 if visits differ */
    uint32_t begin, end; /* its terminals are those with begin <= order < end */
    bool is_single;      /* of a terminal: it has no runs; each occurrence is an iteration of its own */
};

struct loop_forest {
    uint32_t terminal_count;
    uint32_t node_count; /* nodes are the terminals, then the root, then the other loops */
    struct loop_node *nodes;
    uint32_t *elements; /* node numbers, loop by loop */
    uint32_t *order;    /* by terminal: a number; the terminals of a loop have consecutive numbers */
};

/* Builds the forest of the grammar R, which is not empty, over terminals 0 to TERMINAL_COUNT - 1, each of which occurs.
 * O(symbols x depth), with a limit on the number of steps after which no further loops are searched for.
 * errors: PILGRIM_NOMEM, *F is then empty */
enum pilgrim_status loop_forest_build(const struct rules *r, uint32_t terminal_count,
                                      struct loop_forest *f) PILGRIM_CHECKED;

/* Does the same for several sequences: R has all of them, one after another, each with the terminal TERMINAL_COUNT
 * before it, which is not in F. *BUILT false: they do not have one first and one last terminal; *F is empty. */
enum pilgrim_status loop_forest_build_shared(const struct rules *r, uint32_t terminal_count, struct loop_forest *f,
                                             bool *built) PILGRIM_CHECKED;
void loop_forest_free(struct loop_forest *f);

static inline uint32_t loop_forest_root(const struct loop_forest *f)
{
    return f->terminal_count;
}

static inline bool loop_forest_has(const struct loop_forest *f, uint32_t loop, uint32_t terminal)
{
    return f->order[terminal] >= f->nodes[loop].begin && f->order[terminal] < f->nodes[loop].end;
}

#endif
