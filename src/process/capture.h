/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's state in this process; shared by the files of capture, not for the wrappers. */
#ifndef PILGRIM_CAPTURE_H
#define PILGRIM_CAPTURE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "process/settings.h"
#include "objects/handles.h"
#include "mpi/mpi_library.h"
#include "pilgrim/version.h"

/* The property "tracer" of every trace. */
#define CAPTURE_TRACER "pilgrim " PILGRIM_VERSION_TEXT

/* Why calls are not recorded now; none of them: they are. */
enum capture_off {
    OFF_UNLOADED = 1, /* the library's constructor has not run */
    OFF_SETTING = 2,  /* PILGRIM_OFF */
    OFF_FAILED = 4,   /* something of ours failed */
    OFF_FINISHED = 8, /* MPI_Finalize has begun, or the process's trace is written */
    OFF_CHILD = 16,   /* after fork */
    OFF_PAUSED = 32,  /* MPI_Pcontrol(0), pilgrim_off() */
    OFF_UNBOUND = 64, /* no MPI was seen so far */
    OFF_OTHER = 256,  /* the process's MPI is of another family */
    OFF_MOVED = 128   /* not a reason: see capture_moved: an address may mean something else since */
};

/* What all processes of a run have to agree on, as rank 0 has it. */
struct run {
    uint64_t id;              /* no other run has it */
    uint32_t merge_limit_s;   /* PILGRIM_MERGE_TIMEOUT */
    enum timing_mode timing;  /* PILGRIM_TIMING: what is collective for the times' sake is as rank 0 says; what is kept,
                                 as each says */
    bool told_locals;         /* the launcher says how many processes are on a machine */
    char trace[PATH_MAX + 8]; /* the trace's path; one that is cut off here is too long for any file */
};

/* What becomes of readings of clocks, as MPI_Wtime returns them. */
enum readings {
    READINGS_NOT_KEPT,
    READINGS_IN_BINS, /* with the times of the calls, where these are in bins */
    READINGS_EXACT,   /* with the times of the calls, which are exact */
    READINGS_VALUES   /* as values that they are */
};

struct capture {
    atomic_uint off;
    enum readings readings;
    struct settings settings;
    struct rank_base world; /* views[0]: a call's rank base where it names no other */
    pid_t process;          /* that loaded the library */
    int rank;               /* 0 until MPI is initialised */
    int size;               /* 1 until then */
    MPI_Comm comm;          /* private, for the gather; errors return */
    bool comm_in_use;       /* a message over it was given up: it is never freed */
    bool initialized;       /* MPI_Init or MPI_Init_thread was seen */
    bool session;           /* MPI_Session_init was seen */
    char library[64];       /* "MPICH 4.0.2" */
    struct run run;
};

extern struct capture capture;

/* How many times modules were unloaded that MPI was called from; unload.c. */
extern atomic_uint capture_moved;

/* Says why on stderr, once in a process, and records nothing more. */
void capture_fail(const char *why);

/* Looks for the program's MPI, if none was seen so far; SITE as for mpi_library_bind. True: calls are recorded from
 * now on. */
bool capture_bind(const void *site);

/* One line on stderr, "pilgrim: ...". */
void capture_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* init.c. How many processes of the run the launcher says are on this machine; 0: it does not say. */
int capture_locals_told(void);

/* finish.c. Fills capture.run once MPI is initialised; collective over capture.comm. */
void capture_agree(void);

/* finish.c. Gathers over capture.comm and writes the file; without MPI_Init this process is rank 0 of 1. */
void capture_finish(void);

#endif
