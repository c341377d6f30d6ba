/* SPDX-License-Identifier: BSD-3-Clause */
/* What this process has mapped from its journal file, and what becomes of it when something else changes the file.
 *
 * A store behind the end of a file that was made shorter raises SIGBUS. So that the program does not die of that,
 * memory of the process takes the place of the pages that are gone. A file that is overwritten raises nothing; so how
 * long a mapping is is known from here, and not from what lies in it. Either way the journal is of no use any more.
 * Any thread. */
#ifndef PILGRIM_JOURNAL_MAPPINGS_H
#define PILGRIM_JOURNAL_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Notes that LENGTH bytes at BEGIN, which are whole pages, are mapped. False: out of memory. */
bool journal_mapped(const void *begin, size_t length);

/* Returns how many bytes are mapped at BEGIN; 0: none. */
size_t journal_mapped_length(const void *begin);

/* Notes that nothing is mapped at BEGIN any more. Returns how many bytes were. */
size_t journal_unmapped(const void *begin);

/* Called for a SIGBUS at ADDRESS. True if that is in the journal: the instruction can be executed again.
 * Async-signal-safe. */
bool journal_repair(const void *address);

/* Notes that something else has changed the journal. */
void journal_note_damage(void);

/* True if something else was seen to have changed the journal. Async-signal-safe. */
bool journal_damaged(void);

#endif
