/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop cursor: predicts a loop's next terminal, so that another iteration leaves the grammar unchanged.
 *
 * A grammar is *in a loop* while the start rule's last symbol is X^k for a rule X, k >= LOOP_ITERATIONS_MIN, and the
 * terminals since then are a beginning of X's expansion. The cursor is a position in that expansion: the uses of rules
 * that it is inside of (frames), each with its number of complete iterations, and a terminal, with the number of times
 * that it is still to come. At the end of X, k grows by one. Another terminal than the predicted one makes the grammar
 * leave the loop: the part of X that has come is appended behind X^k in O(depth), as the largest symbols that it
 * consists of. If that leaves the beginning of a rule's body, the beginning becomes a rule of its own (grammar_split),
 * because it now occurs twice.
 *
 * The digram of X^k does not count while k grows, like that of a terminal's run.
 *
 * Without a cursor each iteration would go through Sequitur: its digrams are found in X, become rules, and are
 * dissolved at the end of the iteration; and X^k may be merged with an X^k elsewhere. So the grammars differ. For
 * random programs of loops with changing trips and noise, grammars with a cursor are 4% smaller in sum, and one in 3000
 * is larger by more than a fifth (tests/unit/check_loop_cursor.c). */
#ifndef PILGRIM_LOOP_CURSOR_H
#define PILGRIM_LOOP_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct grammar;

#ifndef LOOP_ITERATIONS_MIN
#define LOOP_ITERATIONS_MIN 1 /* tests set another one */
#endif

/* Symbols that a frame takes when the loop is left: the guard of a new rule, its two uses, and the complete
 * iterations. */
#define LOOP_FRAME_SYMBOLS 4u

/* Enters a loop if the start rule ends in X^k and a beginning of X. If memory is short, may enter it without a
 * prediction. */
void loop_cursor_start(struct grammar *g);

/* Moves the cursor back before the last terminal if that is TERMINAL and the predicted one is another. So TERMINAL will
 * lengthen the run that it ends. grammar_advance undoes it. False: the cursor has not moved. */
bool loop_cursor_back(struct grammar *g, uint32_t terminal);

/* Leaves the loop, if the grammar is in one. The caller has reserved LOOP_FRAME_SYMBOLS symbols and a rule for each
 * frame. */
void loop_cursor_leave(struct grammar *g);

#endif
