/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses grammars at rest from untrusted bytes; see rules.h.
 *
 * The rules of one grammar come in any order. Parsing reads all symbols, then visits the rules depth first with an
 * explicit stack. A rule that is met again while it is on the stack closes a cycle. A rule is finished after the rules
 * it uses, so their properties are known by then. In a table the rules stand in such an order already.
 *
 * A rule that expands to nothing is refused. With such rules a few bytes could make a walk take endless steps between
 * two terminals.
 *
 * For every 16th symbol of the whole table the parser stores the length and the sum of all symbols before it. Within a
 * rule the difference of two marks counts, so rules need no marks of their own. */
#include "rules/rules.h"

#include <stdlib.h>

#include "base/try.h"
#include "format/trace_format.h"

#define LENGTH_UNKNOWN UINT64_MAX       /* not visited yet */
#define LENGTH_BEGUN   (UINT64_MAX - 1) /* being visited: the rule is on the stack */
#define LENGTH_MAX     (UINT64_MAX >> 1)

struct rule_visit {
    uint32_t rule;
    uint32_t position;
};

/* The state of one parse. */
struct rules_parser {
    struct cursor *c;
    struct rules *r;
    uint64_t *budget;
    uint64_t terminal_limit;
    size_t used, capacity; /* number of symbols */
    size_t block_capacity;
    bool table;
};

static enum pilgrim_status fail(struct cursor *c, enum pilgrim_status status)
{
    if (c->status == PILGRIM_OK)
        c->status = status;
    return c->status;
}

/* --- parsing --- */

static bool charge(struct rules_parser *in, uint64_t bytes)
{
    if (bytes > *in->budget)
        return false;
    *in->budget -= bytes;
    return true;
}

/* Parses a symbol of rule RULE. */
static enum pilgrim_status parse_symbol(struct rules_parser *in, uint32_t rule, struct rules_symbol *symbol)
{
    struct cursor *c = in->c;
    uint64_t word = cursor_varint(c), value = word >> STORED_SYMBOL_BITS;
    uint64_t more = (word & STORED_HAS_EXPONENT) ? cursor_varint(c) : 0;
    bool is_rule = word & STORED_IS_RULE, is_ramp = in->table && (more & 1);
    if (c->status != PILGRIM_OK)
        return c->status;
    if (in->table)
        more >>= 1;
    uint64_t least = in->table || !is_rule ? 0 : 1;
    uint64_t limit = !is_rule ? in->terminal_limit : in->table ? rule : in->r->rule_count;
    if (value < least || value >= limit || more > LENGTH_MAX - 2 || (is_rule && is_ramp))
        return fail(c, PILGRIM_DAMAGED);
    *symbol = (struct rules_symbol){.value = value,
                                    .exponent = (word & STORED_HAS_EXPONENT) ? more + 2 : 1,
                                    .is_rule = is_rule,
                                    .is_ramp = is_ramp};
    return PILGRIM_OK;
}

/* Makes room for COUNT more symbols. */
static enum pilgrim_status grow_symbols(struct rules_parser *in, size_t count)
{
    if (count > UINT32_MAX - in->used)
        return PILGRIM_LIMIT;
    if (count <= in->capacity - in->used)
        return PILGRIM_OK;
    size_t wanted = in->used + count + in->used / 2;
    if (!charge(in, (wanted - in->capacity) * sizeof *in->r->symbols))
        return PILGRIM_LIMIT;
    struct rules_symbol *symbols = realloc(in->r->symbols, wanted * sizeof *symbols);
    if (!symbols)
        return PILGRIM_NOMEM;
    in->r->symbols = symbols;
    in->capacity = wanted;
    return PILGRIM_OK;
}

/* Parses a block, which is the only symbol of its rule. */
static enum pilgrim_status parse_block(struct rules_parser *in)
{
    struct rules *r = in->r;
    if (r->block_count == in->block_capacity) {
        size_t capacity = in->block_capacity * 2 + 16;
        if (!charge(in, (capacity - in->block_capacity) * sizeof *r->blocks))
            return PILGRIM_LIMIT;
        struct block *blocks = realloc(r->blocks, capacity * sizeof *blocks);
        if (!blocks)
            return PILGRIM_NOMEM;
        r->blocks = blocks;
        in->block_capacity = capacity;
    }
    TRY(grow_symbols(in, 1));
    TRY(block_parse(in->c, &r->blocks[r->block_count]));
    r->symbols[in->used++] = (struct rules_symbol){.value = RULES_BLOCK + r->block_count++, .exponent = 1};
    return PILGRIM_OK;
}

static enum pilgrim_status parse_rule(struct rules_parser *in, uint32_t i)
{
    struct rules *r = in->r;
    r->first[i] = (uint32_t)in->used;
    size_t count = cursor_count(in->c, 1);
    if (in->c->status != PILGRIM_OK)
        return in->c->status;
    if (count == 0 && in->table)
        return parse_block(in);
    if (count == 0 && i > 0)
        return fail(in->c, PILGRIM_DAMAGED);
    enum pilgrim_status status = grow_symbols(in, count);
    for (size_t j = 0; status == PILGRIM_OK && j < count; j++)
        status = parse_symbol(in, i, &r->symbols[in->used++]);
    return status;
}

static enum pilgrim_status parse_rules(struct rules_parser *in, size_t count)
{
    struct rules *r = in->r;
    enum pilgrim_status status = PILGRIM_OK;
    if (count >= UINT32_MAX / 2)
        return PILGRIM_LIMIT;
    if (!charge(in, (count + 1) * (sizeof *r->first + sizeof *r->total)))
        return PILGRIM_LIMIT;
    r->rule_count = (uint32_t)count;
    r->first = calloc(count + 1, sizeof *r->first);
    r->total = calloc(count + 1, sizeof *r->total);
    if (!r->first || !r->total)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < r->rule_count; i++)
        status = parse_rule(in, i);
    r->first[count] = (uint32_t)in->used;
    return status;
}

/* --- totals --- */

/* Returns the properties of SYMBOL, without its exponent. */
static struct rules_total symbol_total(const struct rules *r, const struct rules_symbol *symbol)
{
    if (symbol->is_rule)
        return r->total[symbol->value];
    if (rules_is_block(symbol)) {
        const struct block *b = rules_block(r, symbol);
        return (struct rules_total){.length = b->count,
                                    .limit = b->limit,
                                    .has_sums = b->sums,
                                    .rises = b->rises,
                                    .increases = b->increases,
                                    .sum = b->sum};
    }
    bool rises = (symbol->value & 1) == 0;
    return (struct rules_total){.length = 1,
                                .limit = symbol->value + (symbol->is_ramp ? symbol->exponent : 1),
                                .has_ramp = symbol->is_ramp,
                                .rises = rises,
                                .increases = rises && symbol->value > 0,
                                .sum = unzigzag(symbol->value)};
}

static bool product_fits(uint64_t a, uint64_t b, uint64_t limit)
{
    uint64_t product;
    return !__builtin_mul_overflow(a, b, &product) && product <= limit;
}

/* Adds a terminal that is no ramp. It is a fast path: most symbols of sequences that do not repeat are such
 * terminals. */
static bool add_terminal(struct rules_total *sum, const struct rules_symbol *symbol)
{
    bool rises = (symbol->value & 1) == 0;
    if (symbol->exponent > LENGTH_MAX - sum->length)
        return false;
    sum->length += symbol->exponent;
    sum->limit = symbol->value + 1 > sum->limit ? symbol->value + 1 : sum->limit;
    sum->rises =
        sum->rises && rises && product_fits(symbol->exponent, symbol->value >> 1, LENGTH_MAX - (uint64_t)sum->sum);
    sum->increases &= rises && symbol->value > 0;
    sum->sum = (int64_t)((uint64_t)sum->sum + symbol->exponent * (uint64_t)unzigzag(symbol->value));
    return true;
}

/* Sets rule I's total from the totals of the rules that it uses. False: its length does not fit into 63 bits. */
static bool sum_rule(const struct rules *r, uint32_t i)
{
    struct rules_total sum = {.rises = true, .increases = true};
    for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++) {
        const struct rules_symbol *symbol = &r->symbols[s];
        if (!symbol->is_rule && !symbol->is_ramp && !rules_is_block(symbol)) {
            if (!add_terminal(&sum, symbol))
                return false;
            continue;
        }
        const struct rules_total one = symbol_total(r, symbol);
        if (!product_fits(symbol->exponent, one.length, LENGTH_MAX - sum.length))
            return false;
        sum.length += symbol->exponent * one.length;
        sum.limit = one.limit > sum.limit ? one.limit : sum.limit;
        sum.depth = one.depth > sum.depth ? one.depth : sum.depth;
        sum.has_ramp |= one.has_ramp;
        sum.has_sums |= one.has_sums;
        sum.rises =
            sum.rises && one.rises && product_fits(symbol->exponent, (uint64_t)one.sum, LENGTH_MAX - (uint64_t)sum.sum);
        sum.increases &= one.increases;
        sum.sum = (int64_t)((uint64_t)sum.sum + symbol->exponent * (uint64_t)one.sum);
    }
    sum.depth++;
    sum.increases &= sum.rises;
    r->total[i] = sum;
    return true;
}

static enum pilgrim_status check_blocks(struct rules_parser *in)
{
    struct rules *r = in->r;
    size_t count = 0;
    for (size_t i = 0; i < r->block_count; i++)
        count += block_marks(&r->blocks[i]);
    if (!charge(in, count * sizeof *r->block_marks))
        return PILGRIM_LIMIT;
    r->block_marks = malloc(count * sizeof *r->block_marks + 1);
    if (!r->block_marks)
        return PILGRIM_NOMEM;
    uint64_t *marks = r->block_marks;
    for (size_t i = 0; i < r->block_count; i++) {
        TRY(block_check(&r->blocks[i], marks));
        marks += block_marks(&r->blocks[i]);
    }
    return PILGRIM_OK;
}

static enum pilgrim_status mark_symbols(struct rules_parser *in)
{
    struct rules *r = in->r;
    size_t count = in->used / RULES_STRIDE + 1;
    struct rules_mark before = {0};
    if (!charge(in, count * sizeof *r->marks))
        return PILGRIM_LIMIT;
    r->marks = calloc(count, sizeof *r->marks);
    if (!r->marks)
        return PILGRIM_NOMEM;
    for (size_t s = 0; s < in->used; s++) {
        if (s % RULES_STRIDE == 0)
            r->marks[s / RULES_STRIDE] = before;
        before.length += r->symbols[s].exponent * rules_symbol_length(r, &r->symbols[s]);
        before.sum += r->symbols[s].exponent * rules_symbol_sum(r, &r->symbols[s]);
    }
    return PILGRIM_OK;
}

/* --- visiting the rules of one grammar --- */

static bool is_unfinished(const struct rules *r, const struct rules_symbol *symbol)
{
    return symbol->is_rule && r->total[symbol->value].length > LENGTH_MAX;
}

/* Visits all rules that the start rule reaches and sets their totals. STACK has room for all rules. */
static enum pilgrim_status visit_rules(struct rules *r, struct rule_visit *stack)
{
    uint32_t finished = 0;
    uint32_t height = 1;
    for (uint32_t i = 0; i < r->rule_count; i++)
        r->total[i].length = LENGTH_UNKNOWN;
    stack[0] = (struct rule_visit){.rule = 0, .position = r->first[0]};
    r->total[0].length = LENGTH_BEGUN;
    while (height) {
        struct rule_visit *top = &stack[height - 1];
        uint32_t end = r->first[top->rule + 1];
        while (top->position < end && !is_unfinished(r, &r->symbols[top->position]))
            top->position++;
        if (top->position < end) {
            uint32_t next = (uint32_t)r->symbols[top->position].value;
            if (r->total[next].length == LENGTH_BEGUN)
                return PILGRIM_DAMAGED;
            r->total[next].length = LENGTH_BEGUN;
            stack[height++] = (struct rule_visit){.rule = next, .position = r->first[next]};
            continue;
        }
        if (!sum_rule(r, top->rule))
            return PILGRIM_DAMAGED;
        finished++;
        height--;
    }
    return finished == r->rule_count ? PILGRIM_OK : PILGRIM_DAMAGED;
}

static enum pilgrim_status order_rules(struct rules *r)
{
    struct rule_visit *stack = calloc(r->rule_count, sizeof *stack);
    enum pilgrim_status status = stack ? visit_rules(r, stack) : PILGRIM_NOMEM;
    free(stack);
    return status;
}

static enum pilgrim_status sum_table(struct rules *r)
{
    for (uint32_t i = 0; i < r->rule_count; i++)
        if (!sum_rule(r, i))
            return PILGRIM_DAMAGED;
    return PILGRIM_OK;
}

static enum pilgrim_status parse(struct rules_parser *in)
{
    *in->r = (struct rules){0};
    size_t count = cursor_count(in->c, in->table ? 2 : 1);
    if (in->c->status != PILGRIM_OK)
        return in->c->status;
    if (count == 0 && !in->table)
        return fail(in->c, PILGRIM_DAMAGED);
    enum pilgrim_status status = parse_rules(in, count);
    if (status == PILGRIM_OK)
        status = check_blocks(in);
    if (status == PILGRIM_OK)
        status = in->table ? sum_table(in->r) : order_rules(in->r);
    if (status == PILGRIM_OK)
        status = mark_symbols(in);
    if (status == PILGRIM_OK)
        return PILGRIM_OK;
    rules_free(in->r);
    return fail(in->c, status);
}

enum pilgrim_status rules_parse(struct cursor *c, uint64_t terminal_limit, struct rules *r)
{
    uint64_t budget = UINT64_MAX;
    return parse(&(struct rules_parser){.c = c, .r = r, .budget = &budget, .terminal_limit = terminal_limit});
}

enum pilgrim_status rules_parse_table(struct cursor *c, uint64_t *budget, struct rules *r)
{
    return parse(&(struct rules_parser){.c = c, .r = r, .budget = budget, .terminal_limit = UINT64_MAX, .table = true});
}

void rules_append(const struct bytes *grammar, uint64_t terminal, struct bytes *out)
{
    struct cursor c;
    cursor_init(&c, grammar->data, grammar->length);
    bytes_put_varint(out, cursor_varint(&c));
    uint64_t count = cursor_varint(&c);
    bytes_put_varint(out, count + 1);
    size_t start = c.position;
    for (uint64_t i = 0; i < count; i++)
        if (cursor_varint(&c) & STORED_HAS_EXPONENT)
            cursor_varint(&c);
    bytes_put(out, grammar->data + start, c.position - start);
    bytes_put_varint(out, terminal << 2);
    bytes_put(out, grammar->data + c.position, cursor_left(&c));
}

void rules_free(struct rules *r)
{
    free(r->first);
    free(r->symbols);
    free(r->total);
    free(r->marks);
    free(r->blocks);
    free(r->block_marks);
    *r = (struct rules){0};
}

bool rules_have(const struct rules *r, uint64_t sequence)
{
    return !rules_is_expansion(sequence) || sequence / 2 <= r->rule_count;
}

struct rules_total rules_sequence_total(const struct rules *r, uint64_t sequence)
{
    if (sequence == 0)
        return (struct rules_total){.rises = true, .increases = true};
    if (rules_is_expansion(sequence))
        return r->total[rules_start(sequence)];
    return symbol_total(r, &(struct rules_symbol){.value = sequence / 2, .exponent = 1});
}

uint64_t rules_length(const struct rules *r, uint64_t sequence)
{
    return rules_is_expansion(sequence) ? r->total[rules_start(sequence)].length : sequence % 2;
}

void rules_put_run(struct bytes *out, uint64_t count)
{
    bytes_put_varint(out, 1);
    bytes_put_varint(out, 1);
    bytes_put_varint(out, count > 1 ? 2 : 0);
    if (count > 1)
        bytes_put_varint(out, count - 2);
}
