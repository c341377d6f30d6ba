/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs: sequences of records in a journal file.
 *
 * A record is its length (varint), its type (1 byte), its payload, and a check byte. A record counts as soon as `used`
 * of its block says so. A thread's log has what the recorder's grammars did not predict; the rest is a count of calls
 * (journal_live). So replaying the log through the same grammars gives the calls back (recover/replay.h).
 *
 * Until the process has a journal file, records are collected in memory. */
#ifndef PILGRIM_JOURNAL_LOG_H
#define PILGRIM_JOURNAL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/site.h"
#include "journal/journal_format.h"

/* The log of a thread, or one of the process's. Used by one thread at a time. */
struct journal_log {
    struct journal_block **blocks; /* the last one is written to */
    uint32_t count, capacity;      /* of `blocks` */
    uint8_t *data;                 /* of the last block, behind its head */
    size_t used, room;             /* bytes there */
    uint64_t owner;                /* page of the block that the log belongs to; 0: there is no file, so to `early` */
    uint64_t epoch;
    uint32_t number;                     /* enum journal_process_log of the process's logs; 0 of a thread's */
    struct bytes early;                  /* records, while there is no journal file */
    struct journal_live *live;           /* of the thread; NULL: a log of the process */
    uint64_t told;                       /* calls up to the last record's, that one included */
    uint64_t bytes;                      /* of records since the log was begun */
    bool stopped;                        /* a record is missing, so there are no more */
    bool full;                           /* it stopped after so many bytes that it is worth a segment: renew it */
    bool grown;                          /* another block was taken; for who bounds the log */
    struct bytes scratch;                /* a payload while it is made */
    struct journal_block *statistics[2]; /* which take turns */
    uint32_t turn;
};

/* Begins a record. Returns where to put its payload. */
struct bytes *journal_record_begin(struct journal_log *log);

/* Ends the record that journal_record_begin began. */
void journal_record_end(struct journal_log *log, enum journal_record type);

/* Stores the payload that journal_record_begin began as the thread's statistics, in place of those before the last. */
void journal_statistics_end(struct journal_log *log);

/* Moves the log into the file. It belongs to OWNER, a process or thread block, and begins in it if FIRST. False: out of
 * memory; the log is as before. */
bool journal_log_move(struct journal_log *log, struct journal_block *owner, bool first);

/* Stops a log that is in no file, and frees what it has. */
void journal_log_give_up(struct journal_log *log);

/* Makes the log empty, to be begun again as another EPOCH, which is stored at *WORD. Its blocks but one are for others.
 */
void journal_log_renew(struct journal_log *log, uint64_t epoch, _Atomic uint64_t *word);

/* Releases the log's memory and blocks. */
void journal_log_free(struct journal_log *log);

/* Stops the log and releases its memory. Its blocks stay in the file, but only OWN stays mapped. */
void journal_log_forget(struct journal_log *log, const struct journal_block *own);

/* Appends to TO all records of LOG. */
void journal_log_copy(const struct journal_log *log, struct bytes *to);

/* Returns the check of statistics. */
uint32_t journal_statistics_check(const uint8_t *packed, size_t length);

/* Returns the check byte of a record. */
uint8_t journal_check(const uint8_t *payload, size_t length, uint8_t type);

#endif
