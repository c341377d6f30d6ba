/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of each thread that makes MPI calls, and the registry of these threads.
 *
 * Thread 0 is the thread that initialised MPI. The others are numbered in the order of their first MPI calls. When a
 * thread ends, its calls join those of other ended threads (record/ended_threads.h), and the next new thread takes over
 * its struct. For Pilgrim a thread ends when its thread-specific data is destroyed. A destructor may create such data
 * again and again: an MPI call after the last but one pass of destructors counts as a call of another thread. */
#ifndef PILGRIM_THREAD_H
#define PILGRIM_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "journal/journal.h"
#include "base/live_requests.h"
#include "objects/request_array_delta.h"
#include "objects/handle_cache.h"
#include "record/stream.h"
#include "mpi/mpi_library.h"
#include "objects/requests.h"

/* How a full stream waits for a good point to end its segment (spill.c). It waits while `bytes_left` is not 0. */
struct segment_wait {
    size_t bytes_left;                     /* the stream may still grow by so much */
    size_t bytes;                          /* `bytes_left` at the beginning */
    size_t live_least;                     /* the fewest operations that were live at a time */
    size_t live_before;                    /* operations that were live after the call before */
    const struct class_head *class_before; /* class of the call before */
    const struct class_head *end_class;    /* more become live after a call of this class; NULL: unknown */
};

/* The recorder's state of one thread. Only that thread writes to it while calls are recorded. */
struct thread {
    struct bytes key; /* of the current call; always has room for what a wrapper stores at once (call_inline.h) */
    struct request_array_delta request_delta; /* the thread's last arrays of requests */
    struct live_requests live;                /* live requests, as the calls of this segment tell the reader */
    struct stream *stream;
    struct journal_live
        *journal; /* what the journal has of the current call: start, outputs; count of recorded calls */
    struct journal_log log;
    struct call_stacks *stacks; /* that it runs on; NULL: a class has its call site only */
    bool inside; /* a call is in progress; calls made below it are not recorded, but their objects are followed */
    union {
        struct {
            bool pause; /* the current or the next call is MPI_Pcontrol(0) */
            bool grown; /* the stream may have reached its share of memory: spill.h */
        };
        uint16_t pending; /* not 0: call_ended has something to do at the end of the call */
    };
    bool error_in_status;           /* the current call returned MPI_ERR_IN_STATUS: its statuses have MPI_ERROR */
    const struct class_head *class; /* of the current call; NULL: it is not recorded */
    /* Used to record the current call if it never returns (abandoned.h): */
    const void *frame;        /* the wrapper's struct call, on the stack */
    const void *site;         /* return address of the wrapper */
    uint32_t index;           /* thread number */
    uint32_t segment;         /* number of the current segment of its calls */
    struct segment_wait wait; /* until the segment is encoded; spill.c */
    unsigned passes;          /* passes over its thread-specific data when it ends */
    struct thread *nested;    /* state for calls made inside a call, in no list */
    struct thread *outer;     /* of such a state: that of the call; NULL: a thread's own. It has a stream, that of
                                 the thread, and the live requests, while a call of it is recorded */
    unsigned moved;           /* value of modules_moved() when its call sites were last checked */
    struct thread_requests *requests; /* operations that it began */
    const struct operation *created;  /* the newest of them; for the shadow */
    struct finding finding;           /* operations that the current call found */
    MPI_Status *statuses;             /* stand in for MPI_STATUS(ES)_IGNORE */
    int64_t status_capacity;
    struct thread *next, *previous;
    struct handle_cache handle_cache; /* of handles, rank bases and buffers */
};

/* Returns how many calls of T were recorded; that is also the number of the next one. */
static inline uint64_t thread_calls(const struct thread *t)
{
    return atomic_load_explicit(&t->journal->calls, memory_order_relaxed);
}

/* Counts a call that was recorded. Only the thread itself stores the count. */
static inline void thread_call_recorded(struct thread *t)
{
    atomic_store_explicit(&t->journal->calls, thread_calls(t) + 1, memory_order_release);
}

/* Moves what the journal has of T into the journal's file, if there is one now. To be called between calls of T, by T.
 */
void thread_join_journal(struct thread *t);

/* The calling thread begins and ends a call. Between the two, and only if capture.off was 0 after thread_enter, it may
 * change its stream. threads_settle makes the two sides see each other, so neither costs a fence. */
static inline void thread_enter(struct thread *t)
{
    __atomic_store_n(&t->inside, true, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void thread_leave(struct thread *t)
{
    __atomic_store_n(&t->inside, false, __ATOMIC_RELEASE);
}

/* After capture.off has got OFF_FINISHED: waits until the other threads have ended their calls, so that nobody changes
 * a stream any more. A thread may be in a call that does not end: after half a second its call is given up. */
void threads_settle(void);

/* After threads_settle, if recording has failed: thread_stops of all threads that are inside no call. */
void threads_stop(void);

/* This thread's state, or NULL if it has none yet; for wrappers. thread_registered returns it. */
extern _Thread_local struct thread *thread_now __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns the state of the calling thread and creates it at the first call. NULL: out of memory; tracing is then
 * off. */
struct thread *thread_self(void);

/* Returns the state of the calling thread, or NULL if it has none. */
struct thread *thread_registered(void);

/* True if no thread of the process has made a call yet. */
bool threads_none(void);

/* Recording has failed: gives back what T has recorded, which is in the journal, or goes to the fragment file if the
 * journal is of no use; and tells the journal. To be called by T, or when T is inside no call and makes none that is
 * recorded. What ended threads have recorded goes, too. */
void thread_stops(struct thread *t);

/* Returns the state for a call that is made inside a call of T. NULL: out of memory; tracing is then off. */
struct thread *thread_nested(struct thread *t);

/* T is from thread_nested. Returns the state of the innermost recorded call that T's calls are made inside of; that of
 * the thread if it is in none. */
struct thread *thread_recorded_outside(const struct thread *t);

/* T, from thread_nested, begins a call that is recorded: it goes into the stream of the calling thread. False: out of
 * memory; tracing is then off. */
bool thread_begin_inside(struct thread *t);

/* That call has ended. RECORDED: it is counted. */
void thread_end_inside(struct thread *t, bool recorded);

/* Makes the calling thread number 0, because it initialised MPI. No request may have a name yet. */
void thread_becomes_first(void);

/* From now on, threads that end stay in the list, with their calls. */
void thread_keep_all(void);

/* Returns the first of the threads that have not ended. They are linked by `next`, in order of number. Call it after
 * thread_keep_all, when no more threads can be added. */
struct thread *thread_first(void);

/* Calls EACH for every thread that has not ended. For use before thread_keep_all; EACH runs under the registry's
 * lock. */
void thread_visit(void (*each)(const struct thread *t, void *context), void *context);

size_t thread_count(void);  /* threads so far, ended ones included; the next thread gets this number */
size_t thread_shares(void); /* shares of memory: one for each running thread, one for all ended ones */

/* Returns the calls of ended threads, or NULL if there are none. Call it after thread_keep_all. */
struct ended_threads *thread_ended(void);

/* Makes room for COUNT operations in `finding`, or for COUNT statuses. False: out of memory; tracing is then off. */
bool thread_reserve_operations(struct thread *t, int64_t count);
bool thread_reserve_statuses(struct thread *t, int64_t count);

#endif
