/* SPDX-License-Identifier: BSD-3-Clause */
/* Names a deadlock of the replay: if no rank of a machine ends a call for a time, each prints the call that it is in.
 */
#ifndef REPLAY_WATCH_H
#define REPLAY_WATCH_H

#include <stdbool.h>

struct replay_process;

/* Begins to watch. FOLDER has a file that all ranks of this machine share. ALL: these are all ranks of the job; then
 * the job is ended, with status 1. INDEX: this process's number among COUNT processes of the machine. */
void watch_begin(struct replay_process *r, int index, int count, bool all);

/* Ends before MPI is finalized. */
void watch_end(void);

#endif
