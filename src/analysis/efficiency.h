/* SPDX-License-Identifier: BSD-3-Clause */
/* How well the time of a run was used, as the POP project defines it (Performance Optimisation and Productivity,
 * standard metrics): useful time is what threads spend outside of MPI, between their first and their last call. */
#ifndef ANALYSIS_EFFICIENCY_H
#define ANALYSIS_EFFICIENCY_H

#include "analysis/wait_states.h"

/* Factors of the parallel efficiency are from 0 to 1. */
struct efficiency {
    double run_ns;                  /* from the first call's begin to the last one's end */
    double useful, waiting, in_mpi; /* parts of all threads' time; the last one: in MPI, but not waiting */
    double waiting_error;           /* of that part */
    double useful_error;            /* of the useful part: how much less it may be, as durations are rounded down */
    double parallel;                /* mean useful time / run: the product of the following two */
    double load_balance;            /* mean / max useful time */
    double communication;           /* max useful time / run: the product of the following two */
    double serialization, transfer; /* by the run's time if messages took no time: max useful / it, it / run */
    double error;                   /* of each factor that has the run's time in it, relative */
    uint32_t threads;               /* that have called MPI with known times */
};

/* Returns the efficiency; all 0 if no call has times. */
struct efficiency efficiency_of(const struct wait_states *w);

/* A thread's part of a class of time on the critical path. */
struct path_part {
    uint32_t thread;
    uint64_t ns;
};

/* A class of time on the critical path. */
struct path_share {
    uint32_t class, thread; /* as in delay_costs.h; the thread that has most of it */
    uint64_t ns, thread_ns;
    double imbalance_ns;           /* what the path has more of it than a thread on average; at least 0 */
    const struct path_part *parts; /* the longest first; in the memory of the shares */
    size_t part_count;
};

/* Sets *SHARES to the critical path by class, the longest first, to be freed; *NS to the path's length.
 * false: no memory */
bool critical_path_of(struct wait_states *w, struct path_share **shares, size_t *count, uint64_t *ns);

/* What one class of time of one thread has made others wait, at all sites and in all patterns. */
struct delay_cost {
    uint32_t thread, class;
    double direct_ns, indirect_ns, error_ns;
};

/* Sets *COSTS to all of them, the largest first, to be freed. false: no memory */
bool delay_costs_of(const struct wait_states *w, struct delay_cost **costs, size_t *count);

#endif
