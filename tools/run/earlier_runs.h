/* SPDX-License-Identifier: BSD-3-Clause */
/* Earlier runs of which nobody was told that they ended without a trace. */
#ifndef PILGRIM_EARLIER_RUNS_H
#define PILGRIM_EARLIER_RUNS_H

/* Prints a line for each run of this user on this machine that left its calls in a folder beside where PATTERN, a value
 * of PILGRIM_TRACE or NULL, puts the trace; that has ended, and that nobody has told of: all its ranks were killed at
 * once. Then it was told. Of runs, and ranks, on other machines nothing is known here. */
void earlier_runs_tell(const char *pattern);

#endif
