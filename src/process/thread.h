/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread that makes MPI calls has of its own, and the registry of all of them.
 *
 * Thread 0 is the one that initialised MPI, the others are numbered by their first MPI call. When a thread ends what it
 * recorded is put together with that of others (record/ended_threads.h), and what it had of its own is the next new
 * thread's. It ends when its thread-specific data has been destroyed, but for what is made anew again and again: an MPI
 * call behind that counts as one of another thread. */
#ifndef PILGRIM_THREAD_H
#define PILGRIM_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/live_requests.h"
#include "objects/request_array_delta.h"
#include "objects/handle_cache.h"
#include "record/stream.h"
#include "mpi/mpi_library.h"
#include "objects/requests.h"

struct patience {
    size_t left, whole;             /* bytes that the stream may grow by; 0: it need not be encoded */
    size_t fewest;                  /* operations that were live at a time */
    size_t live;                    /* those that were after the call before, ... */
    const struct class_head *class; /* ... which was of this class */
    const struct class_head
        *end; /* the class of the last call behind which there were more than the fewest; NULL: not known */
};

struct thread {
    struct bytes key; /* the call under way; never without room for what a wrapper puts at one go (wrapper.h) */
    struct request_array_delta request_delta; /* arrays of requests */
    struct live_requests live;                /* requests, as the calls of this segment say */
    struct stream *stream;
    struct call_stacks *stacks; /* NULL: the class has the call site alone */
    bool inside; /* a call is under way: those made below it are not recorded, their objects are followed */
    union {
        struct {
            bool pause; /* MPI_Pcontrol(0) is the call under way, or the next */
            bool grown; /* the stream may have reached its share of memory: spill.h */
        };
        uint16_t pending; /* either of them: something is to be done at the call's end */
    };
    bool error_in_status; /* the call under way returned MPI_ERR_IN_STATUS: MPI_ERROR is set in its statuses */
    const struct class_head *class; /* of the call under way; NULL: it is not recorded */
    /* What is to be known of the call under way if it never returns (abandoned.h): */
    const void *frame;                /* its struct call, on the stack */
    const void *site;                 /* that the wrapper returns to */
    uint8_t *outputs;                 /* in the key: where what comes out goes */
    uint64_t start;                   /* clock ticks */
    uint32_t index;                   /* thread number */
    uint32_t segment;                 /* how many segments of its calls were put away */
    struct patience patience;         /* until it is encoded; spill.c */
    uint64_t calls;                   /* recorded so far: the next one's seq */
    unsigned passes;                  /* over its thread-specific data, at its end */
    struct thread *nested;            /* for calls inside of one: scratch only, in no list */
    unsigned moved;                   /* capture_moved when its call sites were last looked at */
    struct thread_requests *requests; /* the operations that it began */
    const struct operation *created;  /* the newest one; for the shadow */
    struct finding finding;           /* the operations of the call under way */
    MPI_Status *statuses;             /* in place of MPI_STATUS(ES)_IGNORE */
    int64_t status_capacity;
    struct thread *next, *previous;
    struct handle_cache handle_cache; /* objects and buffers */
};

/* As thread_registered; for wrappers. */
extern _Thread_local struct thread *thread_now __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* This thread's state, made at its first call. NULL where memory is short (tracing is then off). */
struct thread *thread_self(void);

/* As above, NULL if this thread has none. */
struct thread *thread_registered(void);

/* What a call made inside a call of T uses in its place; NULL where memory is short (tracing is then off). */
struct thread *thread_nested(struct thread *t);

/* This thread initialised MPI: it becomes number 0. No request may have been named yet. */
void thread_becomes_first(void);

/* No thread is taken out of the list from here on, nor its calls put elsewhere. */
void thread_keep_all(void);

/* The threads that have not ended, in order of number: a list by `next`. After thread_keep_all, and not while threads
 * may still be added. */
struct thread *thread_first(void);

/* Calls EACH for them, before that. */
void thread_visit(void (*each)(const struct thread *t, void *context), void *context);

size_t thread_count(void);  /* of all: the number that the next one gets */
size_t thread_shares(void); /* of memory: one for each that has not ended, one for all that have */

/* What the others did; NULL: there are none. After thread_keep_all. */
struct ended_threads *thread_ended(void);

/* Room for COUNT operations in `finding`, or statuses. False (tracing is then off): no memory. */
bool thread_reserve_operations(struct thread *t, int64_t count);
bool thread_reserve_statuses(struct thread *t, int64_t count);

#endif
