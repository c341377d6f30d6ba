/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads one shard, for the first time or again. */
#ifndef PILGRIM_SHARD_LOAD_H
#define PILGRIM_SHARD_LOAD_H

#include "read/file/shards.h"
#include "read/table/parser.h"

/* Names of section types, for messages. */
extern const char *const section_names[SECTION_TYPE_COUNT];

/* Returns what opening SOURCE may take. SPENT: bytes that reading it took so far; IN_MEMORY: those of them that are
 * still in memory. */
struct budget open_budget(const struct trace_source *source, uint64_t spent, uint64_t in_memory);

/* Returns an empty shard, to be freed with shard_free. NULL: no memory. */
struct shard *shard_new(size_t number, const struct trace_source *source);

/* Parses a section without damage into V.
 * errors: PILGRIM_NOMEM, PILGRIM_DAMAGED, PILGRIM_LIMIT */
enum pilgrim_status shard_take(struct shard *v, const struct section *section, struct budget *budget,
                               struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns where SECTION is in the file. */
struct section_location section_location(const struct section *section);

/* Fills in ERROR for STATUS, which a function of source.h returned for OFFSET: PILGRIM_IO, PILGRIM_NOMEM or
 * PILGRIM_LIMIT. Returns STATUS. */
enum pilgrim_status source_error(struct pilgrim_error *error, enum pilgrim_status status, uint64_t offset);

/* Reads shard NUMBER again. *V is to be freed with shard_free.
 * errors: as shard_hold */
enum pilgrim_status shard_load(const struct pilgrim_trace *t, size_t number, struct shard **v,
                               struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
