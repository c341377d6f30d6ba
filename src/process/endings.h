/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of the process that are not MPI_Finalize: noted in the journal, and said once for the whole run. */
#ifndef PILGRIM_ENDINGS_H
#define PILGRIM_ENDINGS_H

#include <stdbool.h>

#include "journal/journal_format.h"

/* Has the signals that end a process noted in the journal, if there is one. They do what they did before: the program's
 * handler, or the end. A signal that is ignored stays ignored. */
void endings_watch(void);

/* Notes that the process ends so, and says how to get its calls. NUMBER: as journal_end. */
void endings_note(enum journal_ending ending, int number);

/* Sets what endings_note says of a fatal MPI error: where, and what. */
void endings_error(const char *text);

/* From now on endings_note does nothing: the end that it noted is the one. */
void endings_are_over(void);

/* Notes that MPI may end the process for the error CODE, until endings_go_on. Nothing is said. */
void endings_note_error(int code);
void endings_go_on(void);

/* Notes that the process ends at once: by quick_exit, or by _exit (intercept/exit.c). Async-signal-safe. */
void endings_exit(void);

/* Notes that the process sends itself a signal, if it ends by it. Async-signal-safe. */
void endings_kill(int number);

/* True in one process of the run, once, which tells the user what to do for all. Async-signal-safe. */
bool endings_first_to_say(void);

#endif
