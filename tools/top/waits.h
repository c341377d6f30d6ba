/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks: sets of ranks none of which can go on, because whoever could let it go on is in the set or has ended. */
#ifndef PILGRIM_WAITS_H
#define PILGRIM_WAITS_H

#include "look.h"

enum finding_kind {
    FINDING_CYCLE,     /* each of the units waits for the next one, and the last one for the first */
    FINDING_ENDED,     /* the first unit waits for the second, which has ended */
    FINDING_FUNCTIONS, /* the units of a communicator are in different collective calls */
    FINDING_ROOTS,     /* ... in one, with different roots */
    FINDING_MISSING    /* ... in one, but some are not, and will never be */
};

struct finding {
    enum finding_kind kind;
    struct unit **units;
    size_t count;
    const struct unit *collective; /* one that is in the collective call */
};

struct findings {
    struct finding *items;
    size_t count;
    bool more;      /* there are more */
    double stalled; /* seconds since a unit entered its call, if none moves and nothing was found; else -1 */
};

/* Finds what is certain. PATIENCE: a call may take so many seconds by itself. False: out of memory. */
bool findings_make(struct look *look, double patience, struct findings *found);
void findings_free(struct findings *found);

#endif
