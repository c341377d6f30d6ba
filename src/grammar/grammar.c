/* SPDX-License-Identifier: BSD-3-Clause */
/* Run-length Sequitur. grammar.h says what holds after every append; this file says how.
 *
 * A change of the grammar never calls another one recursively. It pushes work on three stacks, and grammar_settle()
 * pops it until none is left:
 *   short rules     a rule with one symbol left: its uses become that symbol (collapse_rule);
 *   lonely rules    a rule with one use of exponent 1 left: its symbols replace the use (inline_rule);
 *   open digrams    a new digram: if an equal one exists, both become uses of a rule (check_digram).
 * An entry may be out of date when it is popped; its slot may even hold another symbol or rule by then. So each step
 * first checks that its reason still holds. Checking a digram twice does no harm.
 *
 * Why it ends, and why an append is O(1) amortised: let F be twice the number of symbols minus the number of rules.
 * Making a rule, using a rule, joining equal neighbours, inlining and collapsing each make F smaller by 1 or more. An
 * append adds 2. Leaving a loop adds at most 5 for each symbol that it appends, and each of those symbols stands for
 * terminals that only moved the cursor. (A collapse also costs the number of uses of its rule. No sequence is known
 * that needs a collapse while memory lasts. Collapses happen after memory ran short and a digram stayed twice.)
 *
 * Equal neighbours are joined at once, so two equal digrams never overlap. The special care that plain Sequitur needs
 * for aaa is not needed here.
 *
 * Memory may run short at any point. An append cannot do without its own symbol and those that leaving a loop takes;
 * they are reserved first. Everything else is optional: a rule that cannot be made, or an entry that cannot be pushed,
 * leaves a digram twice.
 *
 * The file has more than 400 lines because each function here may break an invariant that the others rely on. */
#include "grammar/grammar.h"

#include <stdlib.h>
#include <string.h>

#include "grammar/grammar_data.h"
#include "grammar/loop_cursor.h"

#define FIRST_SYMBOLS 4u
#define LAST_SYMBOLS  0xfffffff0u
#define FIRST_RULES   4u
#define LAST_RULES    0x7ffffff0u
#define RESTART_BYTES 4096u       /* a grammar with more memory is freed rather than reused */
#define FREE_SLOT     0xffffffffu /* value of an unused symbol */

/* --- arrays --- */

/* Returns the next capacity of an array, larger by at least FIRST, or 0 if it cannot grow. */
static uint32_t next_capacity(uint32_t capacity, uint32_t first, uint32_t last)
{
    if (capacity >= last)
        return 0;
    uint32_t more = capacity / 2 + first;
    return more < last - capacity ? capacity + more : last;
}

static void push(struct index_stack *s, uint32_t item)
{
    if (s->count == s->capacity) {
        uint32_t capacity = next_capacity(s->capacity, 8, LAST_SYMBOLS);
        uint32_t *items = capacity ? realloc(s->items, capacity * sizeof *items) : NULL;
        if (!items)
            return;
        s->items = items;
        s->capacity = capacity;
    }
    s->items[s->count++] = item;
}

/* Makes room for COUNT more symbols. False: no memory. */
static bool reserve_symbols(struct grammar *g, uint32_t count)
{
    uint32_t used = g->symbol_count + g->rule_count; /* plus a guard a rule */
    if (g->symbol_capacity - used >= count)
        return true;
    uint32_t capacity = next_capacity(g->symbol_capacity, FIRST_SYMBOLS + count, LAST_SYMBOLS);
    if (capacity < used + count)
        return false;
    struct symbol *symbols = realloc(g->symbols, capacity * sizeof *symbols);
    if (!symbols)
        return false;
    g->symbols = symbols;
    g->symbol_capacity = capacity;
    return true;
}

static bool reserve_rules(struct grammar *g, uint32_t count)
{
    if (g->rule_capacity - g->rule_count >= count)
        return true;
    uint32_t capacity = next_capacity(g->rule_capacity, FIRST_RULES + count, LAST_RULES);
    if (capacity < g->rule_count + count)
        return false;
    struct rule *rules = realloc(g->rules, capacity * sizeof *rules);
    if (!rules)
        return false;
    g->rules = rules;
    g->rule_capacity = capacity;
    return true;
}

bool grammar_reserve(struct grammar *g, uint32_t symbols, uint32_t rules)
{
    return reserve_symbols(g, symbols) && reserve_rules(g, rules);
}

/* Takes a slot that reserve_symbols has reserved. */
static uint32_t take_symbol(struct grammar *g)
{
    uint32_t s = g->free_symbol;
    if (s != SYMBOL_NONE)
        g->free_symbol = g->symbols[s].next;
    else
        s = g->symbol_limit++;
    return s;
}

static void give_symbol(struct grammar *g, uint32_t s)
{
    g->symbols[s] = (struct symbol){.value = FREE_SLOT, .next = g->free_symbol};
    g->free_symbol = s;
}

/* --- symbols in their rules --- */

static bool is_lonely(const struct grammar *g, uint32_t r)
{
    uint32_t use = g->rules[r].first_use;
    return use != SYMBOL_NONE && g->symbols[use].next_use == SYMBOL_NONE && g->symbols[use].exponent == 1;
}

static void link_symbols(struct grammar *g, uint32_t left, uint32_t right)
{
    g->symbols[left].next = right;
    g->symbols[right].previous = left;
}

static void set_symbol(struct grammar *g, uint32_t s, uint32_t value, uint64_t exponent)
{
    struct symbol *symbol = &g->symbols[s];
    symbol->value = value;
    symbol->exponent = exponent;
    symbol->previous_use = SYMBOL_NONE;
    symbol->next_use = SYMBOL_NONE;
    if (!(value & SYMBOL_RULE))
        return;
    struct rule *rule = &g->rules[value & ~SYMBOL_RULE];
    symbol->next_use = rule->first_use;
    if (rule->first_use != SYMBOL_NONE)
        g->symbols[rule->first_use].previous_use = s;
    rule->first_use = s;
}

/* Removes S from the list of its rule's uses. */
static void drop_use(struct grammar *g, uint32_t s)
{
    const struct symbol *symbol = &g->symbols[s];
    if (!(symbol->value & SYMBOL_RULE))
        return;
    uint32_t r = symbol->value & ~SYMBOL_RULE;
    if (symbol->previous_use != SYMBOL_NONE)
        g->symbols[symbol->previous_use].next_use = symbol->next_use;
    else
        g->rules[r].first_use = symbol->next_use;
    if (symbol->next_use != SYMBOL_NONE)
        g->symbols[symbol->next_use].previous_use = symbol->previous_use;
    if (is_lonely(g, r))
        push(&g->lonely_rules, r);
}

/* Removes S from its rule. The caller has removed the digrams from the index. */
static void delete_symbol(struct grammar *g, uint32_t s)
{
    drop_use(g, s);
    link_symbols(g, g->symbols[s].previous, g->symbols[s].next);
    give_symbol(g, s);
    g->symbol_count--;
}

static void forget_digram(struct grammar *g, uint32_t s)
{
    if (is_real(g, s) && is_real(g, g->symbols[s].next))
        digram_remove(&g->digrams, g->symbols, s);
}

static void note_digram(struct grammar *g, uint32_t s)
{
    if (is_real(g, s) && is_real(g, g->symbols[s].next))
        push(&g->open_digrams, s);
}

/* Notes the rule of S if S is its only symbol. The rule has just lost symbols. */
static void note_short_rule(struct grammar *g, uint32_t s)
{
    uint32_t guard = g->symbols[s].previous;
    if (guard != SYMBOL_NONE && guard == g->symbols[s].next)
        push(&g->short_rules, g->symbols[guard].value);
}

/* Joins LEFT and its right neighbour if they are equal: a^2 a^3 is a^5. */
static void join_symbols(struct grammar *g, uint32_t left)
{
    uint32_t right = g->symbols[left].next;
    if (!is_real(g, left) || !is_real(g, right) || g->symbols[left].value != g->symbols[right].value)
        return;
    uint32_t previous = g->symbols[left].previous;
    forget_digram(g, previous);
    forget_digram(g, left);
    forget_digram(g, right);
    g->symbols[left].exponent += g->symbols[right].exponent;
    delete_symbol(g, right);
    note_short_rule(g, left);
    note_digram(g, left);
    note_digram(g, previous);
}

/* --- rules --- */

/* Takes a new rule without symbols and uses, which grammar_reserve has reserved. */
static uint32_t take_rule(struct grammar *g)
{
    uint32_t r = g->free_rule;
    if (r)
        g->free_rule = g->rules[r].first_use;
    else
        r = g->rule_limit++;
    uint32_t guard = take_symbol(g);
    g->rules[r] = (struct rule){.guard = guard};
    g->symbols[guard] = (struct symbol){.value = r};
    g->rule_count++;
    return r;
}

/* Returns a new rule with copies of symbols A and B and no uses, or 0 if memory is short. */
static uint32_t make_rule(struct grammar *g, uint32_t a, uint32_t b)
{
    if (!grammar_reserve(g, 3, 1))
        return 0;
    uint32_t r = take_rule(g);
    uint32_t guard = g->rules[r].guard;
    uint32_t first = take_symbol(g);
    uint32_t second = take_symbol(g);
    set_symbol(g, first, g->symbols[a].value, g->symbols[a].exponent);
    set_symbol(g, second, g->symbols[b].value, g->symbols[b].exponent);
    link_symbols(g, guard, first);
    link_symbols(g, first, second);
    link_symbols(g, second, guard);
    g->symbol_count += 2;
    return r;
}

uint32_t grammar_split(struct grammar *g, uint32_t r, uint32_t s)
{
    uint32_t guard = g->rules[r].guard;
    uint32_t first = g->symbols[guard].next;
    uint32_t last = g->symbols[s].previous;
    forget_digram(g, last);
    uint32_t front = take_rule(g);
    uint32_t use = take_symbol(g);
    link_symbols(g, g->rules[front].guard, first);
    link_symbols(g, last, g->rules[front].guard);
    set_symbol(g, use, front | SYMBOL_RULE, 1);
    link_symbols(g, guard, use);
    link_symbols(g, use, s);
    g->symbol_count++;
    note_digram(g, use);
    return front;
}

/* Frees a rule whose symbols have moved elsewhere. */
static void free_rule(struct grammar *g, uint32_t r)
{
    give_symbol(g, g->rules[r].guard);
    g->rules[r] = (struct rule){.guard = SYMBOL_NONE, .first_use = g->free_rule};
    g->free_rule = r;
    g->rule_count--;
}

/* Returns the rule whose whole body is the digram of S, or 0. */
static uint32_t whole_rule(const struct grammar *g, uint32_t s)
{
    uint32_t guard = g->symbols[s].previous;
    bool whole = !is_real(g, guard) && g->symbols[g->symbols[s].next].next == guard;
    return whole ? g->symbols[guard].value : 0;
}

/* Replaces the digram of A by a use of rule R. Another symbol stands for that digram in the index. */
static void replace_digram(struct grammar *g, uint32_t a, uint32_t r)
{
    uint32_t previous = g->symbols[a].previous;
    uint32_t b = g->symbols[a].next;
    forget_digram(g, previous);
    forget_digram(g, b);
    drop_use(g, a);
    delete_symbol(g, b);
    set_symbol(g, a, r | SYMBOL_RULE, 1);
    note_short_rule(g, a);
    note_digram(g, a);
    note_digram(g, previous);
    join_symbols(g, a);
    join_symbols(g, previous);
}

/* True for the last symbol of the start rule, which still grows: its digram does not count until another symbol
 * follows. */
static bool is_growing(const struct grammar *g, uint32_t s)
{
    return g->symbols[s].next == SYMBOL_NONE && !g->closed;
}

static void check_digram(struct grammar *g, uint32_t s)
{
    if (!is_real(g, s) || !is_real(g, g->symbols[s].next) || is_growing(g, g->symbols[s].next))
        return;
    uint32_t other = digram_intern(&g->digrams, g->symbols, s);
    if (other == s)
        return;
    uint32_t r = whole_rule(g, other);
    if (r) {
        replace_digram(g, s, r);
        return;
    }
    r = whole_rule(g, s);
    if (r) {
        digram_move(&g->digrams, g->symbols, other, s);
        replace_digram(g, other, r);
        return;
    }
    r = make_rule(g, s, g->symbols[s].next);
    if (!r)
        return;
    digram_move(&g->digrams, g->symbols, other, g->symbols[g->rules[r].guard].next);
    replace_digram(g, other, r);
    replace_digram(g, s, r);
}

/* Replaces the only use of R by its symbols. */
static void inline_rule(struct grammar *g, uint32_t r)
{
    if (g->rules[r].guard == SYMBOL_NONE || !is_lonely(g, r))
        return;
    uint32_t use = g->rules[r].first_use;
    uint32_t guard = g->rules[r].guard;
    uint32_t previous = g->symbols[use].previous;
    uint32_t next = g->symbols[use].next;
    uint32_t last = g->symbols[guard].previous;
    forget_digram(g, previous);
    forget_digram(g, use);
    drop_use(g, use);
    give_symbol(g, use);
    g->symbol_count--;
    link_symbols(g, previous, g->symbols[guard].next);
    link_symbols(g, last, next);
    free_rule(g, r);
    note_digram(g, last);
    note_digram(g, previous);
    join_symbols(g, last);
    join_symbols(g, previous);
}

/* Replaces every use R^k of a rule R -> b^e by b^(e k). */
static void collapse_rule(struct grammar *g, uint32_t r)
{
    uint32_t guard = g->rules[r].guard;
    if (guard == SYMBOL_NONE || g->symbols[g->symbols[guard].next].next != guard)
        return;
    uint32_t only = g->symbols[guard].next;
    while (g->rules[r].first_use != SYMBOL_NONE) {
        uint32_t use = g->rules[r].first_use;
        uint32_t previous = g->symbols[use].previous;
        forget_digram(g, previous);
        forget_digram(g, use);
        drop_use(g, use);
        set_symbol(g, use, g->symbols[only].value, g->symbols[only].exponent * g->symbols[use].exponent);
        note_digram(g, use);
        note_digram(g, previous);
        join_symbols(g, use);
        join_symbols(g, previous);
    }
    delete_symbol(g, only);
    free_rule(g, r);
}

void grammar_settle(struct grammar *g)
{
    for (;;) {
        if (g->short_rules.count)
            collapse_rule(g, g->short_rules.items[--g->short_rules.count]);
        else if (g->lonely_rules.count)
            inline_rule(g, g->lonely_rules.items[--g->lonely_rules.count]);
        else if (g->open_digrams.count)
            check_digram(g, g->open_digrams.items[--g->open_digrams.count]);
        else
            return;
    }
}

void grammar_note_last(struct grammar *g)
{
    note_digram(g, g->symbols[g->symbols[0].previous].previous);
}

void grammar_put(struct grammar *g, uint32_t value, uint64_t exponent)
{
    uint32_t last = g->symbols[0].previous;
    if (is_real(g, last) && g->symbols[last].value == value) {
        g->symbols[last].exponent += exponent;
        return;
    }
    uint32_t s = take_symbol(g);
    set_symbol(g, s, value, exponent);
    link_symbols(g, last, s);
    link_symbols(g, s, SYMBOL_NONE);
    g->symbol_count++;
    note_digram(g, g->symbols[last].previous);
}

void grammar_take_back(struct grammar *g)
{
    delete_symbol(g, g->symbols[0].previous);
    uint32_t last = g->symbols[0].previous;
    forget_digram(g, g->symbols[last].previous);
}

/* --- the interface --- */

/* Makes G empty. It has room for a symbol and a rule. */
static void begin(struct grammar *g)
{
    g->next.terminal = GRAMMAR_NOTHING;
    g->symbols[0] = (struct symbol){0};
    g->symbol_limit = 1;
    g->rules[0] = (struct rule){0};
    g->rule_limit = 1;
    g->rule_count = 1;
}

struct grammar *grammar_new(void)
{
    struct grammar *g = calloc(1, sizeof *g);
    if (!g || !reserve_symbols(g, 1) || !reserve_rules(g, 1)) {
        grammar_free(g);
        return NULL;
    }
    begin(g);
    return g;
}

static struct index_stack empty(const struct index_stack *s)
{
    return (struct index_stack){.items = s->items, .capacity = s->capacity};
}

struct grammar *grammar_restart(struct grammar *g)
{
    if (grammar_memory_bytes(g) > RESTART_BYTES) {
        grammar_free(g);
        return NULL;
    }
    hash_index_clear(&g->digrams);
    *g = (struct grammar){.symbols = g->symbols,
                          .symbol_capacity = g->symbol_capacity,
                          .rules = g->rules,
                          .rule_capacity = g->rule_capacity,
                          .frames = g->frames,
                          .frame_capacity = g->frame_capacity,
                          .digrams = g->digrams,
                          .short_rules = empty(&g->short_rules),
                          .lonely_rules = empty(&g->lonely_rules),
                          .open_digrams = empty(&g->open_digrams)};
    begin(g);
    return g;
}

void grammar_free(struct grammar *g)
{
    if (!g)
        return;
    hash_index_free(&g->digrams);
    free(g->symbols);
    free(g->rules);
    free(g->frames);
    free(g->short_rules.items);
    free(g->lonely_rules.items);
    free(g->open_digrams.items);
    free(g);
}

void grammar_end_run(const struct grammar *g)
{
    uint32_t last = g->symbols[0].previous;
    if (is_real(g, last) && !g->depth)
        g->symbols[last].exponent = RUN_END - g->next.left;
}

/* Predicts the growing run, or the next iteration of the loop that has just begun one. */
static void predict(struct grammar *g, uint64_t length)
{
    const struct symbol *last = &g->symbols[g->symbols[0].previous];
    g->next.terminal = last->value;
    g->next.left = RUN_END - last->exponent;
    g->ends = length + g->next.left;
    loop_cursor_start(g);
}

enum pilgrim_status grammar_append(struct grammar *g, uint32_t terminal)
{
    if (terminal > GRAMMAR_TERMINAL_MAX)
        return PILGRIM_LIMIT;
    if (g->next.terminal == terminal) {
        if (!grammar_step(g))
            grammar_advance(g);
        return PILGRIM_OK;
    }
    bool back = g->depth && loop_cursor_back(g, terminal);
    if (!grammar_reserve(g, g->depth * LOOP_FRAME_SYMBOLS + 1, g->depth)) {
        if (back)
            grammar_advance(g);
        return PILGRIM_NOMEM;
    }
    uint64_t length = grammar_length(g);
    grammar_end_run(g);
    loop_cursor_leave(g);
    grammar_put(g, terminal, 1);
    grammar_settle(g);
    predict(g, length + 1);
    return PILGRIM_OK;
}

uint64_t grammar_length(const struct grammar *g)
{
    return g->ends - g->next.left;
}

bool grammar_in_loop(const struct grammar *g)
{
    return g->depth != 0;
}

uint32_t grammar_rule_count(const struct grammar *g)
{
    return g->rule_count;
}

uint32_t grammar_symbol_count(const struct grammar *g)
{
    return g->symbol_count;
}

size_t grammar_memory_bytes(const struct grammar *g)
{
    size_t stacked = (size_t)g->short_rules.capacity + g->lonely_rules.capacity + g->open_digrams.capacity;
    return sizeof *g + g->symbol_capacity * sizeof *g->symbols + g->rule_capacity * sizeof *g->rules +
           hash_index_bytes(&g->digrams) + stacked * sizeof(uint32_t) + g->frame_capacity * sizeof *g->frames;
}
