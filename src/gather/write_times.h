/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the times sections that did not go with the fragments: each process writes its own into the trace. */
#ifndef PILGRIM_WRITE_TIMES_H
#define PILGRIM_WRITE_TIMES_H

#include "gather/gather.h"
#include "gather/result.h"

/* Writes the times sections and the end of the trace. Collective, after the last segment, which all have been through
 * (GATHER_WHOLE). RESULT is rank 0's. Afterwards g->state is the outcome. GATHER_UNWRITTEN: there is no trace, and rank
 * 0 has printed the reason. */
void write_times(struct gather *g, struct result *result);

#endif
