/* SPDX-License-Identifier: BSD-3-Clause */
/* The times sections that stayed in the processes when the fragments came together are written into the trace by those
 * who have them. */
#ifndef PILGRIM_WRITE_TIMES_H
#define PILGRIM_WRITE_TIMES_H

#include "gather/gather.h"
#include "gather/result.h"

/* After the last segment, which all have been through (GATHER_WHOLE); collective. RESULT: rank 0's, without an end,
 * which it has afterwards. G->state says what became of it; GATHER_UNWRITTEN: there is no trace, rank 0 has said why.
 */
void write_times(struct gather *g, struct result *result);

#endif
