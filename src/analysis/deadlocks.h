/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks that a run ended in: ranks that were in calls which no message and no other rank could end any more. The
 * whole trace is matched, so a message that was on its way is known. */
#ifndef ANALYSIS_DEADLOCKS_H
#define ANALYSIS_DEADLOCKS_H

#include "analysis/match.h"

/* A rank that could not go on. */
struct stuck_rank {
    uint32_t rank, thread, site; /* the site is for match_site */
    uint64_t seq;
    uint32_t waits_for; /* a rank; UINT32_MAX: anyone */
    bool missing;       /* `waits_for` did not come to the collective operation that the rank is in */
    int64_t since_us;   /* when the call began, in microseconds since 1970; < 0: unknown */
};

struct deadlocks_found {
    struct match *match;
    struct stuck_rank *ranks; /* by their number; none: no deadlock is certain */
    size_t count;
    int64_t since_us; /* from when on nothing moved among them; < 0: unknown */
};

/* Finds what is certain. Does not read the calls of a trace whose ranks were in none when they ended.
 * found:  to be freed by deadlocks_drop, also after an error
 * errors: PILGRIM_NOMEM, as pilgrim_cursor_next */
enum pilgrim_status deadlocks_in(const struct pilgrim_trace *trace, struct deadlocks_found *found,
                                 struct pilgrim_error *error) PILGRIM_CHECKED;
void deadlocks_drop(struct deadlocks_found *found);

#endif
