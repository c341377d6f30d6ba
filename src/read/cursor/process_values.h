/* SPDX-License-Identifier: BSD-3-Clause */
/* The call of pilgrim_process of a rank (docs/FORMAT.md, section 5): rank bases, host, clock. */
#ifndef PILGRIM_PROCESS_VALUES_H
#define PILGRIM_PROCESS_VALUES_H

#include "read/file/shards.h"
#include "read/table/streams.h"
#include "read/value/evaluate.h"

/* Evaluates the call of pilgrim_process of RANK, a rank of the trace, in the last segment whose process stream has
 * calls. All memory is from ARENA, but for what is borrowed from *SHARD, which the caller releases, also after an
 * error. PILGRIM_END: no process stream has calls.
 * errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED */
enum pilgrim_status process_values(const struct pilgrim_trace *trace, uint32_t rank, struct arena *arena,
                                   const struct shard **shard, const struct pilgrim_function **function,
                                   const struct pilgrim_value **in, struct pilgrim_error *error) PILGRIM_CHECKED;

/* Finds the process stream of RANK that counts: its segment, shard and position. The shard is to be released, also
 * after an error. PILGRIM_END: no process stream has calls.
 * errors: PILGRIM_NOMEM, PILGRIM_IO, PILGRIM_DAMAGED */
enum pilgrim_status process_stream_find(const struct pilgrim_trace *trace, uint32_t rank, uint32_t *segment,
                                        const struct shard **v, struct stream_position *stream,
                                        struct pilgrim_error *error) PILGRIM_CHECKED;

struct stored_rank_bases {
    struct stored_rank_base *items; /* to be freed */
    size_t count;
};

/* Reads the rank bases of RANK. A rank whose process streams have no calls has none.
 * errors: as process_values */
enum pilgrim_status rank_bases_read(const struct pilgrim_trace *trace, uint32_t rank, struct stored_rank_bases *bases,
                                    struct pilgrim_error *error) PILGRIM_CHECKED;

/* Fills in ERROR with PROBLEM of RANK in the section of calls of V. Returns STATUS. */
enum pilgrim_status rank_error(const struct shard *v, uint32_t rank, enum pilgrim_status status, const char *problem,
                               struct pilgrim_error *error);

extern const char in_no_group[]; /* a problem */

#endif
