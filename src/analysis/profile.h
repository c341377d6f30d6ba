/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes what a program's calls cost (--stats): for each function and each of its call sites, how often it was
 * called, how long the calls took, the gaps before them, and what was sent.
 *
 * MPI_Finalize is recorded before it runs, so its durations are left out.
 *
 * Calls and messages are counted as the calls are read. Times of all threads come from the trace's profile. If only
 * some threads are chosen, times come from the calls themselves where the trace has their times; else from what the
 * profile says of their ranks; and where it says nothing they are estimates: the mean of such calls times the number of
 * calls. */
#ifndef ANALYSIS_PROFILE_H
#define ANALYSIS_PROFILE_H

#include <pilgrim/reader.h>

#include "analysis/class_copies.h"
#include "analysis/messages.h"
#include "analysis/volume.h"

/* The calls of a function from one call site, or from all. */
struct profile_row {
    const struct pilgrim_class *class; /* in a row of a function: the class of one of its call sites */
    uint64_t calls;
    struct pilgrim_statistic durations, gaps; /* without the gaps before a thread's first call in a segment */
    struct messages_count sent;
    uint64_t failed;                                     /* calls that returned an error */
    uint64_t collective_bytes, window_bytes, file_bytes; /* as in struct volume_parts */
};

/* How much time the chosen ranks spent in one activity. */
struct profile_activity {
    double total_ns;
    double least_ns, most_ns;
    uint32_t least_rank, most_rank; /* the lowest ranks that had these times; if ranks are stored in blocks, least_rank
                                       is the first of its block */
};

struct profile_function {
    struct profile_row all;
    const struct profile_row *sites; /* sorted by time, then by calls, both descending */
    size_t site_count;
};

/* A profile. Its sums are over all chosen threads and all functions. */
struct call_profile {
    /* One row for each call site; those of a function are neighbours, in the order of its `sites`. */
    struct profile_row *rows;
    size_t row_count, row_capacity;
    struct profile_function *functions; /* sorted by time, then by calls, both descending */
    size_t function_count;
    uint64_t ranks, threads, calls; /* of the chosen; `threads` counts those that have calls */
    struct messages_count sent;
    uint64_t failed, collective_bytes, window_bytes, file_bytes;
    uint64_t unsized; /* messages whose size is not known */
    double run_ns;    /* from the beginning of each thread's first call to the end of its last one, summed */
    double mpi_ns;    /* the time of it that was spent in calls */
    bool timed;       /* run_ns, mpi_ns, durations and gaps are known */
    bool estimated;   /* some of them are estimates */
    struct profile_activity activities[PILGRIM_ACTIVITIES];
    uint64_t profiled_ranks;     /* how many chosen ranks have `activities` in the trace */
    bool blocks;                 /* some of them only as the mean of a block of ranks */
    struct class_copies classes; /* the classes of the rows */
};

/* Computes the profile of the threads for which CHOOSE is true; NULL: of all. BY_PATH: a row for each call path instead
 * of each call site. errors: PILGRIM_NOMEM, and as
 * pilgrim_cursor_next: then what was counted before can be printed. *P is to be freed, also after an error. */
enum pilgrim_status profile_make(struct call_profile *p, const struct pilgrim_trace *trace,
                                 bool (*choose)(const void *context, uint32_t rank, uint32_t thread),
                                 const void *context, bool by_path, struct pilgrim_error *error);

/* Computes the profile of the calls that SELECTOR chooses, which is used up. The times of whole ranks are left out. */
struct selector;
enum pilgrim_status profile_make_selected(struct call_profile *p, const struct pilgrim_trace *trace,
                                          struct selector *selector, bool by_path, struct pilgrim_error *error);
void profile_free(struct call_profile *p);

#endif
