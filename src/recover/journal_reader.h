/* SPDX-License-Identifier: BSD-3-Clause */
/* Journal files, read while their processes run or after they died (journal/journal_format.h). What is in a file is not
 * trusted: another program may have written it, and its processes may change it meanwhile. Each word is read once and
 * checked. */
#ifndef PILGRIM_JOURNAL_READER_H
#define PILGRIM_JOURNAL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "journal/journal_format.h"
#include "pilgrim/status.h"

/* A log: all records of one epoch, one after another. */
struct read_log {
    uint64_t epoch;
    struct bytes records;
};

/* The call that a thread is in. */
struct call_in_flight {
    uint32_t class;   /* class index; JOURNAL_NO_CLASS: the thread is in no call that is recorded */
    uint64_t start;   /* clock ticks */
    bool has_key;     /* its inputs are known */
    struct bytes key; /* the inputs */
};

struct read_thread {
    uint32_t number;
    uint64_t calls;      /* that were recorded, over all epochs */
    uint64_t entered;    /* as in journal_live */
    uint32_t last_class; /* of the last call that entered MPI; JOURNAL_NO_CLASS: it is not recorded */
    uint64_t last_start; /* of that call, in clock ticks */
    bool cut;            /* the log has the first cut_calls calls only */
    uint64_t cut_calls;
    bool stopped; /* it may have made more calls than it counted */
    struct read_log log;
    struct bytes statistics; /* packed; empty: there are none */
    struct call_in_flight in_flight;
};

struct read_process {
    uint32_t rank, ranks, pid;
    uint64_t started;   /* as in journal_process */
    uint32_t pid_space; /* the same */
    uint32_t ending;    /* enum journal_ending */
    int32_t ending_number;
    uint64_t ended_epoch;     /* as in journal_process */
    uint32_t ending_thread;   /* the one that got the signal; UINT32_MAX: unknown */
    uint64_t ending_ns;       /* when it ended, by CLOCK_REALTIME; 0: unknown */
    struct crash_stack crash; /* of a signal that ended it; no frames: unknown. All names and indices are good */
    struct read_log logs[JOURNAL_PROCESS_LOGS];
    struct read_thread *threads; /* by number */
    size_t thread_count;
};

/* A journal file. */
struct read_journal {
    uint64_t run;
    char tracer[JOURNAL_TEXT];
    char host[JOURNAL_TEXT];
    bool here;                    /* it was written on this machine */
    struct vocabulary vocabulary; /* empty if the file has none */
    struct bytes vocabulary_texts;
    struct read_process *processes;
    size_t process_count;
};

/* Reads the file at PATH. J is to be freed in any case. errors: PILGRIM_IO (errno), PILGRIM_NOT_TRACE (no journal),
 * PILGRIM_VERSION, PILGRIM_DAMAGED, PILGRIM_NOMEM */
enum pilgrim_status journal_read(const char *path, struct read_journal *j) PILGRIM_CHECKED;
void journal_read_free(struct read_journal *j);

/* Returns the state of P, a process of J, as process_state does; PROCESS_NOT_SEEN: it is on another machine, or among
 * other process numbers (a container), so whether it runs is not known here. */
enum { PROCESS_NOT_SEEN = '?' };
char journal_process_state(const struct read_journal *j, const struct read_process *p);

/* Takes the next record at C. *PAYLOAD is borrowed from C's data. False: there is no further record that is whole. */
bool journal_next_record(struct cursor *c, enum journal_record *type, struct cursor *payload);

#endif
