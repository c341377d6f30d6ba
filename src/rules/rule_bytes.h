/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules as bytes: the symbols one after another, as they stand in the file's table (docs/FORMAT.md, "Rules and
 * sequences"). In a `struct intern` they are a table, in which a rule stands for rules before it. Blocks stand
 * elsewhere; a symbol has their number (RULES_BLOCK), and any exponent. */
#ifndef PILGRIM_RULE_BYTES_H
#define PILGRIM_RULE_BYTES_H

#include "base/intern.h"
#include "format/trace_format.h"
#include "rules/rules.h"

/* Makes one rule after the other. All zero at first. Equal neighbours become one symbol, so the last one waits for the
 * next. */
struct rule_writer {
    struct bytes bytes;       /* owned */
    struct rules_symbol last; /* exponent 0: none */
};

void rule_begin(struct rule_writer *w);
void rule_put(struct rule_writer *w, struct rules_symbol symbol);

/* No more symbols: the bytes are complete. errors: PILGRIM_NOMEM */
enum pilgrim_status rule_complete(struct rule_writer *w) PILGRIM_CHECKED;

/* Adds the rule to TABLE if it does not stand there yet: its number. One that is nothing but another rule has that
 * one's number. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status rule_end(struct rule_writer *w, struct intern *table, uint32_t *number) PILGRIM_CHECKED;

/* Reading, of bytes that were written here. */
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

/* Takes rules of a parsed grammar into a table, each after those that it uses. */
struct rule_graft {
    const struct rules *rules;
    struct intern *table;
    struct rule_writer inner;
    uint32_t *numbers; /* of the rules in the table, UINT32_MAX: not there yet */
    uint32_t *offsets; /* of the rules that are being visited: the symbol that has not been looked at */
    uint32_t *stack;
};

/* RULES and TABLE are borrowed. errors: PILGRIM_NOMEM (nothing to be freed) */
enum pilgrim_status rule_graft_init(struct rule_graft *g, const struct rules *rules,
                                    struct intern *table) PILGRIM_CHECKED;
void rule_graft_free(struct rule_graft *g);

/* Puts the symbols of the start rule, after the rules that they use are in the table. errors: as rule_end */
enum pilgrim_status rule_graft_start(struct rule_graft *g, struct rule_writer *w) PILGRIM_CHECKED;

#endif
