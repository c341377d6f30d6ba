/* SPDX-License-Identifier: BSD-3-Clause */
/* The decoder of times: reads the content of one times section (docs/FORMAT.md, section 6) call by call. times.h is
 * the encoder.
 *
 * The bytes may be hostile. A block is checked once, when it is opened. After that only two things can be wrong: its
 * classes are not those of the thread's calls, or times grow too large. */
#ifndef PILGRIM_TIMES_BLOCK_H
#define PILGRIM_TIMES_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

struct times_block;

/* Opens the block that C reads, from `calls` on to the end of C's data, which is borrowed as long as the block
 * lives. *BLOCK is to be freed. CLASS_COUNT is the number of the thread's classes; a class index at or above it is
 * damage. Takes 4 bytes for each of them, some 50 for each that is in the block, and the bounds of at most 64 bases,
 * below 100 KiB each. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED, PILGRIM_TRUNCATED (also in c->status); *PROBLEM is
 * then a constant that says what is wrong */
enum pilgrim_status times_block_open(struct cursor *c, uint64_t class_count, struct times_block **block,
                                     const char **problem) PILGRIM_CHECKED;

/* BLOCK may be NULL. */
void times_block_free(struct times_block *block);

/* Return the number of calls, and of those that times_block_next has not returned yet. */
uint64_t times_block_calls(const struct times_block *block);
uint64_t times_block_left(const struct times_block *block);

/* Returns the end of the call before the first one, in ns. The first gap is measured from there. */
uint64_t times_block_begin(const struct times_block *block);

/* Goes on with calls of another thread. Its first gap is measured from END, which is below 2^63. */
void times_block_jump(struct times_block *block, uint64_t end);

/* Sets *START and *END, in ns, of the next call, which is of CLASS. errors: PILGRIM_END (no call is left),
 * PILGRIM_DAMAGED (the block has no further call of CLASS, or a time is 2^63 or more; all later calls return this,
 * too) */
enum pilgrim_status times_block_next(struct times_block *block, uint32_t class, uint64_t *start,
                                     uint64_t *end) PILGRIM_CHECKED;

/* Sets *VALUE to the reading, in seconds, of the call that times_block_next returned last. False if its class reads
 * no clock. No meaning for a call whose return value is not VALUE_TIME. */
bool times_block_reading(const struct times_block *block, double *value);

#endif
