/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of calls for a trace that has only statistics of them: each call takes the mean of its class, each gap the mean
 * of those behind calls of the same class, as far as the trace tells them apart; both are scaled so that the sum is
 * that of the rank where the trace has it. So the sums of a rank are right, and each thread's times fit to each other,
 * but not those of different threads: who waited for whom cannot be seen. */
#ifndef CONVERT_DRAWN_TIMES_H
#define CONVERT_DRAWN_TIMES_H

#include <pilgrim/reader.h>

struct drawn_times;

/* Begins at the first call of a thread. *D is to be closed by drawn_times_close. errors: as pilgrim_cursor_open */
enum pilgrim_status drawn_times_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                     struct drawn_times **d, struct pilgrim_error *error) PILGRIM_CHECKED;
void drawn_times_close(struct drawn_times *d); /* NULL is legal */

/* Sets the times of CALL, whose seq must not decrease from call to call. errors: as pilgrim_cursor_pass */
enum pilgrim_status drawn_times_set(struct drawn_times *d, struct pilgrim_call *call,
                                    struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
