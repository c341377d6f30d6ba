/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of how long the calls of a kind took, of traces with exact times. */
#ifndef PILGRIM_DIFF_CALL_SAMPLES_H
#define PILGRIM_DIFF_CALL_SAMPLES_H

#include "analysis/key_table.h"
#include "call_kinds.h"

enum { SAMPLES_MAX = 1024 };

/* The mean over all threads of their k-th call of a kind is a sample: calls of the ranks of one iteration wait for each
 * other. Beyond SAMPLES_MAX, 2, 4, 8, ... calls of a thread, one behind the other, are one sample. */
struct call_samples {
    double *sums; /* ns */
    uint64_t *counts;
    size_t count, capacity;
    unsigned shift; /* 2^SHIFT calls are a sample */
    uint64_t total; /* calls */
    double total_ns;
};

/* The samples of all kinds of one trace. */
struct sampled_trace {
    struct sampled_kind {
        uint32_t kind;
        struct call_samples durations, gaps; /* gaps: from the end of the thread's call before */
    } * kinds;
    size_t count, capacity;
    struct key_table of_kind; /* kind -> index */
};

/* True if TRACE has exact times of single calls. Times in bins depend on the times before: they are no samples. */
bool samples_are_in(const struct pilgrim_trace *trace);

/* Reads all calls of trace SIDE. errors: as pilgrim_cursor_next. *S is to be freed in any case. */
enum pilgrim_status samples_read(struct sampled_trace *s, const struct pilgrim_trace *trace, unsigned side,
                                 struct call_kinds *kinds, struct pilgrim_error *error);
void samples_free(struct sampled_trace *s);

/* Returns the samples of KIND; NULL: there are none. */
struct sampled_kind *samples_of(const struct sampled_trace *s, uint32_t kind);

/* Joins samples until 2^SHIFT calls are one. */
void samples_join(struct call_samples *s, unsigned shift);

/* Sets MEANS to the samples, ns, and returns how many there are, at most SAMPLES_MAX. */
size_t samples_means(const struct call_samples *s, double means[SAMPLES_MAX]);

#endif
