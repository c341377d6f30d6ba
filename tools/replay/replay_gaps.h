/* SPDX-License-Identifier: BSD-3-Clause */
/* The time between two calls of a thread.
 *
 * A call is due when the thread's last call has ended and the recorded gap is over. What decoding takes is part of the
 * gap. What a call is late by is carried: the next gaps are shorter, but each keeps nine tenths, so that others wait
 * for a long one as they did.
 *
 * A trace with the times of single calls has each gap. From a profile, gaps are drawn (replay_draws.h). Gaps in a loop
 * that polls are not waited for (replay_polls.h). */
#ifndef REPLAY_GAPS_H
#define REPLAY_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/reader.h"
#include "replay_draws.h"
#include "replay_options.h"
#include "replay_polls.h"
#include "replay_warm.h"

struct replay_gaps {
    const struct replay_options *options;
    uint64_t ended_ns;         /* of the last call, on this machine's clock; 0: there was none */
    double late_ns;            /* carried */
    uint64_t traced_end_ns;    /* of the last call, in the trace */
    bool profile;              /* gaps are drawn */
    struct replay_draws draws; /* of these */
    struct replay_polls polls;
    bool pressed; /* nothing is waited for */
    double share; /* of the rank: its time between calls, by that of its rounded gaps */
};

/* Returns the clock's time, ns. */
uint64_t replay_now(void);

/* Begins with a thread; ended_ns and traced_end_ns are set, or 0. Returns false if memory is out or the trace cannot be
 * read. trace: borrowed */
bool gaps_open(struct replay_gaps *gaps, const struct replay_options *options, struct pilgrim_trace *trace,
               uint32_t rank, uint32_t thread);
void gaps_close(struct replay_gaps *gaps);

/* Waits until CALL is due, and uses its buffers until then; WARM: NULL: it does not. To be called for each call of the
 * thread, in their order. */
void gaps_wait(struct replay_gaps *gaps, const struct pilgrim_call *call, const struct replay_warm *warm);

/* The call has asked, found nothing, and is made again: waits as the program's loop did. */
void gaps_poll(struct replay_gaps *gaps, const struct pilgrim_call *call);

/* The next call is number SEQ of the thread. Returns false if memory is out or the trace cannot be read. */
bool gaps_go_to(struct replay_gaps *gaps, struct pilgrim_trace *trace, uint64_t seq);

/* The call has ended. */
void gaps_ended(struct replay_gaps *gaps);

#endif
