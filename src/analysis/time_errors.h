/* SPDX-License-Identifier: BSD-3-Clause */
/* By how much the stored times of calls may be too early, where they are rounded (PILGRIM_TIMING=bins:b).
 *
 * Stored times are never too late. A call begins at most (b - 1) of the time later that has passed since the last call
 * of its thread with the same values began; of the time since the call before ended, if there was none. Its end is at
 * most b - 1 of its duration later still, and 1 ns. See docs/FORMAT.md, section 6. Which calls the recorder took for
 * the same is not stored: those with equal values are. */
#ifndef ANALYSIS_TIME_ERRORS_H
#define ANALYSIS_TIME_ERRORS_H

#include <pilgrim/reader.h>

#include "analysis/match_map.h"

/* All zero: times are exact. */
struct time_errors {
    const char *bases;  /* ":1.2,MPI_Barrier:1.01"; borrowed; NULL: times are exact */
    double usual, most; /* b - 1 of functions that are not named, and the largest of all */
};

/* Of a thread; all zero: nothing was read yet. */
struct time_errors_thread {
    struct match_map hashes; /* of values, by site and identity */
    struct match_map starts; /* by site and hash */
    uint64_t first_ns, end_ns;
    uint32_t segment;
    bool begun, full;
};

/* TIMING: the trace's property, borrowed; NULL is legal. */
void time_errors_begin(struct time_errors *e, const char *timing);

/* True if times have errors. */
static inline bool time_errors_any(const struct time_errors *e)
{
    return e->bases != NULL;
}

/* Sets the errors of the next call of a thread; ASKED: false if nobody wants them, and if no such call was or will be
 * wanted. SITE and SEGMENT: its numbers. false: no memory */
bool time_errors_of(const struct time_errors *e, struct time_errors_thread *t, const struct pilgrim_call *call,
                    uint32_t site, uint32_t segment, bool asked, uint64_t *enter_ns, uint64_t *leave_ns);
void time_errors_free(struct time_errors_thread *t);

/* Returns b - 1 of a function; 0 if times are exact. */
double time_errors_base(const struct time_errors *e, const char *function);

#endif
