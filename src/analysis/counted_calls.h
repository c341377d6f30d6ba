/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a thread for those who count: of calls that come again and again, three periods are read, and the third
 * stands for all that follow.
 *
 * A stretch that the grammars repeat (repeats.h) is read until two periods in a row had equal calls (by their
 * identity), and the reader of the calls learned nothing new in the second. Then what the third has is what all others
 * have: what values refer to, requests and what earlier calls stored, is as it was a period before. So are the names
 * of objects that the period makes and ends. */
#ifndef ANALYSIS_COUNTED_CALLS_H
#define ANALYSIS_COUNTED_CALLS_H

#include "analysis/repeats.h"

struct counted_calls;

/* Returns a reader of TRACE, which is borrowed. NULL: no memory. */
struct counted_calls *counted_calls_new(const struct pilgrim_trace *trace);
void counted_calls_free(struct counted_calls *c); /* NULL is legal */

/* How calls are read. */
enum counted_how {
    COUNTED,         /* as above */
    COUNTED_UNTIMED, /* as above, but in segments whose calls have times, one by one */
    ONE_BY_ONE
};

/* The next calls are those of THREAD of RANK. errors: as pilgrim_cursor_open */
enum pilgrim_status counted_calls_begin(struct counted_calls *c, uint32_t rank, uint32_t thread, enum counted_how how,
                                        struct pilgrim_error *error) PILGRIM_CHECKED;

/* Fills in the next call. PILGRIM_END behind the last.
 * changes: a number that has grown if equal calls may mean something else than before
 * count:   how many such calls this one stands for
 * errors:  as pilgrim_cursor_next */
enum pilgrim_status counted_calls_next(struct counted_calls *c, uint64_t changes, struct pilgrim_call *call,
                                       uint64_t *count, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the cursor of the calls; it must not be moved. Borrowed until counted_calls_begin. */
const struct pilgrim_cursor *counted_calls_cursor(const struct counted_calls *c);

#endif
