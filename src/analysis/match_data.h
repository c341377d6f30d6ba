/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that match_*.c share: what is known of each process, and what is in flight.
 *
 * A process is read thread by thread, always the thread whose next call begins first. But a call that makes an object
 * or request with the number of one that is still there counts from its end: another thread ends the old one meanwhile.
 * An operation lives from the call that begins it until both sides of its message have ended. It is in at most one of
 * these places: the list of what is held (its process), a queue of its channel, or with its partner. A request refers
 * to it until it ends. */
#ifndef ANALYSIS_MATCH_DATA_H
#define ANALYSIS_MATCH_DATA_H

#include "analysis/class_copies.h"
#include "analysis/match.h"
#include "analysis/match_map.h"
#include "analysis/match_roles.h"
#include "analysis/match_topology.h"
#include "analysis/world_ranks.h"

/* A communicator of a process. */
struct match_comm {
    uint64_t identity; /* 0: not known */
    uint64_t side;     /* as in world_ranks.h */
    int64_t number, rank;
    uint64_t members;                      /* of both groups; 0: not known */
    uint64_t collectives;                  /* operations so far */
    uint64_t made;                         /* windows, files and persistent operations so far */
    const struct match_topology *topology; /* NULL: none, or not known */
};

/* A window, a file, or a persistent collective operation. */
struct match_container {
    struct match_comm comm; /* a copy: the communicator may be freed first */
    uint64_t sub, operations;
};

/* A group of processes. */
struct match_group {
    size_t count;
    bool of_comm; /* of all of COMM: no list */
    struct match_comm comm;
    uint32_t members[]; /* ranks in MPI_COMM_WORLD */
};

/* A communicator that the process will create, as the trace lists them. */
struct match_created {
    int64_t thread; /* -1: no recorded call */
    int64_t number; /* -1: the process is not in it */
    int64_t parent; /* its index in the list; PARENT_... */
    int64_t size;   /* of the local group */
    bool inter;
    struct match_comm comm;
};

enum { PARENT_NONE = -1, PARENT_WORLD = -2, PARENT_SELF = -3 };

struct match_request {
    bool persistent, active, partitioned;
    struct match_operation *send, *receive; /* in flight */
    struct match_entry *entry;              /* the same of a collective operation */
    struct match_collective *collective;
    struct match_operation *again;     /* persistent: what each start begins; */
    struct match_container *again_all; /* or the collective operation, */
    struct match_entry *again_entry;   /* and what each start enters */
};

struct match_channel {
    struct match_operation *first[2], *last[2]; /* [1]: sends. At most one of both lists has something */
    uint32_t thread[2];                         /* of the last one */
    uint64_t left_ns[2];
    bool used[2];
};

/* How many partitioned operations were made of a channel: [1] sends. */
struct match_pairs {
    uint32_t made[2];
};

/* A datatype, and the thread that made it or asked for its size. */
struct match_type {
    uint64_t size;
    uint32_t thread;
};

/* How often one process named another one in MPI_Win_start, and was named in MPI_Win_post. */
struct match_access_counts {
    uint32_t starts, posts;
};

/* A row of polls of a thread, which does nothing else. */
struct match_polls {
    bool on;
    uint64_t since_ns, busy_ns, error_ns, left_ns; /* as in struct match_polled; left: until_ns */
    struct match_polled found;                     /* a message that MPI_Iprobe found, and which */
    int64_t comm, source, tag;
};

enum { SITES_CACHED = 64, SITES_CACHED_MANY = 8, PROCESSES_MANY = 1024 };

#define SITE_UNKNOWN UINT32_MAX

/* What is known of a class that a thread's calls have had. */
struct match_site_cached {
    const struct pilgrim_class *class_;
    const struct match_role *role;
    uint32_t site; /* SITE_UNKNOWN: not yet asked for */
};

struct match_thread {
    struct pilgrim_cursor *cursor; /* NULL: at the end */
    struct pilgrim_call call;      /* the next one, if `has` */
    bool has, late;                /* late: it counts from its end */
    size_t created;                /* where to look for the next communicator that it creates */
    struct match_call *first, *last;
    uint64_t waiting;                /* calls in that list */
    uint32_t segment;                /* of the classes that are cached */
    struct match_site_cached *sites; /* `sites_cached` of them */
    struct time_errors_thread errors;
    struct match_polls polls;
};

struct match_process {
    uint32_t rank, thread_count, threads_left;
    struct match_thread *threads;
    struct pilgrim_clock clock;
    struct match_comm world, self;
    struct match_map objects;  /* what names stand for, by kind, number and thread (match_objects.c) */
    struct match_map requests; /* by class and index */
    struct match_map windows;  /* what is open and pending, by communicator and number on it (match_windows.c) */
    struct match_map made;     /* struct match_made, by kind and number */
    struct match_map buffers;  /* the first operation that is pending in an allocation */
    struct match_created *created;
    size_t created_count, created_capacity;
    struct match_operation *held, *held_last;
    bool cancels;         /* it calls MPI_Cancel */
    uint64_t outstanding; /* operations and collective calls whose partner is not there yet */
    uint64_t begun;       /* operations and entries so far */
    uint64_t order;       /* for threads whose calls have no times */
    uint64_t sent_last;   /* the number of the last operation with `shared_request`; */
    uint64_t sends_mixed; /* up to this number it is not certain which of these have ended */
    bool done;
};

/* Records that calls make and drop: those that were dropped are kept for the next ones. */
enum match_spare_kind { SPARE_CALL, SPARE_OPERATION, SPARE_REQUEST, SPARE_KINDS };

struct match_spare {
    struct match_spare *next;
};

struct match {
    const struct pilgrim_trace *trace;
    struct match_spare *spare[SPARE_KINDS];
    const struct match_events *events;
    void (*freed)(void *context, struct match_call *call); /* of the events, as they may be gone */
    void *freed_context;
    struct match_totals *totals;
    bool common;
    struct match_process *processes;
    uint32_t process_count;
    size_t sites_cached; /* by a thread */
    struct world_ranks world_ranks;
    struct match_roles roles;
    struct class_copies copies;
    struct time_errors errors;
    const struct class_copy **sites;
    uint32_t site_count;
    size_t site_capacity;
    struct match_map channels, pairs, collectives, topologies;
    struct match_map accesses, access_counts, locks;
    uint64_t in_flight;
    /* of the call that is being examined */
    struct match_process *process;
    uint32_t thread, site;
    uint64_t enter_error_ns, leave_error_ns;
    const struct pilgrim_call *call;
    const struct match_role *role;
    struct match_call *record; /* NULL: nothing refers to it yet */
    bool ends;
    struct match_polled polled; /* it found what the thread has asked for */
    bool all_recorded;          /* no functions were left out of the trace */
};

enum match_kind { KIND_COMM, KIND_TYPE, KIND_CONTAINER, KIND_FILE, KIND_MESSAGE, KIND_GROUP, KIND_COUNT };

/* ---- match.c ---- */

/* Returns NS of process P on the axis that times are given on. */
static inline uint64_t match_on_axis(const struct match *m, const struct match_process *p, uint64_t ns)
{
    return m->common ? pilgrim_clock_common(&p->clock, ns) : ns;
}

/* Returns memory for a record, all zero, as from calloc: free may free it. NULL: no memory. The other one takes it
 * back; NULL is legal. */
void *match_record_take(struct match *m, enum match_spare_kind kind);
void match_record_drop(struct match *m, enum match_spare_kind kind, void *record);

/* ---- match_objects.c: what names stand for ---- */

/* Reads which communicators the process creates; M->process is P. errors: as pilgrim_communicators_next,
 * pilgrim_cursor_next */
enum pilgrim_status match_read_created(struct match *m, struct match_process *p,
                                       struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns the communicator that VALUE names; NULL: it is not known, or none. */
struct match_comm *match_comm_of(struct match *m, const struct pilgrim_value *value);

/* The call made, or freed, the communicator NAME. false: no memory */
bool match_comm_made(struct match *m, const struct pilgrim_value *name);
void match_comm_freed(struct match *m, const struct pilgrim_value *name);

/* Returns the rank in MPI_COMM_WORLD of RANK of COMM (of an inter-communicator, of its other group); -1: not known. */
int64_t match_world_rank(const struct match *m, const struct match_comm *comm, int64_t rank);

/* Return the object of a name, set it (replacing another one), take it out. The objects of KIND_TYPE and KIND_CONTAINER
 * are freed here, and groups; those of KIND_COMM are entries of `created`. */
void *match_object(const struct match *m, enum match_kind kind, const struct pilgrim_value *name);
bool match_object_set(struct match *m, enum match_kind kind, const struct pilgrim_value *name, void *object);
void *match_object_take(struct match *m, enum match_kind kind, const struct pilgrim_value *name);

/* Returns true if an object of the process has the number of NAME, an object. */
bool match_object_there(const struct match_process *p, const struct pilgrim_value *name);

/* Acts on datatypes. false: no memory */
bool match_type_act(struct match *m);

/* Returns COUNT times the size of TYPE, both values; UINT64_MAX: not known. */
uint64_t match_bytes(struct match *m, const struct pilgrim_value *count, const struct pilgrim_value *type);
uint64_t match_type_size(struct match *m, const struct pilgrim_value *type);

/* ---- match_calls.c ---- */

/* Does what the call that is being examined does. false: no memory */
bool match_act(struct match *m);

/* Returns true if CALL, of process P, makes a request or an object whose number another one has. */
bool match_takes_number(const struct match_process *p, const struct match_role *role, const struct pilgrim_call *call);

/* Returns the record of the call that is being examined, held once more. NULL: no memory. */
struct match_call *match_record(struct match *m);

/* Sets *RECORD to that record, which then does not end with the call: match_call_closed ends it. false: no memory */
bool match_record_open(struct match *m, struct match_call **record);

/* The operations of a request that was not ended, at the end of the calls. false: no memory */
bool match_request_over(struct match *m, struct match_request *request);
void match_request_free(struct match *m, struct match_request *request);

/* ---- match_channels.c ---- */

/* Posts an operation: it is now the channels'. false: no memory */
bool match_post(struct match *m, struct match_operation *operation);

/* The operation has ended, or will not: OPERATION->over, ended, resolved and the like are set. false: no memory */
bool match_over(struct match *m, struct match_operation *operation);

/* Gives all that is left. false: no memory */
bool match_flush_held(struct match *m, struct match_process *p);
bool match_flush_channels(struct match *m);
void match_operation_free(struct match *m, struct match_operation *operation);

/* A call has one open operation less. false: no memory */
bool match_call_closed(struct match *m, struct match_call *call);

/* The call is complete, as far as its thread goes. false: no memory */
bool match_call_examined(struct match *m, struct match_call *call);

/* ---- match_kept.c: buffers that are in use, objects that are not freed ---- */

/* The operation has begun, or ended; M->process is its process. false: no memory */
bool match_buffer_post(struct match *m, struct match_operation *op);
bool match_buffer_over(struct match *m, struct match_operation *op);

/* The call has made, or freed, an object that NAME stands for; what is no object is passed over. false: no memory */
bool match_made_add(struct match *m, enum match_made_kind kind, const struct pilgrim_value *name);
void match_made_take(struct match *m, enum match_made_kind kind, const struct pilgrim_value *name);

/* Tells what the process has not freed. false: no memory */
bool match_made_tell(struct match *m);

/* Recording may pause here: what is pending may end, and what was made may be freed, without a call that says so.
 * false: no memory */
bool match_pause(struct match *m);
void match_kept_free(struct match_process *p);

/* ---- match_collectives.c ---- */

/* The process enters the next operation of COMM, or of CONTAINER. ENTRY is now the collectives'. It sets *COLLECTIVE.
 * false: no memory */
bool match_enter(struct match *m, struct match_comm *comm, struct match_container *container, struct match_entry *entry,
                 struct match_collective **collective);

/* The entry has ended; CALL: by that; NULL: it will not. false: no memory */
bool match_left(struct match *m, struct match_collective *collective, struct match_entry *entry,
                struct match_call *call);
bool match_flush_collectives(struct match *m);

/* ---- match_groups.c: groups of processes ---- */

/* The call makes a group. false: no memory */
bool match_group_made(struct match *m);

/* Returns the group that VALUE names; NULL: it is not known. */
const struct match_group *match_group_of(const struct match *m, const struct pilgrim_value *value);

/* Returns the rank in MPI_COMM_WORLD of member I; -1: not known. */
int64_t match_group_member(const struct match *m, const struct match_group *group, size_t i);

/* ---- match_windows.c: epochs of windows ---- */

/* The call opens or ends epochs of the window WIN; or it begins an operation. false: no memory */
bool match_window_sync(struct match *m, const struct pilgrim_value *win);
bool match_window_remote(struct match *m);

/* Gives what is left of a process, and of all. false: no memory */
bool match_flush_windows(struct match *m, struct match_process *p);
bool match_flush_accesses(struct match *m);

/* ---- match_polls.c: what a thread asks for, again and again ---- */

/* Follows the polls of thread T, which makes the call. */
void match_polls_follow(struct match *m, struct match_thread *t);

/* Notes if the message of the receive OP, which the call begins or ends, was polled for; or found by MPI_Iprobe, which
 * was. */
void match_polls_note(const struct match *m, struct match_operation *op);

/* The call is MPI_Iprobe. */
void match_polls_look(struct match *m);

/* ---- match_locks.c: who had a lock before ---- */

/* The call begins, or ends, a lock on TARGET, a rank in MPI_COMM_WORLD. false: no memory */
bool match_lock_begin(struct match *m, const struct match_container *window, int64_t target);
bool match_lock_end(struct match *m, const struct match_container *window, int64_t target);

/* All processes were read up to HORIZON_NS. false: no memory */
bool match_locks_deal(struct match *m, uint64_t horizon_ns);
bool match_flush_locks(struct match *m);

#endif
