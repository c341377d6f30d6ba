/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares one iteration of a loop with another one. */
#ifndef PILGRIM_DIFF_ITERATION_COMPARE_H
#define PILGRIM_DIFF_ITERATION_COMPARE_H

#include "thread_compare.h"

/* Compares ITERATIONS, by trace, of LOOP of each thread; all count from 1, as in pilgrim/analysis.h. CALLS: how many
 * calls each has on all ranks. errors: as pilgrim_calls_next; PILGRIM_INVALID also if no rank has such an iteration */
enum pilgrim_status iterations_compare(struct comparison *c, uint64_t loop, const uint64_t iterations[2],
                                       uint64_t calls[2], struct pilgrim_error *error);

#endif
