/* SPDX-License-Identifier: BSD-3-Clause */
/* Run-length Sequitur: the smallest thing Pilgrim is made of.
 *
 * A grammar grows by one terminal at a time and always expands to exactly the sequence appended. Its rules
 * hold symbols with exponents, A -> b^3 C. Invariants after every append:
 *   expansion       the start rule expands to the input;
 *   digram          no pair of neighbouring (symbol, exponent) occurs twice in the grammar without overlap;
 *   runs            neighbours in a rule are different symbols (equal ones are one symbol with a larger exponent);
 *   utility         every rule but the start rule is used twice, or once with an exponent of 2 or more;
 *   length          every rule but the start rule has at least two symbols.
 * What still grows is let off: the last run of a terminal, or the last iterations of a loop. The digram of the start
 * rule's last symbol counts only once another terminal follows. (Else a^5 would be taken for a^2 a^3 wherever a^2 is
 * known.) grammar_serialise writes the grammar with that digram counted too, so a grammar at rest has all five. n
 * iterations of a loop body give a grammar of constant size (an exponent grows).
 *
 * A grammar *predicts* what comes next: in a loop the next terminal of its body, else the last terminal once more. As
 * long as that comes an append moves a cursor (loop_cursor.h), with no hashing, no look-up and no memory, however long
 * the body and however many loops there are in it.
 *
 * Source: Nevill-Manning and Witten 1997 (Sequitur); Dorier et al. 2015 (repetition counts); SC'21 paper 2.2.
 * Amortised O(1) an append. Deterministic: equal sequences give equal grammars.
 *
 * Where memory runs short while an append is at work, the terminal is kept and the sequence stays exact, but a digram
 * may be left twice or a rule used once: the grammar is larger than it need be, and nothing else. */
#ifndef PILGRIM_GRAMMAR_H
#define PILGRIM_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define GRAMMAR_TERMINAL_MAX 0x7ffffffeu /* terminals are 0..GRAMMAR_TERMINAL_MAX */
#define GRAMMAR_NOTHING      UINT32_MAX  /* none of them */

struct grammar; /* opaque; symbols live in one growing array and refer to each other by index */

/* Returns an empty grammar, or NULL where memory is short. The caller frees it. A grammar is used by one thread
 * at a time. */
struct grammar *grammar_new(void);
void grammar_free(struct grammar *g); /* NULL is legal */

/* Returns G as an empty grammar, with its memory; or NULL, and G is gone, where that is much. */
struct grammar *grammar_restart(struct grammar *g);

/* Appends TERMINAL to the sequence.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (terminal too large); the grammar is then as it was before. */
enum pilgrim_status grammar_append(struct grammar *g, uint32_t terminal) PILGRIM_CHECKED;

/* What comes next if the sequence goes on as it did. The beginning of a grammar. */
struct grammar_next {
    uint64_t left;     /* so many times in a row */
    uint32_t terminal; /* or GRAMMAR_NOTHING */
};

static inline const struct grammar_next *grammar_predicted(const struct grammar *g)
{
    return (const struct grammar_next *)g;
}

/* Appends the terminal that is predicted: nothing but the cursor moves. False: what comes next is another one, and
 * grammar_advance has to be called to see it. */
static inline bool grammar_step(struct grammar *g)
{
    return --((struct grammar_next *)g)->left != 0;
}

void grammar_advance(struct grammar *g);

/* Whether what is predicted is a loop's next terminal; or that the last terminal comes again. */
bool grammar_in_loop(const struct grammar *g);

uint64_t grammar_length(const struct grammar *g);       /* terminals appended */
uint32_t grammar_rule_count(const struct grammar *g);   /* with the start rule */
uint32_t grammar_symbol_count(const struct grammar *g); /* on all right-hand sides, the growing run not yet closed */
size_t grammar_memory_bytes(const struct grammar *g);

/* Appends the grammar to OUT in the form of rules.h, rules numbered in the order in which a walk from the start
 * rule first meets them (so equal grammars give equal bytes). G does not change; closing the last run may take a
 * copy of it, so memory may double for the time of the call. Errors show in bytes_status(out). */
void grammar_serialise(const struct grammar *g, struct bytes *out);

#endif
