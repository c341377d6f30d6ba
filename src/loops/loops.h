/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns a grammar into loops with trip counts (docs/FORMAT.md, "Loops"): the constant structure of a sequence, and for
 * each of its loops how many iterations it has each time.
 *
 * A grammar must spell out every order of terminals. `for each i: X, then Y i times` takes new rules for each i. As a
 * loop it is X Y* and the numbers 1, 2, 3, ...
 *
 * loops_size.h says if loops pay. */
#ifndef PILGRIM_LOOPS_H
#define PILGRIM_LOOPS_H

#include "base/bytes.h"
#include "sequence/nested_runs.h"

#define LOOPS_MIN 40 /* symbols; a smaller grammar never becomes loops */

/* A loop. `body` and the `top` of all loops are serialised grammars (rules.h). Let C be the number of terminals of the
 * original grammar: then terminal C + i means loop i. It stands for the body of loop i, repeated as often as the next
 * of its trips says. */
struct loops_loop {
    struct bytes body;              /* not empty; uses only loops before this one */
    uint64_t count;                 /* number of trips: one for each time that the loop is entered */
    int64_t first, factor;          /* trip i (from 0) is first + factor x the sum of the first i differences */
    struct nested_runs differences; /* closed; empty: all trips are equal */
    uint64_t range;                 /* the largest of those sums minus the smallest */
};

struct loops {
    struct bytes top;
    struct loops_loop *items;
    uint32_t count;
};

/* Finds the loops of the serialised grammar DATA over terminals 0 to TERMINAL_COUNT - 1, each of which occurs. *FOUND
 * false: it is no grammar, it is too small or too long, or loops do not pay; *L is then empty. O(runs of the sequence x
 * depth of its loops), with a limit.
 * errors: PILGRIM_NOMEM, *L is then empty;
 * memory: *L is the caller's, to be freed by loops_free */
enum pilgrim_status loops_find(const void *data, size_t length, uint32_t terminal_count, struct loops *l,
                               bool *found) PILGRIM_CHECKED;

/* Does the same without the limits and even if loops do not pay. For tests. */
enum pilgrim_status loops_find_any(const void *data, size_t length, uint32_t terminal_count, struct loops *l,
                                   bool *found) PILGRIM_CHECKED;

void loops_free(struct loops *l);

#endif
