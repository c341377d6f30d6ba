/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a process that is replayed: each thread of the trace is a thread of the replay.
 *
 * Thread 0 initialises MPI, so the others begin behind that, one after another: each when the one before it is in its
 * first call, as that is how the trace numbers them. Thread 0's MPI_Finalize waits for the others. Otherwise the order
 * between threads comes from gaps, and from the objects that one makes and another uses. */
#ifndef REPLAY_POOL_H
#define REPLAY_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct replay_process;
struct replay_thread;

enum { POOL_THREADS_MAX = 512 }; /* that run at once */

/* Begins a thread that has a stack for what programs have on theirs. False: there is none. */
bool pool_start(pthread_t *id, void *(*function)(void *), void *argument, bool detached);

/* Replays all threads, thread 0 in the calling one. Ends the job if the trace is damaged. */
void pool_run(struct replay_process *r);

/* T is in its first call. */
void pool_thread_began(struct replay_thread *t);

/* Thread 0 has initialised MPI; the trace says that this was at TRACED_NS (0: it has no times). */
void pool_initialized(struct replay_thread *t, uint64_t traced_ns);

/* Waits until all other threads have ended. */
void pool_finalize(struct replay_thread *t);

/* Lock what threads share; nothing happens if there is one thread. */
void pool_lock(struct replay_process *r);
void pool_unlock(struct replay_process *r);

/* Something was made or given up: wakes those who wait for it. Under the lock. */
void pool_changed(struct replay_process *r);

/* Waits, under the lock, until something has changed. False: nothing will, as all other threads wait, too; or nothing
 * did, and no thread of the process ended a call for LIMIT_NS (0: there is no limit). */
bool pool_wait(struct replay_process *r, uint64_t limit_ns);

/* Returns since when no thread of the process has ended a call; 0: some thread is in none. Under the lock. */
uint64_t pool_still_since(const struct replay_process *r);

#endif
