/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a thread's calls, one after another (docs/FORMAT.md, section 6).
 *
 * One section is in memory at a time. If it is damaged its calls have no times; the calls themselves are given out. */
#ifndef PILGRIM_CALL_TIMES_H
#define PILGRIM_CALL_TIMES_H

#include "base/bytes.h"
#include "read/file/time_sections.h"
#include "timing/times_block.h"

/* All zero: the calls have no times. */
struct call_times {
    const struct time_section *sections; /* the sections of the thread; borrowed from the trace */
    size_t count;
    const struct time_section *current; /* the section that was read last; NULL: none */
    struct times_block *block;          /* its times; NULL: it is damaged */
    struct bytes content;               /* the content of CURRENT */
    uint64_t next;                      /* the call whose times BLOCK gives next */
    struct cursor order;             /* in a section of several threads: stands before the class index of that call */
    struct pilgrim_cursor *follower; /* walks the calls whose times are skipped; NULL: none yet in this segment */
    struct pilgrim_error error;      /* the first error; its status is PILGRIM_OK if there was none */
};

/* Finds the sections of a thread. T is to be freed. */
void call_times_begin(struct call_times *t, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread);
void call_times_free(struct call_times *t);

/* Drops what belongs to the segment that the cursor leaves. */
void call_times_leave_segment(struct call_times *t);

/* Checks the sections behind the last call, which C has passed. Times of calls that do not exist have no meaning, but a
 * damaged section must be reported. */
void call_times_end(struct pilgrim_cursor *c);

/* Sets the times of CALL, which C gives now, of the class at CLASS_INDEX. Leaves them unknown if they are not stored or
 * damaged. */
void call_times_put(struct pilgrim_cursor *c, uint32_t class_index, struct pilgrim_call *call);

#endif
