/* What each thread that makes MPI calls has of its own, and the registry of all of them.
 *
 * Thread 0 is the one that initialised MPI, the others are numbered by their first MPI call. Threads that are
 * gone stay in the registry: their calls belong to the trace. */
#ifndef PILGRIM_THREAD_H
#define PILGRIM_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "capture/keep.h"
#include "merge/stream.h"
#include "objects/mpi_library.h"
#include "objects/requests.h"

struct shadow;

struct thread {
    struct bytes key;       /* the call under way */
    struct keeper keeper;   /* arrays of requests */
    struct stream *stream;
    struct stacks *stacks;  /* NULL: the class has the call site alone */
    bool inside;            /* a call is under way: those made below it are not recorded, their objects are followed */
    struct thread *nested;  /* for such calls: scratch only, in no list */
    bool pause;             /* MPI_Pcontrol(0) is the call under way, or the next */
    bool error_in_status;   /* the call under way returned MPI_ERR_IN_STATUS: MPI_ERROR is set in its statuses */
    unsigned moved;         /* capture_moved when its call sites were last looked at */
    uint32_t class;         /* of the call under way */
    uint32_t index;         /* thread number */
    uint64_t calls;         /* recorded so far: the next one's seq */
    struct shadow *shadow;  /* NULL without PILGRIM_SHADOW */
    struct operation created; /* the newest request */
    struct operation *operations;
    uint64_t *handles;      /* scratch for requests_find; both have room for operation_capacity */
    int64_t operation_capacity;
    MPI_Status *statuses;   /* in place of MPI_STATUS(ES)_IGNORE */
    int64_t status_capacity;
    struct thread *next;
};

/* This thread's state, made at its first call. NULL where memory is short (tracing is then off). */
struct thread *thread_self(void);

/* As above, NULL if this thread has none. */
struct thread *thread_known(void);

/* What a call made inside a call of T uses in its place; NULL where memory is short (tracing is then off). */
struct thread *thread_nested(struct thread *t);

/* This thread initialised MPI: it becomes number 0. No request may have been named yet. */
void thread_becomes_first(void);

/* The threads in order of number: a list by `next`. Not while threads may still be added. */
struct thread *thread_first(void);
size_t thread_count(void);

/* Room for COUNT operations and handles, or statuses. False (tracing is then off): no memory. */
bool thread_reserve_operations(struct thread *t, int64_t count);
bool thread_reserve_statuses(struct thread *t, int64_t count);

#endif
