/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states of windows: MPI_Win_start with MPI_Win_post, and what ends them; locks. See wait_notes.h. */
#include "analysis/wait_notes.h"

/* CALL waits for OTHER to begin, if that was before its end. It ends as soon as that has told it, in shared memory in
 * less time than the clocks differ: so it counts if it ended shortly before. */
static bool wait_for(struct wait_states *w, enum wait_pattern pattern, struct match_call *call,
                     struct match_call *other)
{
    if (!call || !other || call->given || !wait_blocks(w, call) || !other->timed || other->enter_ns <= call->enter_ns)
        return true;
    if (wait_ended_before(w, call, other))
        return true;
    return wait_depends(w, call, other) &&
           wait_note(w, call, pattern, wait_until(call, other->enter_ns, other->enter_error_ns), other);
}

bool wait_access(void *context, const struct match_access *a)
{
    struct wait_states *w = context;
    return wait_for(w, WAIT_LATE_POST, a->start, a->post) && wait_for(w, WAIT_LATE_POST, a->first, a->post) &&
           wait_for(w, WAIT_LATE_POST, a->complete, a->post) && wait_for(w, WAIT_EARLY_WAIT, a->wait, a->complete);
}

bool wait_lock(void *context, struct match_call *lock, struct match_call *unlock, struct match_call *before)
{
    struct wait_states *w = context;
    return wait_for(w, WAIT_LOCK_HELD, lock, before) && (!unlock || wait_for(w, WAIT_LOCK_HELD, unlock, before));
}
