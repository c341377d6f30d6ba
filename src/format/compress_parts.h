/* SPDX-License-Identifier: BSD-3-Clause */
/* Compresses contents of parts that may have little in common, such as columns of numbers. */
#ifndef PILGRIM_COMPRESS_PARTS_H
#define PILGRIM_COMPRESS_PARTS_H

#include <stddef.h>
#include <zstd.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* Returns what an error of zstd's means: PILGRIM_NOMEM or PILGRIM_LIMIT. */
enum pilgrim_status compressor_error(size_t code);

/* Compresses CONTENT and appends the frame to OUT. ENDS has the COUNT offsets where parts end, in order; another part
 * is behind the last one. A part gets a table of symbols of its own if that pays: CONTEXT is flushed before it, and
 * begins a block with a new table. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status compress_parts(ZSTD_CCtx *context, const struct bytes *content, const size_t *ends, size_t count,
                                   struct bytes *out) PILGRIM_CHECKED;

#endif
