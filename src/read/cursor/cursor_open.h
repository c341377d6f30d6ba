/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens cursors, and moves them to the next segment. */
#ifndef PILGRIM_CURSOR_OPEN_H
#define PILGRIM_CURSOR_OPEN_H

#include "read/cursor/cursor.h"

/* Opens a cursor of the thread at the beginning of SEGMENT, which has the thread; without the rank bases of the rank.
 * errors: as pilgrim_cursor_open */
enum pilgrim_status segment_cursor_open(const struct pilgrim_trace *trace, uint32_t segment, uint32_t rank,
                                        uint32_t thread, struct pilgrim_cursor **cursor,
                                        struct pilgrim_error *error) PILGRIM_CHECKED;

/* Opens a cursor over the process stream of RANK that counts. PILGRIM_END: that has no calls of FUNCTION.
 * errors: as pilgrim_cursor_open */
enum pilgrim_status process_cursor_open(const struct pilgrim_trace *trace, uint32_t rank, const char *function,
                                        struct pilgrim_cursor **cursor, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns how many bytes of values a cursor may keep; the more cursors are open, the fewer. */
size_t cursor_cached_limit(void);

/* Moves C, which has passed all calls of its segment, to the beginning of the next segment in which the thread has
 * calls. PILGRIM_END: there is none.
 * errors: as pilgrim_cursor_next; the cursor does not move */
enum pilgrim_status cursor_next_segment(struct pilgrim_cursor *c, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
