/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a thread's calls, one after another: docs/FORMAT.md, section 6.
 *
 * One section is in memory at a time. What is wrong with one takes the times of its calls, not the calls. */
#ifndef PILGRIM_CALL_TIMES_H
#define PILGRIM_CALL_TIMES_H

#include "base/bytes.h"
#include "read/file/time_sections.h"
#include "timing/times_block.h"

/* All zero: of a thread whose calls have no times. */
struct call_times {
    const struct time_section *sections; /* of the thread; in the trace */
    size_t count;
    const struct time_section *current; /* that was read last; NULL: none was */
    struct times_block *block;          /* what it has; NULL: it is damaged */
    struct bytes content;               /* of `current` */
    uint64_t next;                      /* number of the call whose times `block` gives next */
    struct cursor order;                /* of a section of several threads: before the place of that call */
    struct pilgrim_cursor *follower; /* walks the calls whose times are passed over; NULL: none yet in this segment */
    struct pilgrim_error error;      /* the first one; status PILGRIM_OK: there was none */
};

/* The sections of a thread; T is to be freed. */
void call_times_begin(struct call_times *t, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread);
void call_times_free(struct call_times *t);

/* The cursor comes into another segment. */
void call_times_leave_segment(struct call_times *t);

/* C has passed over the last call: times of calls that are not there have no meaning, but they may be damaged. */
void call_times_end(struct pilgrim_cursor *c);

/* Puts the times of CALL, the one that C gives now, of the class at CLASS_INDEX, into it, if they are known. */
void call_times_put(struct pilgrim_cursor *c, uint32_t class_index, struct pilgrim_call *call);

#endif
