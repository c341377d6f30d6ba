/* SPDX-License-Identifier: BSD-3-Clause */
/* The shards of a trace: their segments and ranks, their positions in the file, and which are in memory.
 *
 * A trace of many shards may be much larger than what a walk needs at a time. Opening reads and checks all shards once.
 * If together they take more than SHARDS_BYTES_MAX, the file stays open: shards that nobody uses are dropped, and read
 * again when they are needed. Users hold the shards that they use. A shard that is read again is checked again, and
 * must have the same checksums.
 *
 * If all shards fit, `cache` is NULL, nothing in the trace changes, and holding costs nothing. */
#ifndef PILGRIM_SHARDS_H
#define PILGRIM_SHARDS_H

#include <pthread.h>

#include "read/file/source.h"
#include "read/file/time_sections.h"
#include "read/file/trace_symbols.h"
#include "read/table/shard.h"

#define SHARDS_BYTES_MAX (UINT64_C(256) << 20)

/* The position of a section in the file. */
struct section_location {
    bool is_there;
    uint64_t offset, raw;
    size_t stored_length;
    uint32_t checksum;
};

/* Consecutive ranks of a shard, up to END, that have THREADS threads each. BEFORE: threads of all ranks before them. */
struct thread_run {
    uint32_t end, threads;
    uint64_t before;
};

struct shard_entry {
    uint32_t first_rank, rank_count; /* in the segment */
    uint32_t first_group;
    struct section_location sections[SECTION_TYPE_COUNT];
    struct thread_run *threads; /* NULL: too many runs, so the shard always stays in memory */
    uint32_t thread_run_count;
    uint8_t *silent;     /* one bit for each thread: set if it has no calls */
    uint64_t bytes;      /* memory of the shard, estimated */
    struct shard *shard; /* NULL: not in memory */
    uint32_t users;
};

/* The part of a trace that changes while it is used. */
struct shard_cache {
    pthread_mutex_t lock; /* guards this structure, and SHARD and USERS of all entries */
    uint64_t bytes;       /* of the shards in memory */
    uint64_t limit;
    uint64_t dice;
    bool dropped; /* a shard has been dropped */
};

struct pilgrim_trace {
    struct trace_source source; /* used if CACHE is not NULL, or if there are times of calls */
    struct bytes held;          /* the bytes of the trace, if they are not in a file */
    struct time_sections times;
    struct shard_entry *entries; /* one or more */
    size_t shard_count;
    size_t *segments; /* the first shard of each segment; one or more */
    uint32_t segment_count;
    uint32_t rank_count; /* of each segment; only the last one of a damaged trace may have fewer */
    struct arena arena;  /* owns the properties */
    struct trace_symbols symbols;
    const char *(*properties)[2];
    size_t property_count;
    struct shard_cache *cache; /* NULL: all shards are in memory */
};

/* ---- segments ---- */

/* Returns the number of threads of RANK in SEGMENT. segment_is_silent: true if THREAD of RANK has no calls in SEGMENT,
 * or is not there. */
uint32_t segment_threads(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank);
bool segment_is_silent(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, uint32_t thread);

/* ---- holding (any number of threads at once) ---- */

/* Sets *V to shard NUMBER. It stays in memory until shard_release was called as often as this.
 * errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED (the file has changed) */
enum pilgrim_status shard_hold(const struct pilgrim_trace *t, size_t number, const struct shard **v,
                               struct pilgrim_error *error) PILGRIM_CHECKED;
void shard_release(const struct pilgrim_trace *t, const struct shard *v); /* NULL is legal */

/* The same for the shard of RANK in SEGMENT. PILGRIM_END: there is none */
enum pilgrim_status segment_hold(const struct pilgrim_trace *t, uint32_t segment, uint32_t rank, const struct shard **v,
                                 struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- opening ---- */

/* Appends E, whose shard is in memory, to a trace that is being opened.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status shards_add(struct pilgrim_trace *t, const struct shard_entry *e) PILGRIM_CHECKED;

/* Drops shards that nobody holds until another one of BYTES fits, or until all of them are dropped. */
void shards_make_room(const struct pilgrim_trace *t, uint64_t bytes);

/* Ends the opening: all shards have been added. */
void shards_settle(struct pilgrim_trace *t);

void shard_free(struct shard *v); /* NULL is legal */

#endif
