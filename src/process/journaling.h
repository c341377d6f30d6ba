/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of a recorded process (journal/journal.h): where its file is, and what the process's log has. */
#ifndef PILGRIM_JOURNALING_H
#define PILGRIM_JOURNALING_H

#include <stdbool.h>

/* Begins the journal, when the run and its trace are known. If that fails, one line says so, and recording goes on
 * without. NODES: machines of the run, at least. */
void journaling_begin(int nodes);

/* Removes the journal: the calls of the process are in the trace, or in a fragment file. Else it is not called, and the
 * journal stays, for pilgrim-merge. */
void journaling_end(void);

/* True if the journal is not in the folder of the run. */
bool journaling_is_apart(void);

/* Returns the folder or file that pilgrim-merge makes a trace of; NULL: there is no journal. */
const char *journaling_path(void);

#endif
