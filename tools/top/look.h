/* SPDX-License-Identifier: BSD-3-Clause */
/* A look at a run: what each of its threads is in, from the journal files that the run writes. */
#ifndef PILGRIM_LOOK_H
#define PILGRIM_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recover/journal_reader.h"
#include "recover/thread_classes.h"
#include "top_communicators.h"

struct look_process {
    const struct read_journal *journal;
    const struct read_process *read;
    struct shared_facts facts;
    struct process_comms comms;
    struct thread_classes *classes; /* by position of the thread in READ */
    bool seen;                      /* whether it runs is known: it is, or was, on this machine */
    bool gone;                      /* it no longer runs; known only if it is SEEN */
    bool stopped;                   /* by a signal or a debugger */
};

enum unit_state {
    UNIT_IN_CALL,
    UNIT_COMPUTING, /* in no call that is recorded */
    UNIT_FINALIZE,
    UNIT_EXIT,
    UNIT_ABORT,
    UNIT_SIGNAL,
    UNIT_ERROR,
    UNIT_KILLED
};

enum { ARGUMENTS_MAX = 8, REQUEST_KINDS_MAX = 4, ARGUMENT_TEXT = 40, LOOPS_SHOWN = 4 };

/* An input that says what a call is about. */
struct call_argument {
    const char *name;         /* borrowed from the vocabulary */
    char text[ARGUMENT_TEXT]; /* empty: it is a rank */
    bool is_number;           /* `text` is a number */
    int64_t rank, relative, size;
};

/* Requests that a call waits for, by the class that began them. */
struct request_kind {
    int64_t class;
    const struct class_site *begun; /* NULL: unknown */
    uint64_t count;
};

/* A loop that a call is in. */
struct unit_loop {
    const struct class_site *begins; /* the call that begins an iteration */
    uint64_t iteration;              /* from 1 */
};

/* A message that a call waits to send or to receive. */
struct pending {
    int64_t peer; /* rank in MPI_COMM_WORLD; PENDING_ANYONE: anyone in the communicator */
    bool sends;
    bool any_tag;
    int64_t tag;
    uint64_t comm;
    uint64_t count; /* elements */
};
#define PENDING_ANYONE (-1)

/* A thread of a process that has called MPI, or a process without one. */
struct unit {
    const struct look_process *process;
    const struct read_thread *thread; /* NULL: there is none */
    enum unit_state state;
    const struct function_descriptor *function; /* of its call, or of the last one; NULL: unknown */
    const struct class_site *class;             /* NULL: unknown */
    double seconds;                             /* in the call; computing: since the last call began. < 0: unknown */
    double rate;                                /* calls a second; < 0: unknown */
    double mpi_seconds, other_seconds;          /* in MPI so far, and outside; both 0: unknown */
    struct call_argument arguments[ARGUMENTS_MAX];
    unsigned argument_count;
    struct request_kind requests[REQUEST_KINDS_MAX];
    unsigned request_kinds;
    uint64_t other_requests; /* of further kinds */
    bool hidden_requests;    /* the key does not say which requests it waits for */
    /* unit_loops.c: */
    bool loops_known;                    /* they were searched for */
    struct unit_loop loops[LOOPS_SHOWN]; /* the innermost first */
    unsigned loop_count;
    /* waits.c: */
    bool collective; /* it waits for the others of `comm`, who have to call the same function with the same root */
    uint64_t comm;
    int64_t root; /* rank in `comm`; -1: none */
    uint64_t
        made_on; /* the communicator of the window or file of its call; COMM_UNKNOWN: not looked for, or not known */
    struct pending *pending;
    size_t pending_count;
    bool stuck;
};

/* Where a communicator's rank is. */
struct comm_member {
    uint64_t identity;
    int64_t comm_rank;
    uint32_t rank;
};

struct look {
    struct read_journal *journals;
    size_t journal_count;
    struct look_process *processes; /* by rank */
    size_t process_count;
    struct unit *units; /* by rank, then by thread */
    size_t unit_count;
    struct comm_member *members; /* by identity, then by rank in it; but for MPI_COMM_WORLD */
    size_t member_count;
    uint32_t ranks;   /* of the run */
    double when;      /* CLOCK_MONOTONIC, in seconds */
    double rate;      /* calls a second, all together; < 0: unknown */
    const char *path; /* of the first journal */
    char **paths;
};

/* Looks at the journals PATHS, files or folders. False after a message; *NONE is true if there are no journals. */
bool look_take(struct look *look, char *const *paths, size_t count, bool *none);
void look_free(struct look *look);

/* Frees what is not needed to compare with LOOK. */
void look_forget_logs(struct look *look);

/* Sets what only two looks tell, from BEFORE, an earlier one: rates, and the time in a call where no clock says it. */
void look_compare(struct look *look, const struct look *before);

/* Returns the units of RANK, *COUNT of them. */
struct unit *look_units_of(const struct look *look, uint32_t rank, size_t *count);

/* Returns the rank in MPI_COMM_WORLD of COMM_RANK in IDENTITY; -1: unknown. */
int64_t look_world_rank(const struct look *look, uint64_t identity, int64_t comm_rank);

/* Returns the members of IDENTITY, *COUNT of them; NULL for MPI_COMM_WORLD, in which each rank is. */
const struct comm_member *look_members(const struct look *look, uint64_t identity, size_t *count);

/* True if the unit's call is one of MPI, or MPI_Finalize. */
bool unit_in_mpi(const struct unit *u);

/* True if the unit will make no more calls. */
bool unit_ended(const struct unit *u);

#endif
