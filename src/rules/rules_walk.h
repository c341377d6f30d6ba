/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks, sums and positions in the expansion of a sequence. */
#ifndef PILGRIM_RULES_WALK_H
#define PILGRIM_RULES_WALK_H

#include "rules/rules.h"

/* Returns the first terminal of a SEQUENCE that is not empty. O(depth). */
uint64_t rules_first(const struct rules *r, uint64_t sequence);

/* Returns the sum of the first COUNT differences of SEQUENCE, at most all of them, which has no ramps. O(depth x log
 * symbols). */
int64_t rules_sum(const struct rules *r, uint64_t sequence, uint64_t count);

/* Sets *COUNT to the number of first differences of SEQUENCE that add up to SUM. False if no number of them does.
 * SEQUENCE increases. O(depth x log symbols). */
bool rules_find_sum(const struct rules *r, uint64_t sequence, uint64_t sum, uint64_t *count);

/* Walks a sequence in O(depth) memory. Borrows the rules. A cursor of zeros is at the end. */
struct rules_cursor {
    const struct rules *rules;
    struct rules_frame *stack; /* one frame a nesting level */
    uint32_t depth;
    struct block_walk walk; /* position in the block, if the innermost rule is one */
    bool has_single;        /* the sequence is one terminal, which is still to come */
    uint64_t single;
};

enum pilgrim_status rules_cursor_init(struct rules_cursor *c, const struct rules *r, uint64_t sequence) PILGRIM_CHECKED;
void rules_cursor_free(struct rules_cursor *c);

/* Moves C back to the beginning of SEQUENCE, for which it was initialised. */
void rules_cursor_restart(struct rules_cursor *c, uint64_t sequence);

/* Returns the bytes of memory that a cursor over SEQUENCE takes. */
uint64_t rules_cursor_bytes(const struct rules *r, uint64_t sequence);

/* Sets *TERMINAL to the next terminal; false at the end. */
bool rules_cursor_next(struct rules_cursor *c, uint64_t *terminal);

/* Skips the terminals that are stored as one symbol with the last one and are equal to it, and returns their number.
 * Call it directly after rules_cursor_next returned true. */
uint64_t rules_cursor_take_same(struct rules_cursor *c);

/* Skips up to COUNT terminals in time proportional to the grammar's size, not to COUNT. Returns how many it skipped. */
uint64_t rules_cursor_skip(struct rules_cursor *c, uint64_t count);

#endif
