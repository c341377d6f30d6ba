/* Run-length Sequitur: the smallest thing Pilgrim is made of.
 *
 * A grammar grows by one terminal at a time and always expands to exactly the sequence appended. Its rules
 * hold symbols with exponents, A -> b^3 C. Invariants after every append:
 *   expansion       the start rule expands to the input;
 *   digram          no pair of neighbouring (symbol, exponent) occurs twice in the grammar without overlap;
 *   runs            neighbours in a rule are different symbols (equal ones are one symbol with a larger exponent);
 *   utility         every rule but the start rule is used twice, or once with an exponent of 2 or more;
 *   length          every rule but the start rule has at least two symbols.
 * One digram is let off: that of the start rule's last symbol, a terminal whose run may still be growing, counts
 * only once another terminal follows. (Else a^5 would be taken for a^2 a^3 wherever a^2 is known.)
 * grammar_serialise writes the grammar with that digram counted too, so a grammar at rest has all five.
 * n iterations of a loop body give a grammar of constant size (an exponent grows).
 *
 * Source: Nevill-Manning and Witten 1997 (Sequitur); Dorier et al. 2015 (repetition counts); SC'21 paper 2.2.
 * Amortised O(1) an append. Deterministic: equal sequences give equal grammars.
 *
 * Where memory runs short while an append is at work, the terminal is kept and the sequence stays exact, but a digram
 * may be left twice or a rule used once: the grammar is larger than it need be, and nothing else. */
#ifndef PILGRIM_GRAMMAR_H
#define PILGRIM_GRAMMAR_H

#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define GRAMMAR_TERMINAL_MAX 0x7ffffffeu /* terminals are 0..GRAMMAR_TERMINAL_MAX */

struct grammar; /* opaque; symbols live in one growing array and refer to each other by index */

/* Returns an empty grammar, or NULL where memory is short. The caller frees it. A grammar is used by one thread
 * at a time. */
struct grammar *grammar_new(void);
void grammar_free(struct grammar *g); /* NULL is legal */

/* Appends TERMINAL to the sequence.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (terminal too large); the grammar is then as it was before. */
enum pilgrim_status grammar_append(struct grammar *g, uint32_t terminal) PILGRIM_CHECKED;

uint64_t grammar_length(const struct grammar *g);      /* terminals appended */
uint32_t grammar_rule_count(const struct grammar *g);  /* with the start rule */
uint32_t grammar_symbol_count(const struct grammar *g); /* on all right-hand sides, the growing run not yet closed */
size_t grammar_memory_bytes(const struct grammar *g);

/* Appends the grammar to OUT in the form of rules.h, rules numbered in the order in which a walk from the start
 * rule first meets them (so equal grammars give equal bytes). G does not change; closing the last run may take a
 * copy of it, so memory may double for the time of the call. Errors show in bytes_status(out). */
void grammar_serialise(const struct grammar *g, struct bytes *out);

#endif
