/* SPDX-License-Identifier: BSD-3-Clause */
/* The fragment of a process that died, from its journal: what it would have handed on in MPI_Finalize, of the calls
 * that are not in its fragment file. */
#ifndef PILGRIM_RECOVER_H
#define PILGRIM_RECOVER_H

#include "merge/fragment_file.h"
#include "recover/journal_reader.h"

/* Sets *F to the fragment, for the caller to free. *WHOLE is false if some of the calls could not be told from the
 * journal: its space was used up, or it is damaged. J is the journal that P is in.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status recover_fragment(const struct read_journal *j, const struct read_process *p, struct fragment **f,
                                     bool *whole) PILGRIM_CHECKED;

/* False: the process died, or its memory was out, before the journal had said who it is. */
bool recover_is_begun(const struct read_process *p);

/* True if the process recorded no more calls before its end. */
bool recover_stopped(const struct read_process *p);

/* Returns how many bytes of the process's fragment file count: the calls behind them are still in the journal. */
uint64_t recover_file_length(const struct read_process *p);

/* The same for times sections. */
uint64_t recover_times_length(const struct read_process *p);

/* Appends to SECTIONS the times sections that are in the journal only. In the trace they follow those of the fragment
 * file. errors: PILGRIM_NOMEM */
enum pilgrim_status recover_times(const struct read_process *p, struct bytes *sections) PILGRIM_CHECKED;

/* Finds the head of the fragment file that the process would have written, borrowed. NULL: there is none. */
const uint8_t *recover_file_head(const struct read_process *p, size_t *length);

#endif
