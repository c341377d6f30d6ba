/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the recorder in this process, and its messages to the user. */
#ifndef PILGRIM_CAPTURE_H
#define PILGRIM_CAPTURE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "format/trace_path.h"
#include "process/settings.h"
#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "pilgrim/version.h"

/* The property "tracer" of every trace. */
#define CAPTURE_TRACER "pilgrim " PILGRIM_VERSION_TEXT

/* Reasons why calls are not recorded now. If no bit is set, calls are recorded. */
enum capture_off {
    OFF_UNLOADED = 1, /* the library's constructor has not run yet */
    OFF_SETTING = 2,  /* PILGRIM_OFF */
    OFF_FAILED = 4,   /* Pilgrim failed, and said why */
    OFF_FINISHED = 8, /* MPI_Finalize has begun, or the process's trace is written */
    OFF_CHILD = 16,   /* this process is a child made by fork */
    OFF_PAUSED = 32,  /* MPI_Pcontrol(0), pilgrim_off() */
    OFF_UNBOUND = 64, /* no MPI library was found yet */
    OFF_OTHER = 256,  /* the process's MPI is of another family than this library */
    OFF_MOVED = 128,  /* no reason: a module was unloaded, addresses may have a new meaning (modules_moved) */
    OFF_BEFORE = 512, /* no reason: MPI_Init has not come here yet */
    OFF_HINTS = OFF_MOVED | OFF_BEFORE
};

/* What all processes of a run agree on; rank 0 decides. */
struct run {
    uint64_t id;             /* random; identifies the run */
    uint64_t meeting;        /* random; others can see it, where the run's processes meet (journal_leader.h) */
    uint32_t merge_limit_s;  /* PILGRIM_MERGE_TIMEOUT, in seconds */
    enum timing_mode timing; /* PILGRIM_TIMING of rank 0; decides if clocks are synchronised */
    bool local_count_known;  /* the launcher says how many processes are on a machine */
    bool no_place;           /* a line said that there may be no trace, because no file can be made for it */
    char began[24];          /* when rank 0's MPI_Init returned, in seconds since 1970; empty: not to be stored */
    char job[TRACE_PATH_JOB_BYTES]; /* of rank 0, by its batch system; empty: none, or not to be stored */
    uint32_t here_length;     /* so many bytes of `trace`, up to a '/', are rank 0's working directory in MPI_Init */
    char trace[PATH_MAX + 8]; /* path of the trace, absolute; a path that was cut off here is too long for any file */
};

/* How results of functions that read a clock, such as MPI_Wtime, are stored. */
enum readings {
    READINGS_NOT_KEPT,
    READINGS_IN_BINS, /* with the times of calls, which are in bins */
    READINGS_EXACT,   /* with the times of calls, which are exact */
    READINGS_VALUES   /* as ordinary values of the signature */
};

struct capture {
    atomic_uint off;
    enum readings readings;
    struct settings settings;
    struct rank_base world; /* rank base 0: of calls that name no communicator, window or file */
    pid_t process;          /* the process that loaded the library */
    int rank;               /* in MPI_COMM_WORLD; 0 until MPI is initialised */
    int size;               /* of MPI_COMM_WORLD; 1 until MPI is initialised */
    MPI_Comm comm;          /* private copy of MPI_COMM_WORLD, for Pilgrim's own messages; errors return */
    bool comm_in_use;       /* a message over `comm` was given up, so `comm` must never be freed */
    bool initialized;       /* MPI_Init or MPI_Init_thread was recorded */
    bool session;           /* MPI_Session_init was recorded */
    char library[64];       /* name and version of the MPI library: "MPICH 4.0.2" */
    char folder[1024];      /* of the program; empty: not known, or not to be stored */
    struct run run;
};

extern struct capture capture;

/* Stops recording. The first call in a process writes WHY and "tracing is off" to stderr; WHY is a clause without a
 * full stop. */
void capture_fail(const char *why);

/* Looks for the program's MPI library if none was found so far; SITE as for mpi_library_bind. True if calls are
 * recorded from now on. */
bool capture_bind(const void *site);

/* Called with OFF_BEFORE, by a thread that is inside no call: begins if MPI is initialised all the same. Set when the
 * library is loaded. */
extern void (*capture_late_hook)(void);

/* Notes which file stderr is. Called when the library is loaded. */
void capture_know_stderr(void);

/* Writes one line to stderr: "pilgrim: " and the text as it may be printed (printable.h), cut off at 1 KiB. Writes
 * nothing if descriptor 2 is no longer the file that it was when the library was loaded: it may hold the program's
 * data. Raises no signal and keeps errno. Any thread. */
void capture_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes LINE of LENGTH bytes, with its newline, to stderr, as capture_say does. Async-signal-safe. */
void capture_write(const char *line, size_t length);

/* Returns PATH as the user wrote it, for messages: without rank 0's working directory if PILGRIM_TRACE was relative.
 * Borrowed from PATH. */
const char *capture_shown(const char *path);

/* Fills capture.run once MPI is initialised. Collective over capture.comm, if that is not MPI_COMM_NULL. In
 * gather/agree.c. */
void capture_agree(void);

/* Gathers the fragments over capture.comm and writes the trace. Without MPI_Init this process is rank 0 of 1. In
 * gather/finish.c. */
void capture_finish(void);

#endif
