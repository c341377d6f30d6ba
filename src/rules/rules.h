/* SPDX-License-Identifier: BSD-3-Clause */
/* Grammars at rest, parsed from untrusted bytes: one grammar, or a table of rules that many sequences share.
 *
 * One grammar: varint rule count R >= 1; then for each rule, the start rule first, varint symbol count n and n symbols.
 * A symbol is varint (value << 2) | (has exponent << 1) | (is a rule) where value is the terminal or the rule's number
 * (1 to R - 1; rule 0 is the start rule and is used nowhere); a symbol with an exponent has then varint exponent - 2.
 * The empty sequence is R = 1, n = 0.
 *
 * A table (docs/FORMAT.md, "Rules and sequences") differs: any rule may be a start rule, and uses only rules before it;
 * no rule is empty; the second varint of a symbol is (exponent - 2) << 1 | is a ramp. A rule may also be a block
 * (block.h): one symbol that stands for all of its terminals.
 *
 * rules_walk.h walks the expansion, rules_uses.h counts what it is made of. */
#ifndef PILGRIM_RULES_H
#define PILGRIM_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "rules/block.h"
#include "pilgrim/status.h"

/* The number of a sequence over a table, as in a file: 0 is the empty sequence, 2t + 1 is terminal t alone, 2n + 2 is
 * the expansion of rule n. */
#define RULES_SEQUENCE(rule) (2 * (uint64_t)(rule) + 2)

struct rules_symbol {
    uint64_t value;    /* terminal, rule number, or RULES_BLOCK + the number of a block */
    uint64_t exponent; /* 1 or more */
    bool is_rule;
    bool is_ramp; /* stands for value, value + 1, ... rather than for value each time */
};

/* Added to the value of a symbol that is a block, neither a terminal nor a rule. Such a symbol is the only one of its
 * rule, and occurs once. */
#define RULES_BLOCK (UINT64_C(1) << 63)

static inline bool rules_is_block(const struct rules_symbol *symbol)
{
    return symbol->value >= RULES_BLOCK;
}

/* The properties of an expansion. The last four fields take the terminals for differences, zigzag-coded
 * (base/bytes.h). */
struct rules_total {
    uint64_t length; /* terminals */
    uint64_t limit;  /* the largest terminal + 1 */
    uint32_t depth;  /* nesting depth of rules; 1: a rule without rules */
    bool has_ramp;
    bool has_sums;  /* it contains blocks with sums, so only differences make sense */
    bool rises;     /* no difference is negative, and the sum is below 2^63 */
    bool increases; /* it rises, and no difference is 0 */
    int64_t sum;    /* of all differences, modulo 2^64 */
};

/* Length and sum of all symbols before one symbol of the table. Sums, and so the differences of two of them, are modulo
 * 2^64. */
struct rules_mark {
    uint64_t length;
    uint64_t sum;
};

struct rules {
    uint32_t rule_count;
    uint32_t *first; /* rule r's symbols are symbols[first[r]] .. symbols[first[r + 1] - 1] */
    struct rules_symbol *symbols;
    struct rules_total *total; /* by rule */
    struct rules_mark *marks;  /* of every RULES_STRIDE-th symbol */
    struct block *blocks;
    size_t block_count;
    uint64_t *block_marks; /* the marks of all blocks */
};

#define RULES_STRIDE 16

/* Returns the block of a symbol that is one. */
static inline const struct block *rules_block(const struct rules *r, const struct rules_symbol *symbol)
{
    return &r->blocks[symbol->value - RULES_BLOCK];
}

/* Returns the number of terminals of a symbol, without its exponent. */
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

/* Parses and checks one grammar at C: canonical numbers, rule numbers in range, no cycle, no rule that the start rule
 * does not reach, no empty rule but the start rule, lengths below 2^63, every terminal below TERMINAL_LIMIT. Memory is
 * at most proportional to the bytes read; the stack does not grow with the input. On an error *R is empty.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (2^32 symbols), PILGRIM_TRUNCATED, PILGRIM_DAMAGED (also left in c->status)
 * memory: *r is the caller's, to be freed by rules_free */
enum pilgrim_status rules_parse(struct cursor *c, uint64_t terminal_limit, struct rules *r) PILGRIM_CHECKED;

/* Appends to OUT the grammar in GRAMMAR with one more TERMINAL at its end, which differs from the last one. The bytes
 * of GRAMMAR are trusted: grammar_serialise wrote them. */
void rules_append(const struct bytes *grammar, uint64_t terminal, struct bytes *out);

/* Appends to OUT the grammar of terminal 0, COUNT times, at least once. */
void rules_put_run(struct bytes *out, uint64_t count);

/* Parses and checks a table, which may be empty. Subtracts the memory it takes from *BUDGET (bytes); PILGRIM_LIMIT if
 * that is not enough. *R borrows the bytes that C reads, where blocks stay packed. Otherwise as rules_parse. */
enum pilgrim_status rules_parse_table(struct cursor *c, uint64_t *budget, struct rules *r) PILGRIM_CHECKED;
void rules_free(struct rules *r);

static inline bool rules_is_expansion(uint64_t sequence)
{
    return sequence > 0 && sequence % 2 == 0;
}

/* Returns the rule whose expansion SEQUENCE is. */
static inline uint32_t rules_start(uint64_t sequence)
{
    return (uint32_t)(sequence / 2 - 1);
}

/* True if R has the rule that SEQUENCE needs. The functions below, in rules_walk.h and in rules_uses.h take only such
 * sequences. */
bool rules_have(const struct rules *r, uint64_t sequence);

struct rules_total rules_sequence_total(const struct rules *r, uint64_t sequence);
uint64_t rules_length(const struct rules *r, uint64_t sequence); /* terminals */

#endif
