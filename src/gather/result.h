/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace that rank 0 writes, segment by segment. */
#ifndef PILGRIM_RESULT_H
#define PILGRIM_RESULT_H

#include "format/trace_output.h"
#include "merge/fragment.h"

/* All zero: nothing is written. */
struct result {
    struct trace_output file;
    uint32_t segments, ranks;
    uint64_t calls, plain_bytes;
    struct bytes hidden; /* functions that were left out, as they are to be said */
};

/* Appends F, the next segment of all ranks.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED, PILGRIM_IO (it was said what): nothing is left */
enum pilgrim_status result_add(struct result *r, struct fragment *f) PILGRIM_CHECKED;

/* Appends times sections, LENGTH bytes of DATA. errors: as above */
enum pilgrim_status result_add_times(struct result *r, const uint8_t *data, size_t length) PILGRIM_CHECKED;

/* For other processes to write into: all that was added is in the file, and PATH (empty at first, to be freed) is its
 * name for now, absolute. errors: as above */
enum pilgrim_status result_share(struct result *r, struct bytes *path) PILGRIM_CHECKED;

/* They have put LENGTH bytes behind what was there. errors: as above */
enum pilgrim_status result_take_over(struct result *r, uint64_t length) PILGRIM_CHECKED;

/* There is nothing behind: the file gets its name, and that is said. errors: as above */
enum pilgrim_status result_end(struct result *r) PILGRIM_CHECKED;

/* There is no trace: removes what was written. */
void result_cancel(struct result *r);

#endif
