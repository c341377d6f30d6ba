/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing run-length Sequitur grammar over a sequence of terminals.
 *
 * A grammar grows by one terminal at a time and always expands to exactly the sequence appended. The symbols of its
 * rules have exponents, A -> b^3 C. Invariants after every append:
 *   expansion       the start rule expands to the sequence;
 *   digram          no digram (two neighbours with their exponents) occurs twice without overlap;
 *   runs            neighbours in a rule are different symbols (equal ones are one symbol with a larger exponent);
 *   utility         every rule but the start rule is used twice, or once with an exponent of 2 or more;
 *   length          every rule but the start rule has at least two symbols.
 * The part that still grows is exempt: the last run of a terminal, or the last iterations of a loop. The digram of the
 * start rule's last symbol counts only once another terminal follows. (Otherwise a^5 would become a^2 a^3 wherever a^2
 * occurs elsewhere.) grammar_serialise counts that digram too, so a serialised grammar has all five. n iterations of a
 * loop body give a grammar of constant size; only an exponent grows.
 *
 * A grammar *predicts* the next terminal: in a loop the next terminal of its body, otherwise the last terminal again.
 * If the prediction holds, an append moves a cursor (loop_cursor.h), without hashing, look-ups or memory, however long
 * the body is and however many loops it contains.
 *
 * Sources: Nevill-Manning and Witten 1997 (Sequitur); Dorier et al. 2015 (repetition counts); the SC'21 paper, 2.2. An
 * append is O(1) amortised. Equal sequences give equal grammars.
 *
 * If memory runs short during an append, the terminal is stored and the sequence stays exact, but a digram may stay
 * twice or a rule may be used only once. The grammar is then larger than necessary, and nothing else is wrong. */
#ifndef PILGRIM_GRAMMAR_H
#define PILGRIM_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define GRAMMAR_TERMINAL_MAX 0x7ffffffeu /* terminals are 0 to GRAMMAR_TERMINAL_MAX */
#define GRAMMAR_NOTHING      UINT32_MAX  /* no terminal */

struct grammar; /* opaque; its symbols live in one growing array and refer to each other by index */

/* Returns an empty grammar, or NULL if memory is short. The caller frees it. One thread uses a grammar at a time. */
struct grammar *grammar_new(void);
void grammar_free(struct grammar *g); /* NULL is legal */

/* Empties G, keeps its memory, and returns G. If it has much memory, frees G and returns NULL. */
struct grammar *grammar_restart(struct grammar *g);

/* Appends TERMINAL to the sequence.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (terminal too large); the grammar is then as it was before. */
enum pilgrim_status grammar_append(struct grammar *g, uint32_t terminal) PILGRIM_CHECKED;

/* The prediction. It is the beginning of struct grammar. */
struct grammar_next {
    uint64_t left;     /* how many times in a row the terminal is predicted */
    uint32_t terminal; /* the predicted terminal, or GRAMMAR_NOTHING */
};

static inline const struct grammar_next *grammar_predicted(const struct grammar *g)
{
    return (const struct grammar_next *)g;
}

/* Appends the predicted terminal: only the cursor moves. False: the caller must call grammar_advance to get the next
 * prediction. */
static inline bool grammar_step(struct grammar *g)
{
    return --((struct grammar_next *)g)->left != 0;
}

void grammar_advance(struct grammar *g);

/* Appends the next COUNT predicted terminals at once, as COUNT times grammar_step. Iterations of the outermost loop
 * cost nothing. COUNT and the length of G are at most GRAMMAR_SKIP_MAX. False: no memory, and nothing is appended. */
#define GRAMMAR_SKIP_MAX (UINT64_C(1) << 60)
bool grammar_skip(struct grammar *g, uint64_t count);

/* Adds to COUNTS[t] how often terminal t is predicted in an iteration of the loop that G is in, for t below
 * TERMINALS. Returns how many terminals an iteration has; 0: G is in no loop, or there is no memory. */
uint64_t grammar_iteration(const struct grammar *g, uint64_t *counts, uint32_t terminals);

/* True if the prediction is the next terminal of a loop; false if it is the last terminal again. */
bool grammar_in_loop(const struct grammar *g);

uint64_t grammar_length(const struct grammar *g);       /* terminals appended so far */
uint32_t grammar_rule_count(const struct grammar *g);   /* including the start rule */
uint32_t grammar_symbol_count(const struct grammar *g); /* of all rules; the growing run is not closed */
size_t grammar_memory_bytes(const struct grammar *g);

/* Appends the grammar to OUT in the form of rules.h. Rules are numbered in the order in which a walk from the start
 * rule first meets them, so equal grammars give equal bytes. G does not change. Closing the last run may take a copy,
 * so memory may double during the call. bytes_status(out) tells errors. */
void grammar_serialise(const struct grammar *g, struct bytes *out);

#endif
