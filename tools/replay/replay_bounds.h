/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call may reach: the memory that stands for the program's, and nothing else of this process or of another one.
 *
 * MPI believes what it is told. So before each call the bytes that its counts, datatypes and displacements name are
 * reckoned from the extents that MPI gives for the datatypes, and arrays are seen to be as long as MPI reads them. */
#ifndef REPLAY_BOUNDS_H
#define REPLAY_BOUNDS_H

#include "replay_step.h"

/* What is to be looked at in calls of a function. */
struct bounds_plan {
    const struct pilgrim_function *function;
    uint32_t buffers, arrays; /* a bit for each parameter */
    bool any, reaches_other, makes, packs, views;
};

/* A call that was found good, as long as no object is made or given up. */
struct bounds_known {
    uint64_t identity, epoch;
};

struct bounds_plan bounds_plan(const struct pilgrim_function *f);

/* Returns NULL, or what the call would reach that it must not. The objects that it uses are made. */
const char *bounds_broken(struct replay_step *s, const struct bounds_plan *plan);

/* The call was made and succeeded: notes what is to be known of a window or datatype that it made. A collective call
 * for windows. */
void bounds_learn(struct replay_step *s);

#endif
