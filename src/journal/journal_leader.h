/* SPDX-License-Identifier: BSD-3-Clause */
/* One process of a machine, the leader, opens the journal and hands its descriptor to the others, so that a shared file
 * system is asked once for each machine. Nothing depends on it: a process that gets nothing opens the journal itself.
 *
 * The steps, in each process: meet; then something that ends only when every process has met, such as a barrier; then
 * the leader tells, and the others ask; end. Nobody waits for the leader longer than that lives, or than a
 * limit; the leader waits for nobody. Used by one thread. */
#ifndef PILGRIM_JOURNAL_LEADER_H
#define PILGRIM_JOURNAL_LEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Meets the other processes of this machine with the same NUMBER, which is random and known to the run alone, and the
 * same KEY: all that decides which file is to be opened, and by which name. What else decides it is looked at here: the
 * user, and what the process sees of the file system. */
void journal_leader_meet(uint64_t number, const void *key, size_t length);

/* True if this process is the leader. */
bool journal_leader_is_this(void);

/* In the leader: hands FILE and TEXT, of at most JOURNAL_LEADER_TEXT bytes with its 0, to all that have met it. */
void journal_leader_tell(int file, const char *text);

/* Returns the descriptor that the leader hands over, to be closed by the caller, and appends its text, with its 0, to
 * TEXT. -1: this process is to open the file itself. PROGRESS is called again and again meanwhile: the leader may still
 * be in the barrier, and need this process's part of it. */
int journal_leader_ask(struct bytes *text, void (*progress)(void));

/* The meeting is over. Those whom this leader has told nothing know it then. */
void journal_leader_end(void);

enum { JOURNAL_LEADER_TEXT = 8192 };

#endif
