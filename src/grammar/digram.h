/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbols of a grammar and the index of its digrams.
 *
 * A digram is a symbol and its right neighbour, each with its exponent. The index (hash_index.h) has a symbol's index
 * as the number of its digram; the digram itself is read from the symbols. (A table whose entries are part of the
 * symbols, or point at them, cannot live with an array that moves when it grows.) Whoever changes a symbol's value,
 * exponent or right neighbour first takes its digram out. */
#ifndef PILGRIM_DIGRAM_H
#define PILGRIM_DIGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_index.h"

#define SYMBOL_NONE 0u          /* index 0 is the start rule's guard, which is never a use and has no digram */
#define SYMBOL_RULE 0x80000000u /* set in the value of a symbol that stands for a rule */

/* The symbols of a rule form a ring through its guard. 32 bytes: two in a cache line. */
struct symbol {
    uint64_t exponent; /* 0: a guard, or a free slot */
    uint32_t value;    /* terminal, or rule | SYMBOL_RULE; of a guard its rule */
    uint32_t next;
    uint32_t previous;
    uint32_t next_use; /* the uses of a rule form a list */
    uint32_t previous_use;
    uint32_t unused;
};

/* Returns the symbol whose digram equals that of symbol S, or SYMBOL_NONE. */
uint32_t digram_find(const struct hash_index *x, const struct symbol *symbols, uint32_t s);

/* The same, but where there is none S's digram enters the index and S is returned. Where memory for that is
 * short, S is returned all the same: a digram that is not in the index is only never found. */
uint32_t digram_intern(struct hash_index *x, const struct symbol *symbols, uint32_t s);

/* Takes S's digram out, if it is S that stands for it. */
void digram_remove(struct hash_index *x, const struct symbol *symbols, uint32_t s);

/* Lets T stand for the digram that S stands for now; T's digram is equal to S's. */
void digram_move(struct hash_index *x, const struct symbol *symbols, uint32_t s, uint32_t t);

#endif
