/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches the messages of a trace: each send with its receive, each collective call with those of the other processes.
 *
 * All threads are read at once, and memory holds what is in flight. Messages of one communicator, source, destination
 * and tag match in order: sends by their start, receives by their posting, with the source and tag that their status
 * says. So what a wildcard received is not guessed. The k-th collective call of a communicator matches the k-th of its
 * other processes. A persistent operation is one each time that it starts, a partitioned one pairs with its partner
 * when it is made. A probe that takes its message (MPI_Mprobe) is a posting. What goes to MPI_PROC_NULL is none.
 *
 * A receive is not paired before it is known what it received, and nothing passes it that it might have received. So
 * a receive that was cancelled pairs with nothing. */
#ifndef ANALYSIS_MATCH_H
#define ANALYSIS_MATCH_H

#include <pilgrim/reader.h>

#include "analysis/time_errors.h"

/* A call that begins or ends operations. Borrowed until the function that it was given to returns, if nobody holds it
 * (match_call_hold). */
struct match_call {
    struct match_call *next; /* for the matching */
    uint32_t rank, thread;
    uint32_t site; /* for match_site */
    uint32_t references;
    uint32_t open; /* operations that it ended and that are not yet matched, for the matching */
    bool timed;    /* both times are known */
    bool returned; /* false: the process ended in it, or was still in it */
    bool waits;    /* it ends receives, or is collective: such calls of a thread come in order */
    bool given;    /* the caller has had it */
    uint64_t seq;
    uint64_t enter_ns, leave_ns;             /* as the axis of match_options says */
    uint64_t local_enter_ns, local_leave_ns; /* by the clock of the process */
    uint64_t enter_error_ns, leave_error_ns; /* how much later they may have been (time_errors.h) */
    void *user;                              /* for the caller; NULL at first */
};

enum match_reason {
    MATCH_FOUND,       /* the message has both sides */
    MATCH_NO_PARTNER,  /* nothing on the other side was left for it */
    MATCH_COMM,        /* its communicator is not known: it was made while nothing was recorded */
    MATCH_OTHER_WORLD, /* its partner is not one of the trace's ranks */
    MATCH_CANCELLED,
    MATCH_PENDING, /* a receive that had not got a message when the calls ended, with a wildcard */
    MATCH_FREED,   /* a receive with a wildcard whose request was freed before it ended */
    MATCH_PAUSED,  /* a receive that was posted while recording was paused */
    MATCH_REASONS
};

/* Returns REASON as a text: "no partner". */
const char *match_reason_text(enum match_reason reason);

/* A buffer without gaps: its allocation, and where in it. */
struct match_buffer {
    uint64_t length; /* bytes; 0: not known */
    uint32_t type;   /* enum pilgrim_value_type, with the following two */
    int64_t device, id, offset;
};

/* The polls of a thread for a message, without other calls between them, until it was there. */
struct match_polled {
    uint64_t since_ns; /* when the first of them began; 0: it did not poll */
    uint64_t until_ns; /* when the last one that found nothing ended */
    uint64_t busy_ns;  /* between those that do not follow at once */
    uint64_t error_ns; /* how much later the first one may have begun */
};

/* One side of a message. */
struct match_operation {
    struct match_operation *next, *partner; /* for the matching */
    struct match_call *begun;               /* MPI_Isend, MPI_Recv, MPI_Start, MPI_Mprobe, ...; NULL: not recorded */
    struct match_call *ended;               /* MPI_Wait, ...; NULL: it never ended, or nobody asked */
    uint64_t identity;                      /* of the communicator; 0: not known */
    int64_t comm;                           /* its number on this rank (comm:3); see MATCH_WORLD */
    int64_t peer;                           /* rank in MPI_COMM_WORLD; -1: not known, or in another world */
    int64_t tag;
    uint64_t bytes;           /* sent, or received; UINT64_MAX: not known */
    uint64_t capacity;        /* of a receive's buffer; UINT64_MAX: not known */
    struct match_call *ready; /* of a partitioned send: what marked partitions as ready last; NULL: none */
    struct match_polled polled;
    const char *type; /* a predefined datatype, without MPI_; NULL: it is not known, or derived. It stays */
    struct match_buffer buffer;
    struct match_operation *buffer_next, *buffer_last; /* others that are pending in the allocation, for the matching */
    bool buffer_posted;
    bool shared_request; /* a send by MPI_Isend or the like: its request may be equal to those of others */
    uint64_t number;     /* among all operations and entries that the process began, from 1 */
    uint32_t part;       /* 0, or the number of the partitioned pair in its channel, from 1 */
    bool send;
    bool buffered;    /* MPI_Bsend and the like: it never waits for the receiver */
    bool synchronous; /* MPI_Ssend and the like: it always does */
    bool any_source, any_tag;
    bool resolved; /* source and tag are known, and whether it was cancelled */
    bool held;     /* it waits for what was posted before it */
    bool over;     /* it has ended, or will never end */
    bool cancel_asked, cancelled, failed, freed;
    bool paused;    /* recording may have paused while it was pending */
    bool uncertain; /* threads used the channel at once, or in an order that is not known */
    enum match_reason reason;
};

enum { MATCH_WORLD = -1, MATCH_SELF = -2, MATCH_COMM_UNKNOWN = -3 };

/* What a collective function does, for who waits for whom. */
enum match_pattern {
    MATCH_BARRIER,
    MATCH_ALL,       /* all to all, so that nobody can leave before all have come */
    MATCH_FROM,      /* from the root */
    MATCH_TO,        /* to the root */
    MATCH_SCAN,      /* from those before */
    MATCH_PAIRS,     /* between pairs, as the counts say */
    MATCH_NEIGHBORS, /* the same, with neighbors only */
    MATCH_OTHER      /* it is not said who waits for whom */
};

/* A process's part in a collective operation. */
struct match_entry {
    struct match_entry *next;
    struct match_call *begun, *ended; /* as in struct match_operation */
    enum match_pattern pattern;
    int64_t comm, comm_rank;
    int64_t root;           /* its rank; -1: no root; -2: it is the root itself (MPI_ROOT); -3: it takes no part
                             * (MPI_PROC_NULL) */
    const int64_t *sources; /* of a neighborhood operation: ranks that it receives from; -1: nobody; NULL: not known */
    size_t source_count;
    bool sends, receives; /* bytes, by what its arguments say. true if that is not known */
    uint64_t bytes;       /* the larger of what it sends and receives; UINT64_MAX: not known */
    uint64_t number;      /* as in struct match_operation */
    uint32_t site;        /* of the call that says what it does: of a persistent one, the call that made it */
    bool nonblocking, finalize;
    const char *error; /* the class of the error with which `begun` failed while it took part; NULL: it did not */
};

struct match_collective {
    uint64_t identity; /* of the communicator */
    uint64_t sub;      /* 0: on the communicator itself; else a window, file or persistent operation made on it */
    uint64_t number;   /* of the operation on it, from 0 */
    uint64_t expected, entered, ended;
    struct match_entry *entries, *last;
    bool failed;  /* some entries have an `error` */
    bool differs; /* its entries are of different functions, or have different roots */
};

/* An epoch of a window in which a process may access the memory of others. */
enum match_epoch { EPOCH_NONE, EPOCH_FENCE, EPOCH_START, EPOCH_LOCK, EPOCH_LOCK_ALL };

/* Returns EPOCH as a text: "fence". */
const char *match_epoch_text(enum match_epoch epoch);

/* An operation on the memory of another process: MPI_Put, MPI_Get, ... */
struct match_remote {
    struct match_remote *next; /* for the matching */
    struct match_call *begun;
    struct match_call
        *ended; /* what completed it at the target: MPI_Win_fence, MPI_Win_flush, ...; NULL: nothing did */
    struct match_call *opened;  /* what began its epoch; NULL: not known */
    struct match_call *exposed; /* the target's MPI_Win_post; NULL: none, or not known */
    enum match_epoch epoch;
    int64_t comm;   /* the number on this rank of the communicator that the window was made on */
    int64_t window; /* that of the window (win:3) */
    int64_t peer;   /* the target's rank in MPI_COMM_WORLD; -1: not known */
    uint64_t bytes; /* UINT64_MAX: not known */
};

/* MPI_Win_start of one process and MPI_Win_post of another one that it names, and what ends them. NULL: it was not
 * seen */
struct match_access {
    struct match_call *start, *complete; /* of the origin */
    struct match_call *post, *wait;      /* of the target; wait: or MPI_Win_test */
    struct match_call *first;            /* the origin's first operation on the target in this epoch */
};

/* What a process made. */
enum match_made_kind { MADE_COMM, MADE_TYPE, MADE_WINDOW, MADE_FILE, MADE_REQUEST, MADE_KINDS };

struct match_made {
    enum match_made_kind kind; /* MADE_REQUEST: a persistent one */
    uint32_t rank, thread, site;
    uint64_t seq; /* the call that made it */
};

struct match_totals {
    uint64_t calls, messages, collectives;
    uint64_t unmatched[MATCH_REASONS];
    uint64_t collectives_missing, collectives_differ;
    uint64_t uncertain;
    uint64_t bytes;
    uint64_t in_flight_most; /* operations and collective calls that were kept at once */
    uint64_t remotes;        /* operations on the memory of others, if the caller wants to see them */
    bool paused;             /* requests were used that began while recording was paused */
};

/* A call as it was read. */
struct match_seen {
    const struct pilgrim_call *call;
    uint32_t rank, thread, site;
    uint32_t segment;            /* of its cursor */
    uint64_t enter_ns, leave_ns; /* on the axis of struct match_call */
    struct match_call *record;   /* NULL: it begins and ends nothing */
    bool ends;                   /* the record will be given to `call` */
};

/* What the caller wants to see. Functions may be NULL. They return false if they are short of memory. */
struct match_events {
    void *context;
    bool polls; /* `polled` of messages is wanted; then `seen` is, too */
    /* Each call, in the order of its thread. What the call completed may have been given before. */
    bool (*seen)(void *context, const struct match_seen *seen);
    /* A call whose `user` is set is freed; until match_free returns. */
    void (*freed)(void *context, struct match_call *call);
    /* CALL, which `seen` will have next, asked for the operation or entry with this number, which had not ended. */
    bool (*tested)(void *context, const struct pilgrim_call *call, uint64_t number);
    /* CALL, which `seen` will have next, never returned, and waits for the operation or entry with this number. */
    bool (*awaited)(void *context, const struct pilgrim_call *call, uint64_t number);
    /* CALL, which `seen` will have next, ended a request that stands for none of these, one of a window, file, or that
     * is not known; or, STATUS is NULL, asked for it, and it had not ended. */
    bool (*other_request)(void *context, const struct pilgrim_call *call, const struct pilgrim_value *request,
                          const struct pilgrim_value *status);
    /* A message with both sides, or what has no partner: the other one is NULL, and its `reason` says why. */
    bool (*message)(void *context, const struct match_operation *send, const struct match_operation *receive);
    /* LATER is posted while PENDING has not ended, and one of them receives into what is the other's buffer as well. */
    bool (*overlap)(void *context, const struct match_operation *pending, const struct match_operation *later);
    /* A process that calls MPI_Finalize has not freed what it made. */
    bool (*kept)(void *context, const struct match_made *made);
    /* An operation on the memory of another process, once it is complete; or never will be. */
    bool (*remote)(void *context, const struct match_remote *remote);
    /* An access epoch of one process to another, once both have ended it; or never will. */
    bool (*access)(void *context, const struct match_access *access);
    /* A process had a lock, from LOCK (MPI_Win_lock) to UNLOCK, that another one had before, who gave it back by
     * BEFORE. */
    bool (*lock)(void *context, struct match_call *lock, struct match_call *unlock, struct match_call *before);
    /* A collective operation, complete or not: entered < expected. */
    bool (*collective)(void *context, const struct match_collective *collective);
    /* A call, once all that it ended was given. Those with `waits` come in the order of their thread. */
    bool (*call)(void *context, struct match_call *call);
};

struct match;

/* Reads the trace and calls EVENTS. COMMON: times are on the common axis where the trace has one.
 * After an error, what was found until then was given. errors: PILGRIM_NOMEM, as pilgrim_cursor_next */
enum pilgrim_status match_trace(struct match *m, const struct match_events *events, bool common,
                                struct match_totals *totals, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns a matching. TRACE is borrowed until match_free. NULL: no memory */
struct match *match_new(const struct pilgrim_trace *trace);
void match_free(struct match *m); /* NULL is legal */

/* Returns the function and call site of a number; it stays until match_free. */
const struct pilgrim_class *match_site(const struct match *m, uint32_t site);
uint32_t match_site_count(const struct match *m);

/* True if both are calls of one function; MPI_Comm_dup and MPI_Comm_dup_c are two. */
bool match_same_function(const struct pilgrim_class *a, const struct pilgrim_class *b);

/* Returns how times are rounded. Borrowed until match_free. */
const struct time_errors *match_time_errors(const struct match *m);

/* Returns the clock of a rank. Borrowed until match_free. */
const struct pilgrim_clock *match_clock(const struct match *m, uint32_t rank);

/* Return, while `seen` has a call, the identity of the communicator that a value of it names, and that of the
 * communicator of a window or file, with the number of that among those of the communicator. 0: not known */
uint64_t match_seen_comm(struct match *m, const struct pilgrim_value *comm);
uint64_t match_seen_container(const struct match *m, const struct pilgrim_value *container, uint64_t *sub);

/* Returns, while `seen` has a call, COUNT times the size of TYPE, both values of it; UINT64_MAX: not known. */
uint64_t match_seen_bytes(struct match *m, const struct pilgrim_value *count, const struct pilgrim_value *type);

/* Returns the rank in MPI_COMM_WORLD of RANK of the communicator of a window, while `seen` has a call; -1: not known.
 */
int64_t match_seen_world_rank(const struct match *m, const struct pilgrim_value *container, int64_t rank);

/* A process in a communicator that was created. */
struct match_member {
    uint64_t identity; /* of the communicator; 0: not known */
    uint64_t side;     /* of an inter-communicator: which of its groups the process is in; else 0 */
    uint64_t members;  /* of both groups; 0: not known */
    int64_t number;    /* its number on this rank (comm:3); -1: the process is not in it */
    int64_t rank;      /* in its group */
    bool inter;
};

/* Fills in what communicator I, from 0, is to a rank, after match_trace. Returns false behind the last one. */
bool match_member_at(const struct match *m, uint32_t rank, size_t i, struct match_member *member);

/* Keeps a call, until match_call_drop. */
void match_call_hold(struct match_call *call);
void match_call_drop(struct match *m, struct match_call *call);

#endif
