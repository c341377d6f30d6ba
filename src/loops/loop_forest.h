/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of a sequence: which terminal stands in which loop, and where.
 *
 * The forest is made from nothing but the transitions, which terminal follows which one: a loop is a strongly connected
 * component of them. Where a loop's iterations begin is chosen (at one terminal, or after one), the transitions into a
 * new iteration are left out, and the components of what is left are its elements, in topological order: terminals and
 * inner loops. So in each iteration some of the elements come, in that order, and whatever the sequence is, it can be
 * read that way. A terminal that follows itself is one element, with its run, or begins a iteration. What is not in a
 * loop is an element of the root, which has one iteration. */
#ifndef PILGRIM_LOOP_FOREST_H
#define PILGRIM_LOOP_FOREST_H

#include "rules/rules.h"

#define LOOP_DEPTH_MAX 32 /* of loops in loops; the terminals in a deeper one are elements of the one around it */

/* A terminal or a loop. */
struct loop_node {
    uint32_t parent;   /* the loop that it is an element of; the root's is the root */
    uint32_t element;  /* there */
    uint32_t elements; /* of a loop: its first one in loop_forest's ... */
    uint32_t count;    /* ... and how many; of a terminal 0 */
    uint32_t entry; /* of a loop: the place of the element that all visits to it begin with; 0 if that is not known */
    uint32_t begin, end; /* the terminals in it, by their order */
    bool is_single;      /* of a terminal: it has no runs, each time is a iteration of its own */
};

struct loop_forest {
    uint32_t terminal_count;
    uint32_t node_count; /* terminals, then the root, then the other loops */
    struct loop_node *nodes;
    uint32_t *elements; /* nodes */
    uint32_t *order;    /* terminal -> number; those of a loop are consecutive */
};

/* The forest of the grammar R, which is not empty, over terminals 0 to TERMINAL_COUNT - 1, each of which occurs.
 * O(symbols x depth), bounded by a number of steps after which no further loops are looked for.
 * errors: PILGRIM_NOMEM, *F is then empty */
enum pilgrim_status loop_forest_build(const struct rules *r, uint32_t terminal_count,
                                      struct loop_forest *f) PILGRIM_CHECKED;
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
