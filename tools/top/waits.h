/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks: sets of ranks none of which can go on, because whoever could let it go on is in the set or has ended. */
#ifndef PILGRIM_WAITS_H
#define PILGRIM_WAITS_H

#include "look.h"

enum deadlock_kind {
    DEADLOCK_CYCLE,     /* each of the units waits for the next one, and the last one for the first */
    DEADLOCK_ENDED,     /* the first unit waits for the second, which has ended */
    DEADLOCK_FUNCTIONS, /* the units of a communicator are in different collective calls */
    DEADLOCK_ROOTS,     /* ... in one, with different roots */
    DEADLOCK_MISSING    /* ... in one, but some are not, and will never be */
};

struct deadlock {
    enum deadlock_kind kind;
    struct unit **units;
    size_t count;
    const struct unit *collective; /* one that is in the collective call */
};

struct deadlocks {
    struct deadlock *items;
    size_t count;
    bool more;      /* there are more */
    double stalled; /* seconds since a unit entered its call, if none moves and nothing was found; else -1 */
};

/* Finds what is certain. PATIENCE: a call may take so many seconds by itself. False: out of memory. */
bool deadlocks_find(struct look *look, double patience, struct deadlocks *found);
void deadlocks_free(struct deadlocks *found);

#endif
