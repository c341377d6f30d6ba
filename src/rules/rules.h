/* SPDX-License-Identifier: BSD-3-Clause */
/* Grammars at rest, read from hostile bytes, and their expansion: one grammar, or a table of rules that any number of
 * sequences share.
 *
 * One grammar: varint rule count R >= 1; then for each rule, the start rule first, varint symbol count n, then n
 * symbols: varint  (value << 2) | (has exponent << 1) | (is a rule)  where value is the terminal or the rule's
 * number (1..R-1; rule 0 is the start rule and is used nowhere), and, with an exponent, varint  exponent - 2.
 * The empty sequence is R = 1, n = 0.
 *
 * A table (docs/FORMAT.md, "Rules and sequences"): any rule is a start rule, and stands only for rules that come before
 * it; none is empty; the second varint of a symbol is  (exponent - 2) << 1 | is a ramp. A rule may also be a block
 * (block.h): one symbol that stands for all of its terminals. */
#ifndef PILGRIM_RULES_H
#define PILGRIM_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "rules/block.h"
#include "pilgrim/status.h"

/* Sequences over a table, as in a file: 0 is the one without terminals, 2t + 1 that of terminal t alone, 2n + 2 the
 * expansion of rule n. */
#define RULES_SEQUENCE(rule) (2 * (uint64_t)(rule) + 2)

struct rules_symbol {
    uint64_t value;    /* terminal, or rule number, or RULES_BLOCK + a block's number */
    uint64_t exponent; /* 1 or more */
    bool is_rule;
    bool is_ramp; /* value, value + 1, ... rather than value each time */
};

/* A symbol with it is a block, and neither a terminal nor a rule. It is the only symbol of its rule, once. */
#define RULES_BLOCK (UINT64_C(1) << 63)

static inline bool rules_is_block(const struct rules_symbol *symbol)
{
    return symbol->value >= RULES_BLOCK;
}

/* What is known of an expansion. Terminals are taken for differences, zigzag coded (base/bytes.h), by the last three.
 */
struct rules_total {
    uint64_t length; /* terminals */
    uint64_t limit;  /* the largest terminal + 1 */
    uint32_t depth;  /* of rules: 1 where there is but one */
    bool has_ramp;
    bool has_sums;  /* it has blocks with sums, so it makes sense for differences only */
    bool rises;     /* no difference is negative, and their sum is below 2^63 */
    bool increases; /* nor is one 0 */
    int64_t sum;    /* modulo 2^64 */
};

/* Length and sum of all symbols that stand before one. Sums are modulo 2^64, so are the differences of two of them. */
struct rules_mark {
    uint64_t length;
    uint64_t sum;
};

struct rules {
    uint32_t rule_count;
    uint32_t *first; /* rule r's symbols are symbols[first[r]] .. symbols[first[r + 1] - 1] */
    struct rules_symbol *symbols;
    struct rules_total *total; /* of each rule */
    struct rules_mark *marks;  /* of every RULES_STRIDE-th symbol */
    struct block *blocks;
    size_t block_count;
    uint64_t *block_marks; /* of all of them */
};

#define RULES_STRIDE 16

/* That of a symbol that is one. */
static inline const struct block *rules_block(const struct rules *r, const struct rules_symbol *symbol)
{
    return &r->blocks[symbol->value - RULES_BLOCK];
}

/* Of a symbol once. */
static inline uint64_t rules_symbol_length(const struct rules *r, const struct rules_symbol *symbol)
{
    if (rules_is_block(symbol))
        return rules_block(r, symbol)->count;
    return symbol->is_rule ? r->total[symbol->value].length : 1;
}

static inline uint64_t rules_symbol_sum(const struct rules *r, const struct rules_symbol *symbol)
{
    if (rules_is_block(symbol))
        return (uint64_t)rules_block(r, symbol)->sum;
    return (uint64_t)(symbol->is_rule ? r->total[symbol->value].sum : unzigzag(symbol->value));
}

/* Parses one grammar at C and checks it: canonical numbers, rule references in range, no cycle, no rule that the
 * start rule does not reach, none that is empty but the start rule, lengths that fit 63 bits, every terminal below
 * TERMINAL_LIMIT. Memory is at most proportional to the bytes read; the
 * stack does not grow with the input. On an error *R is empty.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (2^32 symbols), PILGRIM_TRUNCATED, PILGRIM_DAMAGED (also left in c->status)
 * memory: *r is the caller's, to be freed by rules_free */
enum pilgrim_status rules_parse(struct cursor *c, uint64_t terminal_limit, struct rules *r) PILGRIM_CHECKED;

/* Appends to OUT the grammar in GRAMMAR, bytes that were written here, with one more TERMINAL, another than its last
 * one, at its end. */
void rules_append(const struct bytes *grammar, uint64_t terminal, struct bytes *out);

/* Parses a table, which may be empty. Memory comes off *BUDGET, bytes; PILGRIM_LIMIT where that is not enough. Blocks
 * stay where they are: the bytes that C reads are borrowed by *R. Else as rules_parse. */
enum pilgrim_status rules_parse_table(struct cursor *c, uint64_t *budget, struct rules *r) PILGRIM_CHECKED;
void rules_free(struct rules *r);

static inline bool rules_is_expansion(uint64_t sequence)
{
    return sequence > 0 && sequence % 2 == 0;
}

/* The rule that a sequence is the expansion of. */
static inline uint32_t rules_start(uint64_t sequence)
{
    return (uint32_t)(sequence / 2 - 1);
}

/* Whether R has what SEQUENCE needs. The functions below take such sequences only. */
bool rules_have(const struct rules *r, uint64_t sequence);

struct rules_total rules_sequence_total(const struct rules *r, uint64_t sequence);
uint64_t rules_length(const struct rules *r, uint64_t sequence); /* terminals */

#endif
