/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a grammar, shared by grammar.c (Sequitur), loop_cursor.c (prediction) and grammar_write.c
 * (serialising). */
#ifndef PILGRIM_GRAMMAR_DATA_H
#define PILGRIM_GRAMMAR_DATA_H

#include <stdbool.h>

#include "grammar/digram.h"
#include "grammar/grammar.h"

#define RUN_END (UINT64_C(1) << 63) /* longer than any run */

struct rule {
    uint32_t guard; /* the symbol before the first one; SYMBOL_NONE in a free slot (and for the start rule, number 0) */
    uint32_t first_use; /* first symbol that stands for the rule; in a free slot the next free slot */
};

struct index_stack {
    uint32_t *items;
    uint32_t count;
    uint32_t capacity;
};

/* A use of a rule that the loop cursor is inside of. */
struct loop_frame {
    uint64_t iterations; /* complete iterations; the outermost frame has them in its symbol's exponent */
    uint32_t use;
};

struct grammar {
    struct grammar_next next;  /* must be first: see grammar_predicted */
    uint64_t ends;             /* the length of the sequence once the prediction has come next.left more times */
    struct symbol *symbols;    /* symbol 0 is the start rule's guard */
    struct loop_frame *frames; /* uses from the start rule's last symbol inwards; see loop_cursor.h */
    uint32_t depth;            /* frames in use; 0: not in a loop, the prediction is a run */
    uint32_t at;               /* in a loop: the predicted symbol */
    struct rule *rules;
    struct hash_index digrams;
    struct index_stack short_rules;
    struct index_stack lonely_rules;
    struct index_stack open_digrams;
    uint32_t frame_capacity;
    uint32_t symbol_capacity;
    uint32_t symbol_limit; /* slots ever used */
    uint32_t symbol_count; /* symbols in use, without guards */
    uint32_t free_symbol;
    uint32_t rule_capacity;
    uint32_t rule_limit;
    uint32_t rule_count;
    uint32_t free_rule; /* 0: none */
    bool closed;        /* the start rule's last digram counts too; see grammar_serialise */
};

/* True for a symbol that is neither a guard nor a free slot. */
static inline bool is_real(const struct grammar *g, uint32_t s)
{
    return g->symbols[s].exponent != 0;
}

/* Returns the guard of the rule that symbol USE stands for. The symbol after it is the rule's first. */
static inline uint32_t rule_guard(const struct grammar *g, uint32_t use)
{
    return g->rules[g->symbols[use].value & ~SYMBOL_RULE].guard;
}

/* Reserves room for so many more symbols and rules; each new rule takes one symbol more, its guard. False: no
 * memory. */
bool grammar_reserve(struct grammar *g, uint32_t symbols, uint32_t rules);

/* Moves the symbols before S in rule R, at least two, into a new rule F: R -> F S ..., F -> ... Returns F. Takes two
 * reserved symbols and one reserved rule. */
uint32_t grammar_split(struct grammar *g, uint32_t r, uint32_t s);

/* Appends a symbol to the start rule, or joins it with the last symbol. Takes a reserved symbol. The caller must call
 * grammar_settle afterwards. */
void grammar_put(struct grammar *g, uint32_t value, uint64_t exponent);

/* Removes the last symbol of the start rule, whose digram does not count yet. The digram before it no longer counts
 * either, until another symbol follows. */
void grammar_take_back(struct grammar *g);

/* Lets the digram of the start rule's last symbol count from now on, if the grammar is closed. */
void grammar_note_last(struct grammar *g);

/* Restores the invariants of grammar.h. */
void grammar_settle(struct grammar *g);

/* Writes the length of the growing run into the last symbol's exponent. The prediction stays. */
void grammar_end_run(const struct grammar *g);

#endif
