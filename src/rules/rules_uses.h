/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules that an expansion is made of, and how often each terminal occurs in it. */
#ifndef PILGRIM_RULES_USES_H
#define PILGRIM_RULES_USES_H

#include "rules/rules.h"

struct rules_use {
    uint32_t rule;
    uint64_t times;
};

/* The rules of a table that SEQUENCE is made of, and how often each: its own first, then in descending order, so that
 * each comes before those that it stands for. O(n log n) in the symbols of those rules. memory: *USES is the caller's,
 * to be freed. errors: PILGRIM_NOMEM */
enum pilgrim_status rules_uses(const struct rules *r, uint64_t sequence, struct rules_use **uses,
                               size_t *count) PILGRIM_CHECKED;

/* How often each terminal, below TERMINAL_COUNT, stands among the first COUNT, at most all, of a table's SEQUENCE.
 * COUNTS has one more than those; it is set. In time proportional to the rules, not to COUNT; *WORK: how many symbols
 * were looked at. errors: PILGRIM_NOMEM */
enum pilgrim_status rules_count_terminals(const struct rules *r, uint64_t sequence, uint64_t count, uint64_t *counts,
                                          size_t terminal_count, uint64_t *work) PILGRIM_CHECKED;

#endif
