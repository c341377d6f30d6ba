/* SPDX-License-Identifier: BSD-3-Clause */
/* Many predicted terminals at once: a process that died in a steady loop has left their number only. */
#ifndef PILGRIM_GRAMMAR_SKIP_H
#define PILGRIM_GRAMMAR_SKIP_H

#include "grammar/grammar.h"

/* Appends the next COUNT predicted terminals, as COUNT times grammar_step. Iterations of the outermost loop cost
 * nothing. COUNT and the length of G are at most GRAMMAR_SKIP_MAX. False: no memory, and nothing is appended. */
#define GRAMMAR_SKIP_MAX (UINT64_C(1) << 60)
bool grammar_skip(struct grammar *g, uint64_t count);

/* Adds to COUNTS[t] how often terminal t is predicted in an iteration of the loop that G is in, for t below
 * TERMINALS. Returns how many terminals an iteration has; 0: G is in no loop, or there is no memory. */
uint64_t grammar_iteration(const struct grammar *g, uint64_t *counts, uint32_t terminals);

#endif
