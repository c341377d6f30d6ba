/* SPDX-License-Identifier: BSD-3-Clause */
/* The streams of calls of pilgrim/analysis.h, for tools that have a finder of source lines. */
#ifndef ANALYSIS_CALLS_STREAM_H
#define ANALYSIS_CALLS_STREAM_H

#include "analysis/source_lines.h"
#include "pilgrim/analysis.h"

/* As pilgrim_calls_open. COMMON: times are on the common axis; LINES: for call sites, borrowed, may be NULL. */
enum pilgrim_status calls_open(const struct pilgrim_trace *trace, const struct pilgrim_selection *selection,
                               enum pilgrim_order order, bool common, struct source_lines *lines,
                               struct pilgrim_calls **calls, struct pilgrim_error *error) PILGRIM_CHECKED;

/* By rank, before the first call: only ranks from FIRST to below END are read. */
void calls_ranks(struct pilgrim_calls *calls, uint32_t first, uint32_t end);

/* True if PILGRIM_INVALID meant that a loop or phase that is wanted is in none of the threads. */
bool calls_lack(const struct pilgrim_calls *calls);

/* Returns a number that grows whenever calls that are equal to the one that was given last may move something else than
 * before; UINT64_MAX: pilgrim_calls_volume was not asked for so far. */
uint64_t calls_changes(const struct pilgrim_calls *calls);

/* By rank: returns the segment of the call that was given last. Its class stays where it is until another segment, or
 * thread, is read. */
uint32_t calls_segment(const struct pilgrim_calls *calls);

/* Returns the status of the first damaged times of calls, which *ERROR describes: as pilgrim_cursor_times. */
enum pilgrim_status calls_times(const struct pilgrim_calls *calls, struct pilgrim_error *error) PILGRIM_CHECKED;

/* At the end of the stream: true if it had a call. Else *ERROR says what there is in place of what is wanted. */
bool calls_chose(const struct pilgrim_calls *calls, struct pilgrim_error *error);

#endif
