/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop cursor: where a loop goes around again, nothing of the grammar changes.
 *
 * A grammar is *in a loop* while the start rule's last symbol is a rule X^k, k >= LOOP_ITERATIONS_MIN, and what has
 * come since is the beginning of X's expansion. A cursor stands in that: the uses of rules that it is in (frames), each
 * with the iterations that are complete, and a terminal, with how often it is still to come. At the end of X k grows by
 * one. Another terminal than the one predicted makes the grammar leave the loop: what has come of X is put behind X^k,
 * in O(depth), as the largest symbols that it consists of. Where the beginning of a rule's body is left over, it
 * becomes a rule of its own (grammar_split), as it is the second time that it occurs.
 *
 * The digram of X^k does not count as long as k grows, like that of a terminal's run.
 *
 * Without a cursor each iteration goes through Sequitur: its digrams are found in X, become rules, and those are
 * dissolved at its end; and X^k may be taken for a part of what follows X^k elsewhere. So grammars differ: of programs
 * of loops drawn at random, with changing trips and noise, they are 4% smaller in sum, and one in 3000 is larger by
 * more than a fifth (tests/unit/check_loop_cursor.c). */
#ifndef PILGRIM_LOOP_CURSOR_H
#define PILGRIM_LOOP_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct grammar;

#ifndef LOOP_ITERATIONS_MIN
#define LOOP_ITERATIONS_MIN 1 /* tests have another */
#endif

/* Symbols that a frame takes when the loop is left: a new rule's guard, its two uses, and complete iterations. */
#define LOOP_FRAME_SYMBOLS 4u

/* Enters a loop if the start rule ends in X^k and the beginning of X, without memory or with any. */
void loop_cursor_start(struct grammar *g);

/* Moves the cursor back before the last terminal, if that is TERMINAL, and the one predicted is another: so that what
 * comes lengthens its run. grammar_advance undoes it. */
bool loop_cursor_back(struct grammar *g, uint32_t terminal);

/* Leaves the loop, if the grammar is in one: LOOP_FRAME_SYMBOLS symbols and a rule a frame are reserved. */
void loop_cursor_leave(struct grammar *g);

#endif
