/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound on memory while calls are recorded (PILGRIM_MEMORY). A thread whose stream has reached its share of the
 * bound encodes its calls as a segment (docs/FORMAT.md, section 2), appends that to the process's fragment file next to
 * the trace, and empties the stream.
 *
 * Any thread may call these functions, except for those marked as for the end. */
#ifndef PILGRIM_SPILL_H
#define PILGRIM_SPILL_H

#include <stdbool.h>
#include <stdint.h>

#include "process/thread.h"
#include "merge/fragment_file.h"

/* Sets the bound. PROCESSES processes of the run are on this machine. The process's rank and run must be known. */
void spill_begin(int processes);

/* Watches the stream of T, which is the calling thread and new. */
void spill_watch(struct thread *t);

/* True if T's stream takes far more than its share, so that no call may be added before its segment is encoded. */
bool spill_is_overdue(const struct thread *t);

/* Encodes the stream of T as a segment if it has reached its share and this is a good point. T is the calling thread,
 * has recorded a call, and has t->grown set. */
void spill_consider(struct thread *t);

/* True if T's log in the journal has reached its share: spill_consider then makes a segment of T's calls. */
bool spill_journal_full(const struct thread *t);

/* Makes a segment of T's stream now, between two calls. False: that failed, and recording stops. */
bool spill_now(struct thread *t);

/* The same of the calls of ended threads; NULL: there are none. */
void spill_ended_now(struct ended_threads *e);

/* Encodes E, the calls of ended threads, as a segment if they have reached their common share. E may be NULL. One
 * thread at a time. */
void spill_consider_ended(struct ended_threads *e);

/* Forgets the segments; true if there were any. */
bool spill_forget(void);

/* Returns the share of a thread in bytes, which also bounds what is written to the file at once. 0: not known yet. */
size_t spill_share(void);

/* ---- at the end, when one thread is left ---- */

/* Ends spilling. Completes the sections with times of all threads, then spills streams until the rest is small enough
 * to be gathered at once. */
void spill_end(void);

/* Returns how many segments are in the file. */
uint32_t spill_segments(void);

/* Appends segment NUMBER to ENCODED, in its encoded form. errors: PILGRIM_NOMEM, PILGRIM_IO (errno) */
enum pilgrim_status spill_read(uint32_t number, struct bytes *encoded) PILGRIM_CHECKED;

#endif
