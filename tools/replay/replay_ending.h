/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a run that was killed.
 *
 * Each rank makes all calls that had ended. The call that it was killed in may have done its part, as a collective call
 * that others completed: so it is made, too, though it may hang as it did then. Before it the rank begins a reduction,
 * and ranks that are not in a call wait for that: then all calls that had ended have ended here. If a rank hangs, those
 * that do not end the replay by MPI_Abort. */
#ifndef REPLAY_ENDING_H
#define REPLAY_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/reader.h"

struct replay_process;
struct replay_counts;

enum { ENDING_COUNTS = 7 };

/* Before the replay begins: a communicator for its end, if the trace is that of a killed run. */
void ending_begin(struct replay_process *r);

/* True if the rank's first thread was killed in the call. */
bool ending_in_flight(const struct replay_process *r, const struct pilgrim_call *call);

/* The rank is at its end, or before the call that it was killed in. COUNTS: of its first thread, or NULL */
void ending_arrive(struct replay_process *r, const struct replay_counts *counts, bool in_flight);

/* Waits until all ranks have arrived. Returns true if none hangs in its last call. */
bool ending_all(struct replay_process *r);

/* What all ranks have done when they had arrived, as replay_counts_list has it. */
const uint64_t *ending_sums(void);

/* True if this rank says what was done, where others hang. */
bool ending_speaks(const struct replay_process *r);

/* Puts the numbers of calls into LIST: made, failed then, not replayed, impossible, received from any, fail now. */
void replay_counts_list(const struct replay_counts *c, uint64_t list[ENDING_COUNTS]);

#endif
