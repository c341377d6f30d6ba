/* SPDX-License-Identifier: BSD-3-Clause */
/* What finding the wait states of messages, of collective operations and of windows share. */
#ifndef ANALYSIS_WAIT_NOTES_H
#define ANALYSIS_WAIT_NOTES_H

#include "analysis/wait_states.h"

/* True if the call waits until something has happened. */
bool wait_blocks(struct wait_states *w, const struct match_call *call);

/* Returns the event of a call. NULL: no memory */
struct cause_event *wait_event_of(struct wait_states *w, struct match_call *call);

/* How long a call waited: the middle of what it may be as times are rounded down, and the bounds of that. */
struct wait_span {
    uint64_t ns, least_ns, most_ns;
};

/* Returns how long CALL waited for what begins at AT_NS, or up to LATER_NS after that; not longer than the call took.
 */
struct wait_span wait_until(const struct match_call *call, uint64_t at_ns, uint64_t later_ns);

/* Returns by how much the difference of two times of calls, by the clocks of their processes, may be wrong. */
uint64_t wait_clocks(const struct wait_states *w, const struct match_call *a, uint64_t a_ns, const struct match_call *b,
                     uint64_t b_ns);

/* True if CALL ended before OTHER began. Not if it did so by less than their clocks may differ, and took more than
 * twice as long: then it has waited for OTHER, and ended as soon as that began. */
bool wait_ended_before(const struct wait_states *w, const struct match_call *call, const struct match_call *other);

/* CALL waited SPAN for OTHER to begin; nothing if that is 0. Of all that it waited for the longest counts; a call that
 * waits for a sender does not wait for a receiver as well. */
bool wait_note(struct wait_states *w, struct match_call *call, enum wait_pattern pattern, struct wait_span span,
               struct match_call *other);

/* CALL cannot end before OTHER begins. */
bool wait_depends(struct wait_states *w, struct match_call *call, struct match_call *other);

/* Finds the waits of a collective operation; as `collective` of struct match_events, with the struct wait_states. */
bool wait_collective(void *context, const struct match_collective *c);

/* The same of an access epoch; as `access`. */
bool wait_access(void *context, const struct match_access *a);

/* The same of a lock; as `lock`. */
bool wait_lock(void *context, struct match_call *lock, struct match_call *unlock, struct match_call *before);

#endif
