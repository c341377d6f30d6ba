/* SPDX-License-Identifier: BSD-3-Clause */
/* From a grammar to loops with trip counts (docs/FORMAT.md, "Loops"): what is constant about a sequence, and how often
 * each of its loops goes around each time.
 *
 * A grammar has to say each order in which things come. `for each i: X, then Y as often as i` is new rules for each i;
 * as a loop it is X Y* and the numbers 1, 2, 3, ... */
#ifndef PILGRIM_LOOPS_H
#define PILGRIM_LOOPS_H

#include "base/bytes.h"
#include "sequence/nested_runs.h"

#define LOOPS_MIN 40 /* symbols of a grammar: smaller ones stay as they are */

/* Sequences are serialised grammars (rules.h). Terminal C + i of theirs, where C is the number of terminals of what
 * they were made from, is loop i: in its place stands its body, as often as the next of its trips says. */
struct loops_loop {
    struct bytes body;              /* not empty; of loops only those before this one */
    uint64_t count;                 /* trips, one for each time that the loop is met */
    int64_t first, factor;          /* the i-th, from 0: first + factor x the sum of the first i differences */
    struct nested_runs differences; /* closed; none: all trips are equal */
    uint64_t range;                 /* of those sums: the largest one - the smallest one */
};

struct loops {
    struct bytes top;
    struct loops_loop *items;
    uint32_t count;
};

/* The loops of the grammar DATA, over terminals 0 to TERMINAL_COUNT - 1, each of which occurs. *FOUND false: it is no
 * grammar, it is too small or too long, or is smaller as it is; *L is then empty. O(runs of the sequence x depth of its
 * loops), bounded. errors: PILGRIM_NOMEM, *L is then empty; memory: *L is the caller's */
enum pilgrim_status loops_find(const void *data, size_t length, uint32_t terminal_count, struct loops *l,
                               bool *found) PILGRIM_CHECKED;

/* The same whatever its size, and whatever it gains: for tests. */
enum pilgrim_status loops_find_any(const void *data, size_t length, uint32_t terminal_count, struct loops *l,
                                   bool *found) PILGRIM_CHECKED;

void loops_free(struct loops *l);

#endif
