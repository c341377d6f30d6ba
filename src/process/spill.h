/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory while recording is bounded (PILGRIM_MEMORY): a thread whose stream has reached its share of it encodes what it
 * has recorded as a segment of this process (docs/FORMAT.md, section 2), puts that in the process's fragment file next
 * to the trace, and begins anew.
 *
 * Any thread may call these, but for what is said of the end. */
#ifndef PILGRIM_SPILL_H
#define PILGRIM_SPILL_H

#include <stdbool.h>
#include <stdint.h>

#include "process/thread.h"
#include "merge/fragment_file.h"

/* PROCESSES of the run are on this machine: the bound is known from now on, and the process's rank and run. */
void spill_begin(int processes);

/* T, which is this thread, is new. */
void spill_watch(struct thread *t);

/* T, which is this thread, has recorded a call, and t->grown was set: its stream may have reached its share. */
void spill_consider(struct thread *t);

/* Of threads that have ended the calls are in E, which may be NULL: it may have reached the share that they have
 * together, and is then put away, too, and renewed. One at a time. */
void spill_consider_ended(struct ended_threads *e);

/* Whether there are segments, which nothing is known of then. */
bool spill_forget(void);

/* What a thread may have, and what is put away at one go; 0: not known yet. */
size_t spill_share(void);

/* ---- at the end: one thread is left ---- */

/* Nothing is put away any more. First, all times become blocks, and what all threads have together is brought down to
 * what may be gathered at once. */
void spill_end(void);

/* How many segments are in the file. */
uint32_t spill_segments(void);

/* Segment NUMBER, encoded, appended to ENCODED. errors: PILGRIM_NOMEM, PILGRIM_IO (errno) */
enum pilgrim_status spill_read(uint32_t number, struct bytes *encoded) PILGRIM_CHECKED;

#endif
