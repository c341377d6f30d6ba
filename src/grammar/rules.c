/* Grammars at rest: reading them from hostile bytes, and walking their expansion; see rules.h.
 *
 * Parsing reads all symbols, then visits the rules depth first with a stack of its own: a rule met again while
 * it is on the stack is a cycle. A rule is finished after the rules it uses, so lengths and depths are known then;
 * in the opposite order, uses before the rule, it becomes known how often each rule stands in the expansion.
 *
 * A rule that expands to nothing is refused: with it, a few bytes could make the walk take steps without end
 * between two terminals. */
#include "grammar/rules.h"

#include <stdlib.h>

#define LENGTH_UNKNOWN UINT64_MAX      /* not visited yet */
#define LENGTH_BEGUN (UINT64_MAX - 1)  /* on the stack */
#define LENGTH_MAX (UINT64_MAX >> 1)

struct rules_frame {
    uint32_t position; /* of the symbol that the walk is in */
    uint32_t end;      /* of the rule */
    uint64_t left;     /* repetitions of the symbol that have not begun */
};

struct visit {
    uint32_t rule;
    uint32_t position;
};

static enum pilgrim_status fail(struct cursor *c, enum pilgrim_status status)
{
    if (c->status == PILGRIM_OK)
        c->status = status;
    return c->status;
}

/* --- parsing --- */

static enum pilgrim_status parse_symbol(struct cursor *c, uint64_t terminal_limit, uint32_t rule_count,
                                        struct rules_symbol *symbol)
{
    uint64_t word = cursor_varint(c);
    uint64_t value = word >> 2;
    uint64_t more = (word & 2) ? cursor_varint(c) : 0;
    if (c->status != PILGRIM_OK)
        return c->status;
    bool is_rule = word & 1;
    bool in_range = is_rule ? value >= 1 && value < rule_count : value < terminal_limit && value <= UINT32_MAX;
    if (!in_range || more > LENGTH_MAX - 2)
        return fail(c, PILGRIM_DAMAGED);
    symbol->value = (uint32_t)value;
    symbol->is_rule = is_rule;
    symbol->exponent = (word & 2) ? more + 2 : 1;
    return PILGRIM_OK;
}

/* Makes room for COUNT more symbols after the first USED. */
static enum pilgrim_status grow_symbols(struct rules *r, size_t used, size_t count, size_t *capacity)
{
    if (count > UINT32_MAX - used)
        return PILGRIM_LIMIT;
    if (count <= *capacity - used)
        return PILGRIM_OK;
    size_t wanted = used + count + used / 2;
    struct rules_symbol *symbols = realloc(r->symbols, wanted * sizeof *symbols);
    if (!symbols)
        return PILGRIM_NOMEM;
    r->symbols = symbols;
    *capacity = wanted;
    return PILGRIM_OK;
}

static enum pilgrim_status parse_symbols(struct cursor *c, uint64_t terminal_limit, struct rules *r)
{
    size_t used = 0;
    size_t capacity = 0;
    for (uint32_t i = 0; i < r->rule_count; i++) {
        r->first[i] = (uint32_t)used;
        size_t count = cursor_count(c, 1);
        if (c->status != PILGRIM_OK)
            return c->status;
        if (count == 0 && i > 0)
            return fail(c, PILGRIM_DAMAGED);
        enum pilgrim_status status = grow_symbols(r, used, count, &capacity);
        for (size_t j = 0; status == PILGRIM_OK && j < count; j++)
            status = parse_symbol(c, terminal_limit, r->rule_count, &r->symbols[used++]);
        if (status != PILGRIM_OK)
            return fail(c, status);
    }
    r->first[r->rule_count] = (uint32_t)used;
    return PILGRIM_OK;
}

/* --- the order of the rules --- */

/* Rule I's length, from those of the rules it uses; LENGTH_UNKNOWN where it does not fit 63 bits. */
static uint64_t sum_length(const struct rules *r, uint32_t i)
{
    uint64_t sum = 0;
    for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++) {
        uint64_t one = r->symbols[s].is_rule ? r->length[r->symbols[s].value] : 1;
        if (r->symbols[s].exponent > (LENGTH_MAX - sum) / one)
            return LENGTH_UNKNOWN;
        sum += r->symbols[s].exponent * one;
    }
    return sum;
}

static uint32_t deepest(const struct rules *r, uint32_t i, const uint32_t *depth)
{
    uint32_t most = 0;
    for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++)
        if (r->symbols[s].is_rule && depth[r->symbols[s].value] > most)
            most = depth[r->symbols[s].value];
    return most + 1;
}

/* Visits all rules from the start rule on. Sets lengths and the depth, and ORDER to the rules in the order in
 * which they were finished. STACK, ORDER and DEPTH have room for all rules. */
static enum pilgrim_status visit_rules(struct rules *r, struct visit *stack, uint32_t *order, uint32_t *depth)
{
    uint32_t finished = 0;
    uint32_t height = 1;
    for (uint32_t i = 0; i < r->rule_count; i++)
        r->length[i] = LENGTH_UNKNOWN;
    stack[0] = (struct visit){.rule = 0, .position = r->first[0]};
    r->length[0] = LENGTH_BEGUN;
    while (height) {
        struct visit *top = &stack[height - 1];
        uint32_t end = r->first[top->rule + 1];
        while (top->position < end &&
               !(r->symbols[top->position].is_rule && r->length[r->symbols[top->position].value] > LENGTH_MAX))
            top->position++;
        if (top->position < end) {
            uint32_t next = r->symbols[top->position].value;
            if (r->length[next] == LENGTH_BEGUN)
                return PILGRIM_DAMAGED;
            r->length[next] = LENGTH_BEGUN;
            stack[height++] = (struct visit){.rule = next, .position = r->first[next]};
            continue;
        }
        uint64_t length = sum_length(r, top->rule);
        if (length == LENGTH_UNKNOWN)
            return PILGRIM_DAMAGED;
        r->length[top->rule] = length;
        depth[top->rule] = deepest(r, top->rule, depth);
        order[finished++] = top->rule;
        height--;
    }
    r->depth = depth[0];
    return finished == r->rule_count ? PILGRIM_OK : PILGRIM_DAMAGED;
}

/* No sum exceeds the start rule's length, since no rule expands to nothing. */
static void count_times(struct rules *r, const uint32_t *order)
{
    r->times[0] = 1;
    for (uint32_t k = r->rule_count; k-- > 0;) {
        uint32_t i = order[k];
        for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++)
            if (r->symbols[s].is_rule)
                r->times[r->symbols[s].value] += r->symbols[s].exponent * r->times[i];
    }
}

static enum pilgrim_status order_rules(struct rules *r)
{
    struct visit *stack = calloc(r->rule_count, sizeof *stack);
    uint32_t *order = calloc(r->rule_count, sizeof *order);
    uint32_t *depth = calloc(r->rule_count, sizeof *depth);
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (stack && order && depth)
        status = visit_rules(r, stack, order, depth);
    if (status == PILGRIM_OK)
        count_times(r, order);
    free(stack);
    free(order);
    free(depth);
    return status;
}

enum pilgrim_status rules_parse(struct cursor *c, uint64_t terminal_limit, struct rules *r)
{
    *r = (struct rules){0};
    size_t count = cursor_count(c, 1);
    if (c->status != PILGRIM_OK)
        return c->status;
    if (count == 0 || count >= UINT32_MAX / 2)
        return fail(c, PILGRIM_DAMAGED);
    r->rule_count = (uint32_t)count;
    r->first = calloc(count + 1, sizeof *r->first);
    r->length = calloc(count, sizeof *r->length);
    r->times = calloc(count, sizeof *r->times);
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (r->first && r->length && r->times)
        status = parse_symbols(c, terminal_limit, r);
    if (status == PILGRIM_OK)
        status = order_rules(r);
    if (status == PILGRIM_OK)
        return PILGRIM_OK;
    rules_free(r);
    return fail(c, status);
}

void rules_free(struct rules *r)
{
    free(r->first);
    free(r->symbols);
    free(r->length);
    free(r->times);
    *r = (struct rules){0};
}

/* --- expansion --- */

static void enter_rule(struct rules_cursor *c, uint32_t rule)
{
    const struct rules *r = c->rules;
    uint32_t position = r->first[rule];
    c->stack[c->depth++] = (struct rules_frame){
        .position = position, .end = r->first[rule + 1], .left = r->symbols[position].exponent};
}

/* Passes to the next symbol of the innermost rule, or out of the rule. */
static void leave_symbol(struct rules_cursor *c)
{
    struct rules_frame *top = &c->stack[c->depth - 1];
    if (++top->position == top->end)
        c->depth--;
    else
        top->left = c->rules->symbols[top->position].exponent;
}

enum pilgrim_status rules_cursor_init(struct rules_cursor *c, const struct rules *r)
{
    *c = (struct rules_cursor){.rules = r};
    c->stack = calloc(r->depth ? r->depth : 1, sizeof *c->stack);
    if (!c->stack)
        return PILGRIM_NOMEM;
    if (r->rule_count && r->length[0])
        enter_rule(c, 0);
    return PILGRIM_OK;
}

void rules_cursor_free(struct rules_cursor *c)
{
    free(c->stack);
    *c = (struct rules_cursor){0};
}

bool rules_cursor_next(struct rules_cursor *c, uint32_t *terminal)
{
    while (c->depth) {
        struct rules_frame *top = &c->stack[c->depth - 1];
        if (top->left == 0) {
            leave_symbol(c);
            continue;
        }
        top->left--;
        const struct rules_symbol *symbol = &c->rules->symbols[top->position];
        if (!symbol->is_rule) {
            *terminal = symbol->value;
            return true;
        }
        enter_rule(c, symbol->value);
    }
    return false;
}

uint64_t rules_cursor_skip(struct rules_cursor *c, uint64_t count)
{
    uint64_t left = count;
    while (c->depth && left) {
        struct rules_frame *top = &c->stack[c->depth - 1];
        if (top->left == 0) {
            leave_symbol(c);
            continue;
        }
        const struct rules_symbol *symbol = &c->rules->symbols[top->position];
        uint64_t one = symbol->is_rule ? c->rules->length[symbol->value] : 1;
        uint64_t whole = left / one < top->left ? left / one : top->left;
        top->left -= whole;
        left -= whole * one;
        if (top->left && left) {
            top->left--;
            enter_rule(c, symbol->value);
        }
    }
    return count - left;
}

void rules_count_terminals(const struct rules *r, uint64_t *count, uint32_t limit)
{
    for (uint32_t i = 0; i < r->rule_count; i++)
        for (uint32_t s = r->first[i]; s < r->first[i + 1]; s++)
            if (!r->symbols[s].is_rule && r->symbols[s].value < limit)
                count[r->symbols[s].value] += r->symbols[s].exponent * r->times[i];
}
