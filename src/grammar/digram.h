/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbols of a grammar, and the index of its digrams.
 *
 * A digram is a symbol and its right neighbour, each with its exponent. The index (hash_index.h) maps a digram to the
 * index of its first symbol; the digram itself is read from the symbols. (A table whose entries are part of the
 * symbols, or point to them, would break when the array of symbols moves.) Code that changes a symbol's value, exponent
 * or right neighbour first removes its digram from the index. */
#ifndef PILGRIM_DIGRAM_H
#define PILGRIM_DIGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_index.h"

#define SYMBOL_NONE 0u          /* index 0 is the start rule's guard, which stands for no rule and has no digram */
#define SYMBOL_RULE 0x80000000u /* set in the value of a symbol that stands for a rule */

/* The symbols of a rule form a ring through its guard. 32 bytes: two symbols in a cache line. */
struct symbol {
    uint64_t exponent; /* 0: a guard, or a free slot */
    uint32_t value;    /* terminal, or rule | SYMBOL_RULE; in a guard the rule */
    uint32_t next;
    uint32_t previous;
    uint32_t next_use; /* the symbols that stand for a rule form a list */
    uint32_t previous_use;
    uint32_t unused;
};

/* Returns the symbol whose digram equals that of symbol S, or SYMBOL_NONE. */
uint32_t digram_find(const struct hash_index *x, const struct symbol *symbols, uint32_t s);

/* Does the same, but if there is none it adds S's digram to the index and returns S. Also returns S if memory is short;
 * then the digram is simply never found. */
uint32_t digram_intern(struct hash_index *x, const struct symbol *symbols, uint32_t s);

/* Removes S's digram from the index if S stands for it there. */
void digram_remove(struct hash_index *x, const struct symbol *symbols, uint32_t s);

/* Lets T stand for the digram that S stands for. T's digram equals S's. */
void digram_move(struct hash_index *x, const struct symbol *symbols, uint32_t s, uint32_t t);

#endif
