/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that poll until something has happened: `while (!flag) { ...; MPI_Test(...); }`.
 *
 * How often such a loop goes round is not work of the program but how long it waited. So a replay does not take the
 * time of its trips, but polls at such intervals until it finds what was found then. A class of calls is such a loop if
 * each of its runs of failed polls has ended in success. Where one has not, the program did something else for that
 * time, and asked in between. */
#ifndef REPLAY_POLLS_H
#define REPLAY_POLLS_H

#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/reader.h"

enum { POLL_CLASSES_MAX = 64 };

struct poll_class {
    const struct pilgrim_class *class;
    bool works;         /* a run of failed polls has ended without success */
    double interval_ns; /* between the polls of the last run */
};

struct replay_polls {
    struct pilgrim_cursor *held; /* keeps the classes */
    struct poll_class classes[POLL_CLASSES_MAX];
    size_t count;
    struct poll_class *in; /* the loop that the thread is in; NULL: none */
    double ns;             /* the gaps of this run, ... */
    uint64_t gaps;         /* ... so many */
};

/* Reads a thread, or 10^7 of its calls, if it polls. Nothing is found in a trace of several segments, or if memory is
 * out. trace: borrowed */
void polls_open(struct replay_polls *p, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread);
void polls_close(struct replay_polls *p);

/* To be called for each call of the thread, in their order, with the gap before it, ns. Returns true if the gap is one
 * in a loop that polls: it is not waited for. */
bool polls_come(struct replay_polls *p, const struct pilgrim_call *call, double gap);

/* Returns how long to wait after the call has failed here, ns, before it is made again. */
double polls_interval(struct replay_polls *p, const struct pilgrim_call *call);

#endif
