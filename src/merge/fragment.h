/* SPDX-License-Identifier: BSD-3-Clause */
/* A fragment: what a range of ranks recorded, grouped and ready to merge.
 *
 * Each process makes a fragment of its own rank. Fragments of neighbouring ranges are merged pairwise up the tree, the
 * lower ranks first. The fragment of all ranks is written as the trace. */
#ifndef PILGRIM_FRAGMENT_H
#define PILGRIM_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "record/ended_threads.h"
#include "record/stream.h"
#include "pilgrim/status.h"

struct fragment;

/* Returns an empty fragment whose first rank will be FIRST_RANK, or NULL if memory is short. */
struct fragment *fragment_new(uint32_t first_rank);
void fragment_free(struct fragment *f);

/* Adds the next rank: its process stream (one call of pilgrim_process) and its THREAD_COUNT thread streams, thread 0
 * first. Borrows the streams during the call. errors: PILGRIM_NOMEM (the fragment is then unusable) */
enum pilgrim_status fragment_add_rank(struct fragment *f, const struct stream *process,
                                      const struct stream *const *threads, size_t thread_count) PILGRIM_CHECKED;

/* Adds the next rank, whose process may go on recording. LAST, a stream of one call or NULL, stands for the last call
 * of the process stream. If THREADS[i] is NULL, ENDED has the calls of thread i; if ENDED has none of them either, the
 * thread made no calls. ENDED may be NULL. After the call ENDED may only be freed or renewed. errors: PILGRIM_NOMEM,
 * PILGRIM_LIMIT, PILGRIM_DAMAGED (the fragment is then unusable) */
enum pilgrim_status fragment_add_rank_so_far(struct fragment *f, const struct stream *process,
                                             const struct stream *last, const struct stream *const *threads,
                                             size_t thread_count, struct ended_threads *ended) PILGRIM_CHECKED;

/* Appends the content of FROM to INTO. FROM's first rank must be the one after INTO's last. Afterwards FROM may only be
 * freed. If INTO has shards, FROM is finalised first. errors: PILGRIM_INVALID (not neighbours), PILGRIM_NOMEM,
 * PILGRIM_LIMIT, PILGRIM_DAMAGED (INTO is then unusable, unless FROM could not be finalised) */
enum pilgrim_status fragment_merge(struct fragment *into, struct fragment *from) PILGRIM_CHECKED;

/* Finalises F if it is large, or if it is not small and the last merge gained little: its content becomes a shard, that
 * is the bytes that will be in the file (docs/FORMAT.md, section 2). Merging then only appends the shard. *FINALISED
 * says if that happened.
 *
 * Call it before F is merged into another fragment. Merging gains little where ranks have little in common, and rank 0
 * alone would do all the work. WITH_TIMES: as trace_write_segment. errors: PILGRIM_NOMEM, PILGRIM_LIMIT,
 * PILGRIM_DAMAGED */
enum pilgrim_status fragment_finalise(struct fragment *f, bool with_times, bool *finalised) PILGRIM_CHECKED;

/* Finalises F, which has at least one rank outside of its shards, in any case. errors: as fragment_finalise; after
 * PILGRIM_DAMAGED F is unchanged */
enum pilgrim_status fragment_finalise_now(struct fragment *f, bool with_times) PILGRIM_CHECKED;

/* Says that times of each call of F's ranks are kept somewhere. They name a call by its class's index in the class list
 * of its group (docs/FORMAT.md, section 6), so these lists stay as they are. */
void fragment_has_call_times(struct fragment *f);

/* Returns the buffer for times sections (docs/FORMAT.md, section 6) of F's ranks. Callers may append whole sections to
 * it, and take them away. They are merged and written with F, but fragment_pack leaves them out. */
struct bytes *fragment_times(struct fragment *f);

/* Returns what was wrong with a shard that this process wrote from F, or "" if nothing was. The shard could not be
 * read, so it was written in plain form, or without its statistics, or not at all (PILGRIM_DAMAGED). */
const char *fragment_problem(const struct fragment *f);

/* Packs F for another process of the same run, and unpacks it there. It is not a file format. The unpacked *F is the
 * caller's to free. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
void fragment_pack(const struct fragment *f, struct bytes *out);
enum pilgrim_status fragment_unpack(const void *data, size_t length, struct fragment **f) PILGRIM_CHECKED;

/* Makes the process stream of *F, a fragment of one rank, empty, and drops what only that stream used. Only the process
 * stream of a rank's last segment counts, but each segment has one, of all communicators so far. Put together with all
 * of them, time and bytes would grow with the segments times the communicators. errors: PILGRIM_NOMEM, PILGRIM_LIMIT,
 * PILGRIM_DAMAGED, PILGRIM_INVALID (not of one rank); *F can then only be freed */
enum pilgrim_status fragment_drop_process(struct fragment **f) PILGRIM_CHECKED;

/* Makes *COPY, the caller's to free: the same as F, without times sections, but of ranks from FIRST_RANK on. Columns
 * that are functions of the rank stay as they are, so F's streams must have no calls. errors: PILGRIM_NOMEM,
 * PILGRIM_LIMIT */
enum pilgrim_status fragment_copy(const struct fragment *f, uint32_t first_rank,
                                  struct fragment **copy) PILGRIM_CHECKED;

uint64_t fragment_calls(const struct fragment *f);
uint64_t fragment_plain_bytes(const struct fragment *f);
uint32_t fragment_ranks(const struct fragment *f);

/* Sets a property of the run, which the file will have. Copies KEY and VALUE. Any rank may set
 * PROPERTY_UNSEEN, several times; a merge keeps the properties of both fragments. */
enum pilgrim_status fragment_set_property(struct fragment *f, const char *key, const char *value) PILGRIM_CHECKED;

/* Appends the values of all properties with KEY to TEXT, except those that TEXT already lists. Separates them by ", ".
 */
void fragment_list_properties(const struct fragment *f, const char *key, struct bytes *text);

#endif
