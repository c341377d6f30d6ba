/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments: the recorded streams of a range of ranks, grouped; what the merge tree passes around.
 *
 * Fragment of one process -> pairwise merge of neighbouring ranges, lower ranks first -> the file of all. */
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

/* An empty fragment whose first rank will be FIRST_RANK. NULL where memory is short. */
struct fragment *fragment_new(uint32_t first_rank);
void fragment_free(struct fragment *f);

/* Adds the next rank: its process stream (one call of pilgrim_process) and its THREADS streams, thread 0 first.
 * Streams are borrowed during the call. errors: PILGRIM_NOMEM (the fragment is then unusable) */
enum pilgrim_status fragment_add_rank(struct fragment *f, const struct stream *process,
                                      const struct stream *const *threads, size_t thread_count) PILGRIM_CHECKED;

/* The same of a process that goes on: LAST, if it is not NULL, a stream of one call, stands for a last call in the
 * process stream. Of threads that are NULL the calls are in ENDED, or there are none. ENDED, which may be NULL, is only
 * good to be freed or renewed then. */
enum pilgrim_status fragment_add_rank_so_far(struct fragment *f, const struct stream *process,
                                             const struct stream *last, const struct stream *const *threads,
                                             size_t thread_count, struct ended_threads *ended) PILGRIM_CHECKED;

/* Appends FROM, whose first rank is the one after INTO's last; FROM is used up (free it).
 * errors: PILGRIM_NOMEM (INTO is then unusable), PILGRIM_INVALID (not neighbours) */
enum pilgrim_status fragment_merge(struct fragment *into, struct fragment *from) PILGRIM_CHECKED;

/* Binds F if what it holds is large, or is not small and the last merge gained little: makes of it its bytes in the
 * file, a shard of its own (docs/FORMAT.md, section 2), which no merge touches any more. To be asked before F is merged
 * into another one: where ranks have little in common, merging gains little, and rank 0 alone would have all the work.
 * WITH_TIMES: as fragment_write. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status fragment_finalise(struct fragment *f, bool with_times, bool *bound) PILGRIM_CHECKED;

/* Binds what F holds, which is at least one rank. errors: as fragment_finalise; PILGRIM_DAMAGED: F is as it was */
enum pilgrim_status fragment_finalise_now(struct fragment *f, bool with_times) PILGRIM_CHECKED;

/* Times sections (docs/FORMAT.md, section 6) of F's ranks, whole ones, which others may put there and take away: they
 * are merged and written with F, but not packed. */
struct bytes *fragment_times(struct fragment *f);

/* What was wrong with a shard that F was to be written as, here; "" if nothing was. No reader would have taken it, so
 * it was written in a larger form, or without its statistics, or not at all (PILGRIM_DAMAGED). */
const char *fragment_doubt(const struct fragment *f);

/* For transport between processes of one run; not a file format. */
void fragment_pack(const struct fragment *f, struct bytes *out);
enum pilgrim_status fragment_unpack(const void *data, size_t length, struct fragment **f) PILGRIM_CHECKED;

uint64_t fragment_calls(const struct fragment *f);
uint64_t fragment_plain_bytes(const struct fragment *f);
uint32_t fragment_ranks(const struct fragment *f);

/* A property of the run, kept in the file: key and value are copied. Each rank may set several with the key
 * PROPERTY_UNSEEN; merging keeps those of both fragments. */
enum pilgrim_status fragment_set_property(struct fragment *f, const char *key, const char *value) PILGRIM_CHECKED;

/* Appends the values of all properties with KEY to TEXT, with ", " between them, and to what stands there. */
void fragment_list_properties(const struct fragment *f, const char *key, struct bytes *text);

/* A trace file's bytes (docs/FORMAT.md, section 2), appended to OUT: its beginning; for each segment the fragment of
 * all ranks, ANOTHER: not the first one; its end. WITH_TIMES: aggregated times were kept. What is written is read again
 * before (fragment_doubt). errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED (it could not be read; F is as it was)
 */
enum pilgrim_status fragment_write_begin(struct bytes *out) PILGRIM_CHECKED;
enum pilgrim_status fragment_write_segment(struct fragment *f, bool with_times, bool another,
                                           struct bytes *out) PILGRIM_CHECKED;
enum pilgrim_status fragment_write_end(struct bytes *out) PILGRIM_CHECKED;

/* All of that, for a single segment. */
enum pilgrim_status fragment_write(struct fragment *f, bool with_times, struct bytes *out) PILGRIM_CHECKED;

#endif
