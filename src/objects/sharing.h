/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of this folder share: locking, failure, the release hook. */
#ifndef PILGRIM_SHARING_H
#define PILGRIM_SHARING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether objects_set_threads(true) was called. */
extern bool objects_threads;

/* Takes or leaves MUTEX, only where objects_set_threads(true) was called. */
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

/* Tells objects_release_hook, if there is one, of "WORD:ID" and "request:CLASS.REQUEST_INDEX". The hook may allocate,
 * so not under the lock of the heap. */
void objects_tell_released(const char *word, int64_t id);
void objects_tell_request_released(int64_t class_number, int64_t request_index);

/* True once memory was short and some object got a name that may not be its own: the record is no longer exact,
 * so the capture side should switch off. */
bool objects_failed(void);
void objects_fail(void);

#endif
