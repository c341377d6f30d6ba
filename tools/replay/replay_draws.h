/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps that are drawn from a profile, so that their sums are right.
 *
 * A profile has the distribution of the gaps before a class of calls, by the class before. Of N such gaps, each of the
 * N-quantiles comes once: their sum does not depend on luck, however few they are. Their order is that of multiples of
 * the golden ratio, so that parts of them spread evenly, too. They are scaled to what the profile has of this rank:
 * by class where ranks differ, and in sum. */
#ifndef REPLAY_DRAWS_H
#define REPLAY_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/class_gaps.h"
#include "pilgrim/reader.h"

struct replay_draws {
    const struct pilgrim_trace *trace; /* borrowed */
    struct class_gaps walk;            /* along the thread's calls; closed: there are none */
    double begun_ns; /* of a thread that is not the first: when MPI_Init had ended, since the axis began */
    bool alone;      /* the rank has one thread: its times are the thread's */
    double share;    /* of the rank: its time between calls, by that of what is drawn */
};

/* Begins at the first call of a thread. Returns false if memory is out or the trace cannot be read. */
bool draws_open(struct replay_draws *d, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread);
void draws_close(struct replay_draws *d);

/* Goes to call SEQ. Returns false as draws_open does. */
bool draws_go_to(struct replay_draws *d, const struct pilgrim_trace *trace, uint64_t seq);

/* Goes over the next call. Returns the gap before it, ns. */
double draws_next(struct replay_draws *d);

#endif
