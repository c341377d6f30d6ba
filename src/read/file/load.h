/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a trace. */
#ifndef PILGRIM_LOAD_H
#define PILGRIM_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "pilgrim/reader.h"

/* As pilgrim_open, from LENGTH bytes at DATA, which are borrowed for the time of the call. */
enum pilgrim_status trace_load(const void *data, size_t length, struct pilgrim_trace **trace,
                               struct pilgrim_error *error) PILGRIM_CHECKED;

/* As pilgrim_open_limited, with LIMIT bytes, 1 or more, for shards in memory in place of SHARDS_BYTES_MAX. */
enum pilgrim_status trace_open(const char *path, uint64_t limit, uint64_t memory, struct pilgrim_trace **trace,
                               struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
