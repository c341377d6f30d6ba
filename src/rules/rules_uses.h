/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules that an expansion is made of, and how often each terminal occurs in it. */
#ifndef PILGRIM_RULES_USES_H
#define PILGRIM_RULES_USES_H

#include "rules/rules.h"

struct rules_use {
    uint32_t rule;
    uint64_t times;
};

/* Sets *USES to the rules of a table that SEQUENCE is made of, with the number of their uses: its own rule first, the
 * others in descending order, so each rule comes before the rules that it uses. O(n log n) in the symbols of those
 * rules.
 * memory: *USES is the caller's, to be freed.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status rules_uses(const struct rules *r, uint64_t sequence, struct rules_use **uses,
                               size_t *count) PILGRIM_CHECKED;

/* Counts each terminal (all are below TERMINAL_COUNT) among the first COUNT terminals, at most all, of a table's
 * SEQUENCE. COUNTS is overwritten and has room for TERMINAL_COUNT + 1 numbers. The time is proportional to the rules,
 * not to COUNT. *WORK: symbols visited.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status rules_count_terminals(const struct rules *r, uint64_t sequence, uint64_t count, uint64_t *counts,
                                          size_t terminal_count, uint64_t *work) PILGRIM_CHECKED;

#endif
