/* A grammar at rest: its serialised form, read from hostile bytes, and its expansion.
 *
 * Serialised (docs/FORMAT.md, "Rules"): varint rule count R >= 1; then for each rule, the start rule first,
 * varint symbol count n, then n symbols: varint  (value << 2) | (has exponent << 1) | (is a rule)  where value
 * is the terminal or the rule's number (1..R-1; rule 0 is the start rule and is used nowhere), and,
 * with an exponent, varint  exponent - 2.  The empty sequence is R = 1, n = 0. */
#ifndef PILGRIM_RULES_H
#define PILGRIM_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

struct rules_symbol {
    uint32_t value;    /* terminal, or rule number */
    bool is_rule;
    uint64_t exponent; /* 1 or more */
};

struct rules {
    uint32_t rule_count;
    uint32_t *first;      /* rule r's symbols are symbols[first[r]] .. symbols[first[r + 1] - 1] */
    struct rules_symbol *symbols;
    uint64_t *length;     /* terminals that rule r expands to */
    uint64_t *times;      /* how often rule r stands in the expansion of the start rule */
    uint32_t depth;       /* of nesting: 1 where the start rule holds terminals alone */
};

/* Parses one grammar at C and checks it: canonical numbers, rule references in range, no cycle, no rule that the
 * start rule does not reach, none that is empty but the start rule, lengths that fit 63 bits, every terminal below
 * TERMINAL_LIMIT. Memory is at most proportional to the bytes read; the
 * stack does not grow with the input. On an error *R is empty.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (2^32 symbols), PILGRIM_TRUNCATED, PILGRIM_DAMAGED (also left in c->status)
 * memory: *r is the caller's, to be freed by rules_free */
enum pilgrim_status rules_parse(struct cursor *c, uint64_t terminal_limit, struct rules *r) PILGRIM_CHECKED;
void rules_free(struct rules *r);

/* Walks a grammar's expansion in O(depth) memory. R is borrowed and must outlive the cursor. */
struct rules_cursor {
    const struct rules *rules;
    struct rules_frame *stack; /* explicit: one frame a nesting level */
    uint32_t depth;
};

enum pilgrim_status rules_cursor_init(struct rules_cursor *c, const struct rules *r) PILGRIM_CHECKED;
void rules_cursor_free(struct rules_cursor *c);

/* The next terminal in *TERMINAL, true; or false at the end. */
bool rules_cursor_next(struct rules_cursor *c, uint32_t *terminal);

/* Passes over up to COUNT terminals in time proportional to the grammar's size, not to COUNT. Returns how
 * many were passed over. */
uint64_t rules_cursor_skip(struct rules_cursor *c, uint64_t count);

/* How often each terminal occurs in the expansion: count[t] for t < limit, added to what is there. */
void rules_count_terminals(const struct rules *r, uint64_t *count, uint32_t limit);

#endif
