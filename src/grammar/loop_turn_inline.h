/* SPDX-License-Identifier: BSD-3-Clause */
/* The usual cases of grammar_advance, for the hot path. */
#ifndef PILGRIM_LOOP_TURN_INLINE_H
#define PILGRIM_LOOP_TURN_INLINE_H

#include "grammar/grammar_data.h"

/* Predicts TERMINAL as often as the exponent of symbol S says. */
static inline void predict_symbol(struct grammar *g, uint32_t s, uint32_t terminal)
{
    g->at = s;
    g->next = (struct grammar_next){g->symbols[s].exponent, terminal};
    g->ends += g->symbols[s].exponent;
}

/* As grammar_advance, if a terminal follows in the same rule, or the outermost loop begins again with one. False:
 * another case, and nothing was done. */
static inline bool grammar_turn_quickly(struct grammar *g)
{
    struct symbol *symbols = g->symbols;
    uint32_t s = symbols[g->at].next;
    bool at_end = symbols[s].exponent == 0;
    if (at_end)
        s = symbols[s].next;
    if ((at_end && g->depth != 1) || symbols[s].value & SYMBOL_RULE)
        return false;
    symbols[g->frames[0].use].exponent += at_end;
    predict_symbol(g, s, symbols[s].value);
    return true;
}

#endif
