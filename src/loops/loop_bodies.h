/* SPDX-License-Identifier: BSD-3-Clause */
/* The trips of the nodes of a loop forest, which loops.c counts, and the loops that loop_bodies.c makes of them. */
#ifndef PILGRIM_LOOP_BODIES_H
#define PILGRIM_LOOP_BODIES_H

#include "loops/loop_forest.h"
#include "loops/loops.h"

/* A sequence of numbers, as runs; the last run is open. */
struct loop_trips {
    struct bytes runs; /* each: varint value, varint number of times */
    uint64_t value, times;
    uint64_t total; /* how many numbers there are */
};

/* The trips of a node. A visit to a loop whose entry is not 0 begins in the middle of its body: the elements from the
 * entry on come first. They are the head of the visit, and not an iteration. In all other loops each pass is an
 * iteration. */
struct loop_state {
    struct loop_trips trips; /* a number for each iteration of the loop around the node: the length of a terminal's run;
                                the iterations of a loop, or 1 if it has a head */
    struct loop_trips iterations; /* of a loop with a head: iterations of each visit */
    uint64_t begun;               /* of a loop: iterations so far, including heads */
    uint64_t heads;
    uint64_t current; /* of the current visit: iterations so far, including its head; 0: there is no current visit */
    uint32_t element; /* index of the last element */
};

static inline bool loop_trips_vary(const struct loop_trips *t)
{
    return t->runs.length > 0;
}

/* What the trips of a loop are. */
struct loop_origin {
    uint32_t node;
    bool iterations; /* those of each visit, if it has a head */
};

static inline const struct loop_trips *loop_origin_trips(const struct loop_origin *o, const struct loop_state *states)
{
    return o->iterations ? &states[o->node].iterations : &states[o->node].trips;
}

/* Notes VALUE another TIMES times. True if a run was closed. */
bool loop_trips_add(struct loop_trips *t, uint64_t value, uint64_t times);

/* Adds all trips of FROM. */
void loop_trips_join(struct loop_trips *t, const struct loop_trips *from);

/* Sets the trips of L. errors: PILGRIM_NOMEM */
enum pilgrim_status loop_trips_write(const struct loop_trips *t, struct loops_loop *l) PILGRIM_CHECKED;

/* Writes the loops of a forest and their trips into L, which is empty. ORIGINS: NULL, or for each of L's loops what its
 * trips are; at most two for each node. errors: PILGRIM_NOMEM, L must then be freed */
enum pilgrim_status loop_bodies_write(const struct loop_forest *f, const struct loop_state *states, struct loops *l,
                                      struct loop_origin *origins) PILGRIM_CHECKED;

#endif
