/* SPDX-License-Identifier: BSD-3-Clause */
/* What a wait is due to, in the end.
 *
 * A thread W waits for a call of thread D. Both were at one point of time when one of them last waited for the other,
 * or both for a third one. What D has done since then longer than W, class by class (computing before a call site, or
 * time in its calls), and D's own waiting, share the wait in proportion. D's waiting is due to what was found when D
 * waited, which is known by then. So the causes of a wait are known when it is read, however long the chain. This gives
 * the same sums as Scalasca's pass backward over short-term and long-term costs, which is linear in the waits.
 *
 * Each thread has a log of what it did last and of the points that it has in common with others. The log is limited:
 * of what lies further back than that, nothing is said. */
#ifndef ANALYSIS_DELAY_COSTS_H
#define ANALYSIS_DELAY_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DELAY_ROOTS = 8, DELAY_STEPS_FIRST = 64, DELAY_POINTS_FIRST = 16 };

/* Where time goes: computing before the calls of a site, or in them. */
static inline uint32_t delay_class(uint32_t site, bool in_mpi)
{
    return 2 * site + in_mpi;
}

enum { DELAY_OTHERS = UINT32_MAX }; /* the thread of causes that are not told apart */

struct delay_root {
    uint32_t thread; /* numbered over all ranks */
    uint32_t class;
    double ns;
    bool direct; /* the thread that was waited for did it; false: that thread had itself waited for it */
};

struct delay_roots {
    uint32_t count;
    struct delay_root roots[DELAY_ROOTS];
};

/* A stretch of time of a thread. */
struct delay_step {
    uint64_t ns;
    uint32_t class;
    struct delay_roots *roots; /* it waited: for these */
};

/* A point of time that two threads or more have in common: the number of the call that was waited for. */
struct delay_point {
    uint64_t ns, number, position;
};

/* All zero: nothing was done yet. */
struct delay_log {
    struct delay_step *steps; /* a ring */
    size_t capacity;
    uint64_t count, sealed;     /* steps so far; those before SEALED do not grow */
    struct delay_point *points; /* by time */
    size_t point_count, point_capacity;
};

/* What delays_find needs: all zero at first. */
struct delay_scratch {
    double *by_class;
    uint32_t *touched;
    size_t classes, touched_count;
    struct delay_root *roots;
    size_t root_count, root_capacity;
};

/* Adds a stretch. MOST: steps that are kept. ROOTS are now the log's. false: no memory */
bool delay_log_add(struct delay_log *log, size_t most, uint32_t class, uint64_t ns, struct delay_roots *roots);

/* Returns the position of what comes next. */
uint64_t delay_log_mark(struct delay_log *log);

/* Notes a point that is common with other threads. MOST: points that are kept, the latest; there may be twice as many.
 * false: no memory */
bool delay_log_point(struct delay_log *log, size_t most, uint64_t ns, uint64_t number, uint64_t position);
void delay_log_free(struct delay_log *log);

/* Finds what NS of waiting are due to; the result is the caller's to free. The sum of its parts is NS.
 * waiter:   up to now
 * late:     of thread LATE_THREAD, up to its position LATE_POSITION; LATE_CLASS is said where nothing is found
 * NULL: no memory */
struct delay_roots *delays_find(struct delay_scratch *s, const struct delay_log *waiter, const struct delay_log *late,
                                uint32_t late_thread, uint64_t late_position, uint32_t late_class, uint64_t ns);
void delay_scratch_free(struct delay_scratch *s);

#endif
