/* SPDX-License-Identifier: BSD-3-Clause */
/* How often each node of a loop forest goes around each time: what loops.c reads and loop_bodies.c writes. */
#ifndef PILGRIM_LOOP_BODIES_H
#define PILGRIM_LOOP_BODIES_H

#include "loops/loop_forest.h"
#include "loops/loops.h"

/* Numbers in the order in which they come, as runs; the last run is open. */
struct loop_trips {
    struct bytes runs; /* each: varint value, varint how often */
    uint64_t value, times;
    uint64_t total; /* numbers */
};

/* One node. A visit to a loop whose entry is not 0 begins with the elements from there on (its HEAD), which are not a
 * iteration of it; of all other loops each iteration is one. */
struct loop_state {
    struct loop_trips trips; /* for each iteration of the loop around it: a terminal's run; a loop's iterations, or 1 if
                                it has a head */
    struct loop_trips iterations; /* of a loop that has a head: for each visit */
    uint64_t begun;               /* of a loop: iterations, heads too */
    uint64_t heads;
    uint64_t current; /* of the visit that is under way: iterations, its head too; 0: there is none */
    uint32_t element; /* of the element that came last */
};

static inline bool loop_trips_vary(const struct loop_trips *t)
{
    return t->runs.length > 0;
}

/* The loops of a forest with its trips, into L, which is empty. errors: PILGRIM_NOMEM, L is then to be freed */
enum pilgrim_status loop_bodies_write(const struct loop_forest *f, const struct loop_state *states,
                                      struct loops *l) PILGRIM_CHECKED;

#endif
