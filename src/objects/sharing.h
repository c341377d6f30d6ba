/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share: locking, failure, the release hook. */
#ifndef PILGRIM_SHARING_H
#define PILGRIM_SHARING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Says if several threads may call MPI, so that locks are needed. After MPI_Init_thread. */
void objects_set_threads(bool several);

/* True once objects_set_threads(true) was called. */
extern bool objects_threads __attribute__((visibility("hidden")));

/* Locks MUTEX if objects_set_threads(true) was called; objects_unlock unlocks it. */
static inline void objects_lock(pthread_mutex_t *mutex)
{
    if (objects_threads)
        pthread_mutex_lock(mutex);
}

static inline void objects_unlock(pthread_mutex_t *mutex)
{
    if (objects_threads)
        pthread_mutex_unlock(mutex);
}

/* Called for every id that goes back to its pool, with the printed name of the object ("comm:3", "heap:1",
 * "request:5.0"). NULL in the shipped libraries; the shadow (src/shadow) sets it. */
extern void (*objects_release_hook)(const char *name) __attribute__((visibility("hidden")));

/* Calls objects_release_hook, if it is set, with "WORD:ID" or "request:CLASS.REQUEST_INDEX". The hook may allocate,
 * so the caller must not hold the lock of the heap. */
void objects_tell_released(const char *word, int64_t id);
void objects_tell_request_released(int64_t class_number, int64_t request_index);

/* True once memory was short and some object got a name that another object may have. The record is no longer exact
 * then, and recording must stop. objects_fail makes it true. */
bool objects_failed(void);
void objects_fail(void);

#endif
