/* SPDX-License-Identifier: BSD-3-Clause */
/* A replay in this process, and its thread. */
#ifndef REPLAY_THREAD_H
#define REPLAY_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/reader.h"
#include "replay_arenas.h"
#include "replay_bounds.h"
#include "replay_gaps.h"
#include "replay_loop.h"
#include "replay_objects.h"
#include "replay_options.h"
#include "replay_order.h"
#include "replay_pool.h"
#include "replay_scratch.h"
#include "replay_step.h"
#include "replay_warm.h"

enum {
    REPLAY_CACHE = 256,
    STACK_AREAS = 64,
    STACK_AREA_BYTES = 8 << 20,
    STACK_TURNS = 512,
    STACK_TURN_BYTES = 8 << 10
};

struct replay_thread;

/* What was not performed. */
struct replay_counts {
    uint64_t calls, failed, not_replayed, impossible, free_wildcards, new_errors, parted;
    const char *first_problem; /* of an impossible call */
    char first_name[64];
};

struct replay_process {
    const struct replay_options *options;
    struct pilgrim_trace *trace;
    int rank, ranks;
    bool killed;        /* the run that was recorded */
    const char *folder; /* for files and ports */
    struct replay_objects objects;
    struct replay_arenas arenas;
    _Atomic uint64_t objects_epoch; /* counts objects that are no requests, and memory, as they come and go */
    struct replay_warm warm;
    uint32_t thread_count;
    struct replay_thread *threads[POOL_THREADS_MAX]; /* those that run now */
    _Atomic uint32_t last_begun;                     /* the thread that began last */
    struct replay_loop loop;                         /* --loop */
    uint64_t loop_ns;                                /* how long it took */
    uint64_t start_ns;                               /* when the ranks began with their calls */
    _Atomic uint64_t changed_ns;                     /* when a thread began or ended */
    struct replay_counts counts;                     /* of those that have ended */
};

/* What is known of a function of the trace. */
struct replay_known {
    const struct pilgrim_function *function;
    const struct replay_action *action; /* NULL: this MPI does not have it */
    int peer_at, tag_at, flag_at;       /* parameters; -1: none */
    int status_at, request_at, index_at, indices_at, requests_at;
    int displaced_at; /* the window to which a call with a displacement goes */
    struct bounds_plan bounds;
    bool receives;                 /* a receive or probe whose wildcards are replaced */
    bool starts, makes_persistent; /* see replay_persistent.h */
};

struct replay_thread {
    struct replay_process *replay;
    uint32_t number; /* in the trace */
    uint32_t place;  /* in replay->threads */
    char *stack;     /* STACK_AREAS x STACK_AREA_BYTES of its own stack */
    struct pilgrim_cursor *cursor;
    struct replay_scratch scratch;
    struct replay_gaps gaps;
    struct replay_order order;
    struct replay_known known[REPLAY_CACHE];
    struct {
        const char *text;
        uint64_t bits;
    } names[REPLAY_CACHE];
    struct {
        const struct pilgrim_class *class;
        const void *site; /* what the recorder calls it */
    } sites[REPLAY_CACHE];
    struct bounds_known bounds[REPLAY_CACHE]; /* by the lowest bits of the identity */
    bool recorded;                            /* by Pilgrim */
    uint64_t next;                            /* the number of the next call */
    _Atomic uint64_t done;                    /* so many calls were gone through */
    bool began;                               /* it has come to its first call */
    uint32_t segment;
    struct replay_counts counts;

    /* for the watch: the call that the thread is in */
    _Atomic uint64_t since_ns; /* 0: in none */
    _Atomic(const char *) in;
    _Atomic uint64_t seq;
    _Atomic int64_t peer, tag;
};

/* Starts the clock when all ranks have read what they need to know of their calls. Each process calls it once. */
void replay_begin(struct replay_process *r);

/* Performs all calls of the thread, on its own stack. Ends the job if the trace is damaged. */
void replay_thread_run(struct replay_thread *t);

/* Prints "pilgrim-replay: ..." and ends the job with status 1. Any thread may call it. */
_Noreturn void replay_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
