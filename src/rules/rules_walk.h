/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks, sums and positions in the expansion of a sequence. */
#ifndef PILGRIM_RULES_WALK_H
#define PILGRIM_RULES_WALK_H

#include "rules/rules.h"

/* The first terminal of a SEQUENCE that has one. O(depth). */
uint64_t rules_first(const struct rules *r, uint64_t sequence);

/* The sum of the first COUNT differences of SEQUENCE, at most its length; without ramps. O(depth x log symbols). */
int64_t rules_sum(const struct rules *r, uint64_t sequence, uint64_t count);

/* How many of SEQUENCE's first differences add up to SUM; false: none do. SEQUENCE increases. O(depth x log symbols).
 */
bool rules_find_sum(const struct rules *r, uint64_t sequence, uint64_t sum, uint64_t *count);

/* Walks a sequence in O(depth) memory. R is borrowed and must outlive the cursor. All zero: it is at the end. */
struct rules_cursor {
    const struct rules *rules;
    struct rules_frame *stack; /* explicit: one frame a nesting level */
    uint32_t depth;
    struct block_walk walk; /* of the block that the innermost rule is */
    bool has_single;        /* the sequence of one terminal, which is still to come */
    uint64_t single;
};

enum pilgrim_status rules_cursor_init(struct rules_cursor *c, const struct rules *r, uint64_t sequence) PILGRIM_CHECKED;
void rules_cursor_free(struct rules_cursor *c);

/* Back to the beginning of SEQUENCE, for which C was initialised. */
void rules_cursor_restart(struct rules_cursor *c, uint64_t sequence);

/* What a cursor over SEQUENCE takes, bytes. */
uint64_t rules_cursor_bytes(const struct rules *r, uint64_t sequence);

/* The next terminal in *TERMINAL, true; or false at the end. */
bool rules_cursor_next(struct rules_cursor *c, uint64_t *terminal);

/* Directly after rules_cursor_next has given one: passes over those behind it that are stored as one with it, all equal
 * to it. Returns how many. */
uint64_t rules_cursor_take_same(struct rules_cursor *c);

/* Passes over up to COUNT terminals in time proportional to the grammar's size, not to COUNT. Returns how
 * many were passed over. */
uint64_t rules_cursor_skip(struct rules_cursor *c, uint64_t count);

#endif
