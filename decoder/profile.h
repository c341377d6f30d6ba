/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program's calls cost: of each function and each place that it is called from, how often it was called, how
 * long that took, how long it was from the call before, and what was sent.
 *
 * Calls and messages are counted as they come. Times are those of the trace's profile, which has all ranks together.
 * Where only some threads are chosen, they come from the calls themselves if the trace has the times of calls; else
 * from what the profile says of their ranks, and where it says nothing they are estimates: the mean of such calls,
 * times the calls. */
#ifndef DECODER_PROFILE_H
#define DECODER_PROFILE_H

#include <pilgrim/reader.h>

#include "class_copies.h"
#include "messages.h"

/* Calls of a function from one place, or from all. */
struct profile_row {
    const struct pilgrim_class *class; /* of a row of a function: that of one of its places */
    uint64_t calls;
    struct pilgrim_statistic durations, gaps; /* gaps: not those before a thread's first call in a segment */
    struct messages_count sent;
};

/* What chosen ranks did with their time. */
struct profile_activity {
    double total_ns;
    double least_ns, most_ns;
    uint32_t least_rank,
        most_rank; /* the lowest that had them; least_rank: the first of a block, where ranks are told in blocks */
};

struct profile_function {
    struct profile_row all;
    const struct profile_row *sites; /* by how long they took, then by calls */
    size_t site_count;
};

/* Its sums are over all chosen threads and all functions. */
struct call_profile {
    struct profile_row *rows; /* of places; one behind the other those of a function, in the order of `functions` */
    size_t row_count, row_capacity;
    struct profile_function *functions; /* by how long they took, then by calls */
    size_t function_count;
    uint64_t ranks, threads, calls; /* chosen; threads: that have calls */
    struct messages_count sent;
    uint64_t unsized; /* messages whose size is not known */
    double run_ns;    /* between the threads' first and last calls, with these */
    double mpi_ns;    /* of that, in calls */
    bool timed;       /* run_ns, mpi_ns, durations and gaps are known */
    bool estimated;   /* they are estimates */
    struct profile_activity activities[PILGRIM_ACTIVITIES];
    uint64_t profiled_ranks;     /* of so many chosen ranks the trace says what they did with their time ... */
    bool blocks;                 /* ... of blocks of ranks together */
    struct class_copies classes; /* what the rows are of */
};

/* CHOOSE: whether a thread is to be counted; NULL: all are. errors: PILGRIM_NOMEM, as pilgrim_cursor_next: what was
 * counted before can be printed. *P is to be freed, also after an error. */
enum pilgrim_status profile_make(struct call_profile *p, const struct pilgrim_trace *trace,
                                 bool (*choose)(const void *context, uint32_t rank, uint32_t thread),
                                 const void *context, struct pilgrim_error *error);
void profile_free(struct call_profile *p);

#endif
