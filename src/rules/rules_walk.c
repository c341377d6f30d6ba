/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks, sums and positions in expansions; see rules_walk.h. */
#include "rules/rules_walk.h"

#include <stdlib.h>

struct rules_frame {
    uint32_t position; /* the symbol that the walk is in */
    uint32_t end;      /* end of the rule's symbols */
    uint64_t left;     /* repetitions of that symbol that have not begun */
};

/* --- positions and sums --- */

/* Returns the length and sum of all symbols before symbol S, over all rules. */
static struct rules_mark mark_before(const struct rules *r, uint32_t s)
{
    struct rules_mark at = r->marks[s / RULES_STRIDE];
    for (uint32_t k = s / RULES_STRIDE * RULES_STRIDE; k < s; k++) {
        at.length += r->symbols[k].exponent * rules_symbol_length(r, &r->symbols[k]);
        at.sum += r->symbols[k].exponent * rules_symbol_sum(r, &r->symbols[k]);
    }
    return at;
}

static uint64_t mark_value(const struct rules_mark *at, const struct rules_mark *base, bool by_sum)
{
    return by_sum ? at->sum - base->sum : at->length - base->length;
}

/* Returns the last symbol of RULE that has at most VALUE terminals before it; or, if BY_SUM, terminals with a sum of at
 * most VALUE, in which case the rule must increase. *BEFORE: length and sum of the symbols before it in the rule. */
static const struct rules_symbol *find_symbol(const struct rules *r, uint32_t rule, uint64_t value, bool by_sum,
                                              struct rules_mark *before)
{
    uint32_t s = r->first[rule], end = r->first[rule + 1];
    uint32_t low = s / RULES_STRIDE, high = (end - 1) / RULES_STRIDE;
    const struct rules_mark base = mark_before(r, s);
    struct rules_mark at = base;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (mark_value(&r->marks[middle], &base, by_sum) <= value)
            low = middle;
        else
            high = middle - 1;
    }
    if (low > s / RULES_STRIDE) {
        s = low * RULES_STRIDE;
        at = r->marks[low];
    }
    for (; s + 1 < end; s++) {
        struct rules_mark next = {.length = at.length + r->symbols[s].exponent * rules_symbol_length(r, &r->symbols[s]),
                                  .sum = at.sum + r->symbols[s].exponent * rules_symbol_sum(r, &r->symbols[s])};
        if (mark_value(&next, &base, by_sum) > value)
            break;
        at = next;
    }
    *before = (struct rules_mark){.length = at.length - base.length, .sum = at.sum - base.sum};
    return &r->symbols[s];
}

int64_t rules_sum(const struct rules *r, uint64_t sequence, uint64_t count)
{
    uint64_t sum = 0;
    if (!rules_is_expansion(sequence))
        return count ? unzigzag(sequence / 2) : 0;
    for (uint32_t rule = rules_start(sequence); count > 0;) {
        struct rules_mark before;
        const struct rules_symbol *symbol = find_symbol(r, rule, count, false, &before);
        uint64_t one = rules_symbol_length(r, symbol), whole = (count - before.length) / one;
        sum += before.sum + whole * rules_symbol_sum(r, symbol);
        count = (count - before.length) % one;
        if (rules_is_block(symbol))
            return (int64_t)(sum + block_sum(rules_block(r, symbol), (uint32_t)count));
        rule = (uint32_t)symbol->value;
    }
    return (int64_t)sum;
}

bool rules_find_sum(const struct rules *r, uint64_t sequence, uint64_t sum, uint64_t *count)
{
    const struct rules_total total = rules_sequence_total(r, sequence);
    *count = total.length;
    if (sum >= (uint64_t)total.sum)
        return sum == (uint64_t)total.sum;
    *count = 0;
    if (!rules_is_expansion(sequence))
        return sum == 0;
    for (uint32_t rule = rules_start(sequence); sum > 0;) {
        struct rules_mark before;
        const struct rules_symbol *symbol = find_symbol(r, rule, sum, true, &before);
        uint64_t one = rules_symbol_sum(r, symbol), whole = (sum - before.sum) / one;
        *count += before.length + whole * rules_symbol_length(r, symbol);
        sum = (sum - before.sum) % one;
        if (sum > 0 && rules_is_block(symbol)) {
            uint32_t inside;
            bool found = block_find_sum(rules_block(r, symbol), sum, &inside);
            *count += inside;
            return found;
        }
        if (sum > 0 && !symbol->is_rule)
            return false;
        rule = (uint32_t)symbol->value;
    }
    return true;
}

uint64_t rules_first(const struct rules *r, uint64_t sequence)
{
    if (!rules_is_expansion(sequence))
        return sequence / 2;
    const struct rules_symbol *symbol = &r->symbols[r->first[rules_start(sequence)]];
    while (symbol->is_rule)
        symbol = &r->symbols[r->first[symbol->value]];
    if (!rules_is_block(symbol))
        return symbol->value;
    struct block_walk walk = block_begin(rules_block(r, symbol));
    return block_next(&walk);
}

/* --- expansion --- */

static void enter_rule(struct rules_cursor *c, uint32_t rule)
{
    const struct rules *r = c->rules;
    uint32_t position = r->first[rule];
    c->stack[c->depth++] =
        (struct rules_frame){.position = position, .end = r->first[rule + 1], .left = r->symbols[position].exponent};
}

/* Enters SYMBOL, a rule or a block, once. */
static void enter(struct rules_cursor *c, const struct rules_symbol *symbol)
{
    if (rules_is_block(symbol))
        c->walk = block_begin(rules_block(c->rules, symbol));
    else
        enter_rule(c, (uint32_t)symbol->value);
}

/* Moves to the next symbol of the innermost rule, or out of the rule. */
static void leave_symbol(struct rules_cursor *c)
{
    struct rules_frame *top = &c->stack[c->depth - 1];
    if (++top->position == top->end)
        c->depth--;
    else
        top->left = c->rules->symbols[top->position].exponent;
}

uint64_t rules_cursor_bytes(const struct rules *r, uint64_t sequence)
{
    return rules_is_expansion(sequence) ? r->total[rules_start(sequence)].depth * (uint64_t)sizeof(struct rules_frame)
                                        : 0;
}

enum pilgrim_status rules_cursor_init(struct rules_cursor *c, const struct rules *r, uint64_t sequence)
{
    *c = (struct rules_cursor){.rules = r, .has_single = sequence % 2, .single = sequence / 2};
    if (!rules_is_expansion(sequence) || rules_length(r, sequence) == 0)
        return PILGRIM_OK;
    c->stack = malloc((size_t)rules_cursor_bytes(r, sequence));
    if (!c->stack)
        return PILGRIM_NOMEM;
    enter_rule(c, rules_start(sequence));
    return PILGRIM_OK;
}

void rules_cursor_restart(struct rules_cursor *c, uint64_t sequence)
{
    c->depth = 0;
    c->walk = (struct block_walk){0};
    c->has_single = sequence % 2;
    if (c->stack)
        enter_rule(c, rules_start(sequence));
}

void rules_cursor_free(struct rules_cursor *c)
{
    free(c->stack);
    *c = (struct rules_cursor){0};
}

bool rules_cursor_next(struct rules_cursor *c, uint64_t *terminal)
{
    while (c->depth) {
        if (c->walk.at < c->walk.end) {
            *terminal = block_next(&c->walk);
            return true;
        }
        struct rules_frame *top = &c->stack[c->depth - 1];
        if (top->left == 0) {
            leave_symbol(c);
            continue;
        }
        top->left--;
        const struct rules_symbol *symbol = &c->rules->symbols[top->position];
        if (!symbol->is_rule && !rules_is_block(symbol)) {
            *terminal = symbol->value + (symbol->is_ramp ? symbol->exponent - 1 - top->left : 0);
            return true;
        }
        enter(c, symbol);
    }
    bool had_single = c->has_single;
    *terminal = c->single;
    c->has_single = false;
    return had_single;
}

uint64_t rules_cursor_take_same(struct rules_cursor *c)
{
    if (c->depth == 0 || c->walk.at < c->walk.end)
        return 0;
    struct rules_frame *top = &c->stack[c->depth - 1];
    const struct rules_symbol *symbol = &c->rules->symbols[top->position];
    if (symbol->is_rule || symbol->is_ramp || rules_is_block(symbol))
        return 0;
    uint64_t count = top->left;
    top->left = 0;
    return count;
}

uint64_t rules_cursor_skip(struct rules_cursor *c, uint64_t count)
{
    uint64_t left = count;
    while (c->depth && left) {
        if (c->walk.at < c->walk.end) {
            uint64_t more = c->walk.end - c->walk.at;
            more = more < left ? more : left;
            block_seek(&c->walk, c->walk.at + (uint32_t)more);
            left -= more;
            continue;
        }
        struct rules_frame *top = &c->stack[c->depth - 1];
        if (top->left == 0) {
            leave_symbol(c);
            continue;
        }
        const struct rules_symbol *symbol = &c->rules->symbols[top->position];
        uint64_t one = rules_symbol_length(c->rules, symbol);
        uint64_t whole = left / one < top->left ? left / one : top->left;
        top->left -= whole;
        left -= whole * one;
        if (top->left && left) {
            top->left--;
            enter(c, symbol);
        }
    }
    if (c->has_single && left) {
        c->has_single = false;
        left--;
    }
    return count - left;
}
