/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of a process that have ended: what they did, put together.
 *
 * Threads that made the same calls with other numbers are a *pattern*: its calls are stored once, and each slot is a
 * column over its threads (sequence/column.h), as in a fragment over ranks. One more thread that did what others did
 * costs a look-up, and an append to each column that differs from others; where the numbers go on regularly it takes no
 * memory. A pattern of one thread takes what its calls are as bytes: a stream and its tables would be ten times that.
 *
 * fragment_add_rank_so_far puts the threads in their places again. Used by one thread at a time. */
#ifndef PILGRIM_ENDED_THREADS_H
#define PILGRIM_ENDED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stream.h"
#include "pilgrim/status.h"

struct common_times;
struct ended_threads;

/* VOCABULARY, which is also that of the streams, is borrowed. NULL: no memory. */
struct ended_threads *ended_new(const struct vocabulary *vocabulary);
void ended_free(struct ended_threads *e);

/* Takes what *S has recorded, at least one call, for the calls of thread NUMBER, which has not been added since E was
 * new or renewed, and flushes its times. A stream that is kept as it is is E's from now on, and *S is NULL; else it is
 * to be restarted. errors: PILGRIM_NOMEM (E is then unusable), PILGRIM_DAMAGED (a key that is none), what the times'
 * sink says */
enum pilgrim_status ended_add(struct ended_threads *e, uint32_t number, struct stream **s) PILGRIM_CHECKED;

/* From now on the times of the calls of short threads go to COMMON, which is E's from here on; NULL: no memory, which
 * is an error. */
enum pilgrim_status ended_share_times(struct ended_threads *e, struct common_times *common) PILGRIM_CHECKED;

/* All times have gone to sinks: to be called before E is put into a fragment. errors: as common_times_flush */
enum pilgrim_status ended_flush_times(struct ended_threads *e) PILGRIM_CHECKED;

/* As if E were new, but for ended_share_times. */
void ended_renew(struct ended_threads *e);

bool ended_any(const struct ended_threads *e);

/* What it takes, and what more it will take to put the threads into a fragment. */
size_t ended_memory_bytes(const struct ended_threads *e);

#endif
