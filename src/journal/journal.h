/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of this process: enough to get its calls back if it dies. It lies in a file that is mapped into memory,
 * so it is there whatever ends the process. It is no help against a power cut.
 *
 * Each thread has a live block (journal_live) and a log; the process has a log of what its threads share. Until
 * journal_start all of it is in memory of the process. Any thread may call these functions. */
#ifndef PILGRIM_JOURNAL_H
#define PILGRIM_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/descriptor.h"
#include "journal/journal_file.h"
#include "journal/journal_log.h"
#include "pilgrim/status.h"

/* Says that there will be no journal: PILGRIM_JOURNAL=off, or a failure. Logs are empty from now on. */
void journal_never(void);

/* True if logs are to be written. */
bool journal_wanted(void);

/* True after journal_start. */
bool journal_started(void);

/* Puts the journal into the file PATH (journal_open), or into what SHARED is a descriptor of (journal_open_shared); -1:
 * there is none. RANK of RANKS is this process's; VOCABULARY is what keys refer to. journal_keep is to follow. errors:
 * as journal_open, and PILGRIM_IO with ENOSPC and the like; then it may be tried with another PATH */
enum pilgrim_status journal_start(const char *path, int shared, const struct journal_identity *identity, uint32_t rank,
                                  uint32_t ranks, const struct vocabulary *vocabulary) PILGRIM_CHECKED;

/* Returns a descriptor of the file, until journal_keep; -1: there is none. */
int journal_descriptor(void);

/* Keeps the descriptor at a number that the program's files do not get, or closes it. */
void journal_keep(void);

/* Says how the process ended, in the thread with LIVE (NULL: another one). The first word counts, but JOURNAL_FINALIZE
 * and JOURNAL_SIGNAL give way to any other; not JOURNAL_SIGNAL to an exit before the thread's next call: the signal's
 * handler does it. Async-signal-safe. */
void journal_end(enum journal_ending ending, int number, const struct journal_live *live);

/* Returns how the process ended. *NUMBER: as journal_end had it. Async-signal-safe. */
enum journal_ending journal_ended(int *number);

/* Returns where the stack of the thread goes that is about to end the process by a signal; NULL: there is no journal,
 * or it has said how the process ended. Its signal is to be set last. Async-signal-safe. */
struct crash_stack *journal_crash(void);

/* Takes back what journal_end said of a signal or an error: the process goes on. Async-signal-safe. */
void journal_go_on(void);

/* Says that this process needs no journal any more. *PATH is the name of the file, borrowed, if the caller is the last
 * of its processes and may remove it. False: it is not. */
bool journal_finish(const char **path);

/* Returns the rank of the one process of this machine that was killed, and said nothing; -1: none, or several.
 * Async-signal-safe. */
long journal_killed(void);

/* True for one process of each machine: it is to tell the user. Async-signal-safe. */
bool journal_first_to_say(void);

/* True for one process of each machine: it is to say that the journal is kept. */
bool journal_first_to_keep(void);

/* True if nothing else is seen to have changed what LIVE and LOG have in the journal. False: the key of the current
 * call may be wrong. */
bool journal_is_intact(const struct journal_live *live, const struct journal_log *log);

/* In the child of a fork: gives it blocks of its own. */
void journal_forked(struct journal_live *live);

/* ---- threads ---- */

/* Returns a live block in memory of the process. NULL: out of memory. */
struct journal_live *journal_live_new(void);
void journal_live_free(struct journal_live *live);

/* Returns a live block in the file, which has all that LIVE has, and makes it that of thread NUMBER. LOG's early
 * records go there. LIVE is freed. NULL: there is no journal, or no room; LIVE stays, and LOG is given up. */
struct journal_live *journal_thread(struct journal_live *live, struct journal_log *log, uint32_t number);

/* Thread NUMBER begins, with LIVE and an empty log. */
void journal_thread_begins(struct journal_live *live, uint32_t number);

/* Returns memory in the file for a key of LENGTH bytes of the thread with LIVE; NULL: there is none. */
uint8_t *journal_key_room(const struct journal_live *live, size_t length);

/* Thread NUMBER, with LIVE and LOG, has ended. Its log joins the process's. LIVE and LOG are for another thread then.
 */
void journal_thread_ended(struct journal_live *live, struct journal_log *log, uint32_t number);

/* The thread with LIVE and LOG records no more. What is in the file stays there; all other memory is given back. */
void journal_thread_stops(struct journal_live *live, struct journal_log *log);

/* Says that what log NUMBER of the process has is in its fragment file, which has EPOCH bytes. */
void journal_written(enum journal_process_log number, uint64_t epoch);

/* Returns the bytes of log NUMBER of the process. */
uint64_t journal_log_bytes(enum journal_process_log number);

/* True, once, if a record could not be stored for lack of room since the last time. */
bool journal_was_cut(void);

/* ---- the process's logs ---- */

/* Appends a record of TYPE to log NUMBER of the process. */
void journal_put(enum journal_process_log number, enum journal_record type, const void *payload, size_t length);

/* True if every record of log NUMBER of the process was stored. */
bool journal_log_whole(enum journal_process_log number);

/* Returns the number of MODULE, which is recorded if it is new. MODULE lives as long as the process. */
uint32_t journal_module(const struct code_module *module);

#endif
