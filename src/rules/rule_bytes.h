/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules as bytes: the symbols one after another, as in the file's table (docs/FORMAT.md, "Rules and sequences"). A
 * `struct intern` of such rules is a table, in which a rule uses only rules before it. Blocks are stored elsewhere; a
 * symbol that is a block has the block's number (RULES_BLOCK) and any exponent. */
#ifndef PILGRIM_RULE_BYTES_H
#define PILGRIM_RULE_BYTES_H

#include "base/intern.h"
#include "format/trace_format.h"
#include "rules/rules.h"

/* Writes one rule after another. A writer of zeros is ready. Equal neighbours become one symbol, so the writer holds
 * back the last symbol. */
struct rule_writer {
    struct bytes bytes;       /* owned */
    struct rules_symbol last; /* exponent 0: none */
};

void rule_begin(struct rule_writer *w);
void rule_put(struct rule_writer *w, struct rules_symbol symbol);

/* Ends the rule; then w->bytes is complete. errors: PILGRIM_NOMEM */
enum pilgrim_status rule_complete(struct rule_writer *w) PILGRIM_CHECKED;

/* Ends the rule, adds it to TABLE if it is new, and sets *NUMBER. A rule that is only one use of another rule gets that
 * rule's number.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status rule_end(struct rule_writer *w, struct intern *table, uint32_t *number) PILGRIM_CHECKED;

/* Returns a cursor over a rule of TABLE for rule_take. The bytes are trusted: a rule_writer wrote them. */
struct cursor rule_open(const struct intern *table, uint32_t rule);

static inline struct rules_symbol rule_take(struct cursor *c)
{
    uint64_t word = cursor_varint(c);
    uint64_t more = word & STORED_HAS_EXPONENT ? cursor_varint(c) : 0;
    if ((word & STORED_IS_RULE) && (more & 1))
        return (struct rules_symbol){.value = RULES_BLOCK + (word >> STORED_SYMBOL_BITS), .exponent = (more >> 1) + 1};
    return (struct rules_symbol){.value = word >> STORED_SYMBOL_BITS,
                                 .exponent = word & STORED_HAS_EXPONENT ? (more >> 1) + 2 : 1,
                                 .is_rule = word & STORED_IS_RULE,
                                 .is_ramp = more & 1};
}

/* Copies the rules of a parsed grammar into a table, each after the rules that it uses. */
struct rule_graft {
    const struct rules *rules;
    struct intern *table;
    struct rule_writer inner;
    uint32_t *numbers; /* by rule: its number in the table; UINT32_MAX: not copied yet */
    uint32_t *offsets; /* by rule, while it is visited: the next symbol to look at */
    uint32_t *stack;
};

/* Prepares copying. RULES and TABLE are borrowed. errors: PILGRIM_NOMEM (nothing is to be freed) */
enum pilgrim_status rule_graft_init(struct rule_graft *g, const struct rules *rules,
                                    struct intern *table) PILGRIM_CHECKED;
void rule_graft_free(struct rule_graft *g);

/* Copies the rules that the start rule uses into the table, then puts the symbols of the start rule into W.
 * errors: as rule_end */
enum pilgrim_status rule_graft_start(struct rule_graft *g, struct rule_writer *w) PILGRIM_CHECKED;

#endif
