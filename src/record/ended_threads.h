/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores what ended threads of a process recorded, equal threads once.
 *
 * Threads that made the same calls with other numbers are a *pattern*. Its calls are stored once. Each slot is a
 * column over the threads of the pattern (sequence/column.h), as in a fragment over ranks. Another thread that did the
 * same costs a look-up, and an append to each column that differs from others. It takes no memory where the numbers go
 * on regularly. A pattern of one thread is stored as bytes: a stream and its tables would take ten times as much.
 *
 * fragment_add_rank_so_far puts the threads into a fragment, in order of number. Used by one thread at a time. */
#ifndef PILGRIM_ENDED_THREADS_H
#define PILGRIM_ENDED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream.h"
#include "pilgrim/status.h"

struct common_times;
struct ended_threads;

/* Returns an empty object, or NULL without memory. VOCABULARY is borrowed. All streams that are added have the same
 * one. */
struct ended_threads *ended_new(const struct vocabulary *vocabulary);
void ended_free(struct ended_threads *e);

/* Adds the calls of *S as those of thread NUMBER, and flushes their times. *S has at least one call. NUMBER has not
 * been added since E was new or renewed. If E keeps the stream, *S is set to NULL and E owns it. Else the caller
 * restarts *S. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (a key is malformed), errors of the sink of the times. E can
 * only be freed after an error */
enum pilgrim_status ended_add(struct ended_threads *e, uint32_t number, struct stream **s) PILGRIM_CHECKED;

/* Sends the times of calls of short threads to COMMON from now on. E owns COMMON. errors: PILGRIM_NOMEM if COMMON is
 * NULL */
enum pilgrim_status ended_share_times(struct ended_threads *e, struct common_times *common) PILGRIM_CHECKED;

/* Sends all pending times to their sinks. To be called before E is put into a fragment. errors: as
 * common_times_flush */
enum pilgrim_status ended_flush_times(struct ended_threads *e) PILGRIM_CHECKED;

/* Forgets all threads. What ended_share_times set stays. */
void ended_renew(struct ended_threads *e);

bool ended_any(const struct ended_threads *e);

/* Returns the bytes that E takes, and those that it will take in addition while its threads are put into a fragment. */
size_t ended_memory_bytes(const struct ended_threads *e);

#endif
