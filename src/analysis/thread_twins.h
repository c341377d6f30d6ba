/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds threads whose calls count the same: the same calls, in the same order, with the same sizes, and as many
 * failures, though their ranks and places in memory differ. So what was counted for one holds for all, and a trace of a
 * million ranks that do the same takes seconds. */
#ifndef ANALYSIS_THREAD_TWINS_H
#define ANALYSIS_THREAD_TWINS_H

#include <stddef.h>

#include <pilgrim/reader.h>

#define TWINS_NONE SIZE_MAX

struct thread_twins;

/* Returns a finder for TRACE, which is borrowed. NULL: no memory. */
struct thread_twins *thread_twins_new(const struct pilgrim_trace *trace);
void thread_twins_free(struct thread_twins *t); /* NULL is legal */

/* Sets *NUMBER to that of the twins that thread 0 of RANK is one of. They are numbered from 0 as they are met, so a
 * number that was not given before is of a first one. TWINS_NONE: not known, or the rank has more threads. errors: as
 * pilgrim_cursor_open, PILGRIM_NOMEM */
enum pilgrim_status thread_twins_find(struct thread_twins *t, uint32_t rank, size_t *number,
                                      struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the cursor that thread_twins_find opened last, before its first call; NULL: it opened none. */
const struct pilgrim_cursor *thread_twins_cursor(const struct thread_twins *t);

#endif
