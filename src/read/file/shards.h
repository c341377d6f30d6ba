/* SPDX-License-Identifier: BSD-3-Clause */
/* The shards of a trace: the segments and ranks that they are of, where they are in the file, and which ones are in
 * memory.
 *
 * A trace of many shards may be much larger than what a walk needs of it at a time. All shards are read and checked
 * once, when it is opened; if together they would take more than SHARDS_BYTES_MAX, those that nobody uses are dropped
 * again, and read anew when they are needed: the file stays open then. Who uses a shard holds it. What is read anew is
 * checked as the first time, and must have the same checksums.
 *
 * A trace whose shards all fit does without all that: its `cache` is NULL, nothing in it changes, and holding costs
 * nothing. */
#ifndef PILGRIM_SHARDS_H
#define PILGRIM_SHARDS_H

#include <pthread.h>

#include "read/file/source.h"
#include "read/file/time_sections.h"
#include "read/table/shard.h"

#define SHARDS_BYTES_MAX (UINT64_C(256) << 20)

/* A section in the file. */
struct section_location {
    bool is_there;
    uint64_t offset, raw;
    size_t stored_length;
    uint32_t checksum;
};

/* Ranks of a shard up to END that have THREADS threads each; BEFORE: threads of the ranks before those. */
struct thread_run {
    uint32_t end, threads;
    uint64_t before;
};

struct shard_entry {
    uint32_t first_rank, rank_count; /* in its segment */
    uint32_t first_group;
    struct section_location sections[SECTION_TYPE_COUNT];
    struct thread_run *threads; /* NULL: too many; the shard always stays in memory */
    uint32_t thread_run_count;
    uint8_t *silent;     /* of each of its threads a bit: it has no calls */
    uint64_t bytes;      /* that it takes, roughly */
    struct shard *shard; /* NULL: not in memory */
    uint32_t users;
};

/* What changes while the trace is used. */
struct shard_cache {
    pthread_mutex_t lock; /* of all this, and of the entries' shards and users */
    uint64_t bytes;       /* of the shards in memory */
    uint64_t limit;
    uint64_t dice;
    bool dropped; /* some shard was */
};

struct pilgrim_trace {
    struct trace_source source; /* where `cache` is not NULL, or there are times of calls */
    struct bytes held;          /* its bytes, if they are in no file */
    struct time_sections times;
    struct shard_entry *entries; /* one or more */
    size_t shard_count;
    size_t *segments; /* number of each segment's first shard; one or more */
    uint32_t segment_count;
    uint32_t rank_count; /* of each segment; only the last one may have fewer */
    struct arena arena;  /* of the properties */
    const char *(*properties)[2];
    size_t property_count;
    struct shard_cache *cache; /* NULL: all shards are in memory */
};

/* ---- segments ---- */

/* How many threads RANK has in SEGMENT, and whether one of them is silent: there, or not even that, and without calls.
 */
uint32_t segment_threads(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank);
bool segment_is_silent(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, uint32_t thread);

/* ---- holding (any number of threads at once) ---- */

/* The shard NUMBER, which stays in memory until it is released as often as it was held.
 * errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED (the file has changed) */
enum pilgrim_status shard_hold(const struct pilgrim_trace *t, size_t number, const struct shard **v,
                               struct pilgrim_error *error) PILGRIM_CHECKED;
void shard_release(const struct pilgrim_trace *t, const struct shard *v); /* NULL is legal */

/* The same for that of RANK in SEGMENT. PILGRIM_END: it is not there */
enum pilgrim_status segment_hold(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, const struct shard **v,
                                 struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- opening ---- */

/* Appends E, whose shard is in memory, of a trace that is being opened. errors: PILGRIM_NOMEM */
enum pilgrim_status shards_add(struct pilgrim_trace *t, const struct shard_entry *e) PILGRIM_CHECKED;

/* Drops shards that nobody holds, until there is room for one more of BYTES, or nothing to drop. */
void shards_make_room(const struct pilgrim_trace *t, uint64_t bytes);

/* All shards are there. */
void shards_settle(struct pilgrim_trace *t);

void shard_free(struct shard *v); /* NULL is legal */

#endif
