/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads of a process use which objects, where there are several threads.
 *
 * A program joins its threads, then frees what they used. The trace has no joins. So each thread is read once before
 * the replay, and an object is given up when other threads have made the last call with its name. As names are given
 * again, that may be too late, and others may wait for this thread; so it waits only until no thread of the process has
 * ended a call for a quarter of --stuck. */
#ifndef REPLAY_USES_H
#define REPLAY_USES_H

#include "replay_step.h"

struct replay_process;

/* Reads all threads of the process. Ends the job if memory is out. */
void uses_read(struct replay_process *r);

/* Waits until no other thread needs an object that the call gives up. */
void uses_await(struct replay_step *s);

#endif
