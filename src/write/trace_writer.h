/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a trace (docs/FORMAT.md, section 2) from the fragments of all ranks, one for each segment. */
#ifndef PILGRIM_TRACE_WRITER_H
#define PILGRIM_TRACE_WRITER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "merge/fragment.h"
#include "pilgrim/status.h"

/* Appends the beginning of the file to OUT. errors: PILGRIM_NOMEM */
enum pilgrim_status trace_write_begin(struct bytes *out) PILGRIM_CHECKED;

/* Appends a segment to OUT: F, the fragment of all ranks, then its shards and its times. WITH_TIMES: aggregated times
 * were recorded. ANOTHER: it is not the first segment. F's own shard is read again before it is handed on
 * (fragment_problem). errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED (the shard could not be read; F is
 * unchanged) */
enum pilgrim_status trace_write_segment(struct fragment *f, bool with_times, bool another,
                                        struct bytes *out) PILGRIM_CHECKED;

/* Appends the end of the file to OUT. errors: PILGRIM_NOMEM */
enum pilgrim_status trace_write_end(struct bytes *out) PILGRIM_CHECKED;

/* Appends a whole file with F as its single segment. errors: as trace_write_segment */
enum pilgrim_status trace_write(struct fragment *f, bool with_times, struct bytes *out) PILGRIM_CHECKED;

#endif
