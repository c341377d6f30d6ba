/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of one times section (docs/FORMAT.md, section 6), decoded call by call. What times.h writes.
 *
 * The bytes may be hostile: a block is checked once, when it is opened; then what can be wrong is only that its classes
 * are not those of the thread's calls, or that times grow too large. */
#ifndef PILGRIM_TIMES_BLOCK_H
#define PILGRIM_TIMES_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

struct times_block;

/* The block whose content C reads, from `calls` on to the end of C's data, which must stay as long as the block.
 * *BLOCK: to be freed. class_count: the thread's places of classes; one at or above it is damage. Memory: 4 bytes for
 * each, some 50 for each that is in the block, and the series of its bases, of which there are at most 64: below 100
 * KiB each. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED, PILGRIM_TRUNCATED (also in c->status; *PROBLEM, a constant, says
 * what is wrong) */
enum pilgrim_status times_block_open(struct cursor *c, uint64_t class_count, struct times_block **block,
                                     const char **problem) PILGRIM_CHECKED;

/* BLOCK may be NULL. */
void times_block_free(struct times_block *block);

/* How many calls it has, and how many of them were not given out yet. */
uint64_t times_block_calls(const struct times_block *block);
uint64_t times_block_left(const struct times_block *block);

/* ns: the end of the call before its first one; what follows it is measured from there. */
uint64_t times_block_begin(const struct times_block *block);

/* What follows are calls of another thread, the first of which starts END ns, below 2^63, plus its gap. */
void times_block_jump(struct times_block *block, uint64_t end);

/* Start and end of the next call, which is of CLASS; ns.
 * errors: PILGRIM_END (there are no more), PILGRIM_DAMAGED (the block has no further call of CLASS, or a time is 2^63
 * or more; from then on, always) */
enum pilgrim_status times_block_next(struct times_block *block, uint32_t class, uint64_t *start,
                                     uint64_t *end) PILGRIM_CHECKED;

/* What the last call that times_block_next gave has read of a clock, seconds, in *VALUE. False: it is of a class that
 * reads none. What it says of calls whose return value is not VALUE_TIME has no meaning. */
bool times_block_reading(const struct times_block *block, double *value);

#endif
