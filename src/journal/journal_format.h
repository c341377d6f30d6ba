/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in a journal file. It is memory that processes share with a file, in the byte order and the alignment of the
 * machine, and it is read by the same version of Pilgrim on a machine of the same kind.
 *
 * A file consists of pages. Page 0 is the head. Behind it lie blocks, each of one or more pages, that processes have
 * claimed one after another. A process that is killed leaves its blocks as they were after its last store.
 *
 *   process block   who the process is, how it ended, and where it crashed; the process's log follows in log blocks
 *   thread block    the thread's live words and the key of its current call; then the beginning of its log
 *   log block       records of one log: (owner, epoch, index) says of which, and where in it
 *   key block       a key that is too long for the thread block
 *   statistics      statistics of a thread's times, packed; two of them take turns
 *   vocabulary      functions and names, by whose numbers logs and keys refer to them; one block is enough for a file
 *
 * A log is a sequence of records (journal_log.h). When what it had was written to the rank's fragment file, it is begun
 * again with another epoch, the length of that file. So what lies in the file behind all epochs is still in the logs.
 */
#ifndef PILGRIM_JOURNAL_FORMAT_H
#define PILGRIM_JOURNAL_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/crash_stack.h"

enum { JOURNAL_PAGE = 4096, JOURNAL_VERSION = 2, JOURNAL_TEXT = 256 };

#define JOURNAL_FILE_SUFFIX ".journal"
#define JOURNAL_MAGIC       "plgrmjrn" /* of a file */
#define JOURNAL_BLOCK_MAGIC "plgrmblk"

/* Added to the name of a journal outside of the run's folder: the file that says that the user was told. */
#define JOURNAL_SAID_SUFFIX ".said"

enum journal_kind {
    JOURNAL_NONE, /* claimed, not used yet, or no longer */
    JOURNAL_PROCESS,
    JOURNAL_THREAD,
    JOURNAL_LOG,
    JOURNAL_KEY,
    JOURNAL_STATISTICS,
    JOURNAL_VOCABULARY
};

/* Page 0. Every process writes the same values into it, but for the counters. */
struct journal_head {
    char magic[8];
    uint32_t version;
    uint32_t page_bytes;
    uint64_t run;             /* a number that only the files of this run have */
    atomic_ullong pages;      /* that were claimed, without page 0 */
    atomic_ullong vocabulary; /* page of the vocabulary; 0: there is none yet */
    atomic_uint processes;    /* that wrote a journal into this file and have not ended well */
    atomic_uint said;         /* not 0: a process on this machine has told the user what to do with the journals */
    atomic_uint kept;         /* not 0: one has said that the file is kept */
    uint32_t reserved;
    char tracer[JOURNAL_TEXT]; /* the version of Pilgrim that wrote it */
    char host[JOURNAL_TEXT];
};

/* The beginning of each block. */
struct journal_block {
    char magic[8];
    _Atomic uint32_t kind; /* enum journal_kind */
    uint32_t pages;        /* of the block */
    uint64_t page;         /* where the block begins */
    uint64_t process;      /* page of the process block */
    uint64_t owner;        /* page of the thread or process block that this block belongs to */
    uint64_t address;      /* of the block in the process */
    uint64_t epoch;        /* log: of which log of its owner it is; statistics: of which log's calls they are */
    uint32_t index;        /* log: 0, 1, ...; statistics: the higher one is newer */
    uint32_t log;          /* log: enum journal_process_log of a process; 0 of a thread */
    uint32_t check;        /* statistics: of the bytes */
    uint32_t reserved;
    atomic_ullong
        used; /* bytes behind this head, or, in a thread block, behind its first page; all of them are whole */
};

/* The logs of a process. */
enum journal_process_log {
    JOURNAL_SHARED, /* what the threads share: modules, rank bases, communicators, ... It is never begun again */
    JOURNAL_ENDED,  /* threads that have ended */
    JOURNAL_TIMES,  /* times sections */
    JOURNAL_PROCESS_LOGS
};

/* How a process ended. */
enum journal_ending {
    JOURNAL_RUNNING,  /* no word of an end: it runs, or was killed */
    JOURNAL_FINALIZE, /* it was in MPI_Finalize, behind the program's last call */
    JOURNAL_EXIT,     /* it ended without MPI_Finalize: exit or return from main */
    JOURNAL_ABORT,    /* it called MPI_Abort */
    JOURNAL_SIGNAL,   /* a signal that ends a process reached it */
    JOURNAL_ERROR,    /* MPI ended the job for an error (MPI_ERRORS_ARE_FATAL) */
    JOURNAL_ENDING_COUNT
};

struct journal_process {
    struct journal_block block;
    uint64_t started; /* when the process was started: field 22 of /proc/PID/stat */
    uint32_t pid;
    uint32_t rank;
    _Atomic uint32_t ranks; /* of the run; 0: the rest of this block is not whole yet */
    _Atomic uint32_t ending;
    int32_t ending_number;  /* signal, error code of MPI_Abort, or code of the error */
    uint64_t ending_ns;     /* when that was, by CLOCK_REALTIME */
    uint32_t ending_thread; /* signal, error: the thread that got it, ... */
    uint32_t pid_space;     /* the inode of the namespace that pid is in; 0: unknown */
    uint64_t ending_calls;  /* ... and the calls that it had made. If it made more, that was not the end */
    _Atomic uint64_t epochs[JOURNAL_PROCESS_LOGS]; /* of the logs that are written now */
    _Atomic uint64_t ended_epoch;                  /* the highest one of the logs of threads that have ended */
};

/* Where in the first page of a process block its crash stack is: of the signal that ended it, if that was a crash. */
enum { JOURNAL_CRASH_AT = 1024 };

_Static_assert(sizeof(struct journal_process) <= JOURNAL_CRASH_AT &&
                   JOURNAL_CRASH_AT + sizeof(struct crash_stack) <= JOURNAL_PAGE,
               "they are on one page");

/* A thread's words that change with each call. The thread block begins with them, and the key of the current call
 * follows. */
struct journal_live {
    struct journal_block block;
    atomic_ullong calls;     /* that were recorded, or left out for lack of journal space; over all epochs */
    atomic_ullong entered;   /* the number of the last call that entered MPI, plus 1. Above `calls`: it is in MPI */
    uint64_t start;          /* of that call, in clock ticks */
    uint32_t class;          /* of that call; JOURNAL_NO_CLASS: it is not recorded */
    uint32_t number;         /* of the thread */
    const uint8_t *outputs;  /* end of its inputs in the key */
    const uint8_t *key;      /* first byte of the key */
    _Atomic uint64_t epoch;  /* of the log that is written now */
    atomic_ullong cut_calls; /* JOURNAL_THREAD_CUT: so many calls are in the log */
    _Atomic uint32_t state;  /* enum journal_state */
    uint32_t reserved;
};

#define JOURNAL_NO_CLASS UINT32_MAX

enum journal_state {
    JOURNAL_THREAD_FREE,
    JOURNAL_THREAD_RUNS,
    JOURNAL_THREAD_CUT,    /* the log had no room for a record, so it has the calls before that only */
    JOURNAL_THREAD_STOPPED /* recording stopped: the thread may have made more calls than it counted */
};

enum { JOURNAL_KEY_BYTES = JOURNAL_PAGE - sizeof(struct journal_live) }; /* room for a key in a thread block */

/* The payload of JOURNAL_RANK_BASE. */
struct journal_rank_base {
    uint32_t index;
    int32_t rank, size;
};

/* The payload of JOURNAL_CLOCK: a reading of the clock that times calls, what two other clocks said at that moment, and
 * how long a tick is (base/clock.h). */
struct journal_clock {
    uint64_t ticks, monotonic_ns, realtime_ns;
    uint64_t rate; /* ns a tick, times 2^48; 0: there is no clock */
};

/* In place of the length of a module's build-id: it is a function in Python, whose name follows. */
enum { JOURNAL_MODULE_IN_PYTHON = 255 };

/* Types of records. Those of a thread's log: */
enum journal_record {
    JOURNAL_BEGIN = 1, /* the first one: number of the first call, segment, classes that were there */
    JOURNAL_CLASS,     /* another class */
    JOURNAL_CALL,      /* a call that was not predicted */
    JOURNAL_RELIEF,    /* stream_relieve */
    /* Those of a process's logs: */
    JOURNAL_FILE_HEAD,     /* the head of the fragment file that the process would write */
    JOURNAL_MODULE,        /* a module that classes lie in: JOURNAL_MODULE_IN_PYTHON and a function, or a build-id */
    JOURNAL_RANK_BASE,     /* another rank base; or another value for rank base 0 */
    JOURNAL_IDENTITY,      /* number of the function pilgrim_process (4 bytes), and its values behind the rank bases */
    JOURNAL_COMMUNICATORS, /* number of the function pilgrim_communicator */
    JOURNAL_COMMUNICATOR,  /* a call of it: the key */
    JOURNAL_CLOCK,         /* when what the clock says was (journal_clock) */
    JOURNAL_SECTION,       /* a times section */
    JOURNAL_THREAD_ENDED,  /* a thread that has ended, with its log */
    JOURNAL_THREAD_AGAIN,  /* a thread that has ended, with the log of another one */
    JOURNAL_RECORD_COUNT
};

#endif
