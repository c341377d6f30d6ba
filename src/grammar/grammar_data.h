/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a grammar, for its parts: grammar.c (Sequitur), loop_cursor.c (what comes next), grammar_write.c (at
 * rest). */
#ifndef PILGRIM_GRAMMAR_DATA_H
#define PILGRIM_GRAMMAR_DATA_H

#include <stdbool.h>

#include "grammar/digram.h"
#include "grammar/grammar.h"

#define RUN_END (UINT64_C(1) << 63) /* no run is as long */

struct rule {
    uint32_t guard;     /* SYMBOL_NONE where the slot is free (and for the start rule, number 0) */
    uint32_t first_use; /* in a free slot: the next free one */
};

struct index_stack {
    uint32_t *items;
    uint32_t count;
    uint32_t capacity;
};

/* A use of a rule that the loop cursor is in. */
struct loop_frame {
    uint64_t iterations; /* complete; of the outermost its symbol's exponent says it */
    uint32_t use;
};

struct grammar {
    struct grammar_next next;  /* first: see grammar_predicted */
    uint64_t ends;             /* the length when that has come as often as it will */
    struct symbol *symbols;    /* number 0 is the start rule's guard */
    struct loop_frame *frames; /* from the start rule's last symbol inwards; see loop_cursor.h */
    uint32_t depth;            /* 0: not in a loop; what is predicted is a run */
    uint32_t at;               /* in a loop: the symbol that is predicted */
    struct rule *rules;
    struct hash_index digrams;
    struct index_stack short_rules;
    struct index_stack lonely_rules;
    struct index_stack open_digrams;
    uint32_t frame_capacity;
    uint32_t symbol_capacity;
    uint32_t symbol_limit; /* slots ever used */
    uint32_t symbol_count; /* in use, without guards */
    uint32_t free_symbol;
    uint32_t rule_capacity;
    uint32_t rule_limit;
    uint32_t rule_count;
    uint32_t free_rule; /* 0: none */
    bool closed;        /* the start rule's last digram counts as well: see grammar_serialise */
};

/* Neither a guard nor a free slot. */
static inline bool is_real(const struct grammar *g, uint32_t s)
{
    return g->symbols[s].exponent != 0;
}

/* The first symbol of the rule that symbol USE stands for. */
static inline uint32_t rule_guard(const struct grammar *g, uint32_t use)
{
    return g->rules[g->symbols[use].value & ~SYMBOL_RULE].guard;
}

/* Makes sure that so many symbols (each rule needs one more) and rules can be taken. False: no memory. */
bool grammar_reserve(struct grammar *g, uint32_t symbols, uint32_t rules);

/* What comes before S in rule R, at least two symbols, becomes a rule of its own: R -> F S ..., F -> ... Returns F.
 * Takes two reserved symbols and a rule. */
uint32_t grammar_split(struct grammar *g, uint32_t r, uint32_t s);

/* Puts a symbol at the end of the start rule, or joins it with the last one. Takes a reserved symbol. Grammar_settle
 * follows. */
void grammar_put(struct grammar *g, uint32_t value, uint64_t exponent);

/* Undoes the last symbol of the start rule, whose digram does not count yet. That of the one before does not any more.
 */
void grammar_take_back(struct grammar *g);

/* The digram of the start rule's last symbol counts from now on, if the grammar is closed. */
void grammar_note_last(struct grammar *g);

/* Restores the invariants. */
void grammar_settle(struct grammar *g);

/* The last symbol gets the exponent that its run has grown to. (What is predicted stays.) */
void grammar_end_run(const struct grammar *g);

#endif
