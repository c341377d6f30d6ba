/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of a recorded process (journal/journal.h): where its file is, and what the process's log has. */
#ifndef PILGRIM_JOURNALING_H
#define PILGRIM_JOURNALING_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Prepares for journaling_begin, which no process of the run is to call before all have prepared: meets the other
 * processes of this machine, and in rank 0 makes the folder of the run, if journals are to be in it. Returns in rank 0
 * what the others' journaling_begin takes. FILES: how many journals the run has, at least. */
uint32_t journaling_prepare(int files);

/* Begins the journal, when the run and its trace are known. If that fails, one line says so, and recording goes on
 * without. FOLDER: what journaling_prepare returned in rank 0; 0: it was not called. */
void journaling_begin(int files, uint32_t folder);

/* Removes the journal: the calls of the process are in the trace, or in a fragment file. Else it is not called, and the
 * journal stays, for pilgrim-merge. False: the journal is in the run's folder, and other processes of this machine need
 * it; the last one of them can remove the folder. */
bool journaling_end(void);

/* True if the journal is not in the folder of the run. */
bool journaling_is_apart(void);

/* The machines of the run do not share its folder: each has one of its own. PLACES: HOST:FOLDER of them, as scp takes
 * them; MORE: text about those that are not among PLACES. */
void journaling_is_scattered(const char *places, const char *more);

/* Returns what the user is to do then for a trace, as shell commands; NULL: the machines share the folder. */
const char *journaling_scattered(void);

/* True if nothing else is seen to have changed the journal of T's calls. Else a line says it, and recording has failed.
 */
bool journaling_is_intact(const struct thread *t);

/* True if something else was seen to have changed the journal. */
bool journaling_is_damaged(void);

/* Returns the run's folder, if the journal is in it, else the file; NULL: there is no journal. */
const char *journaling_path(void);

/* Returns what the user is to do for a trace, as shell commands; NULL: there is no journal. */
const char *journaling_instruction(void);

#endif
