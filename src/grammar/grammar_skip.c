/* SPDX-License-Identifier: BSD-3-Clause */
/* Many predicted terminals at once; see grammar.h. */
#include "grammar/grammar.h"

#include <stdlib.h>

#include "grammar/grammar_data.h"

/* A rule, and how far the search has come in it. */
struct visit {
    uint32_t rule, at;
};

/* What a search for the rules of an iteration needs, by rule; the orders and the stack have room for all rules. */
struct search {
    uint64_t *values; /* lengths, or how often a rule comes in an iteration */
    bool *met;
    uint32_t *order; /* rules behind those that they use */
    uint32_t count;
    struct visit *stack;
};

static bool search_begin(struct search *s, const struct grammar *g)
{
    size_t rules = (size_t)g->rule_limit + 1;
    *s = (struct search){.values = calloc(rules, sizeof *s->values),
                         .met = calloc(rules, sizeof *s->met),
                         .order = malloc(rules * sizeof *s->order),
                         .stack = malloc(rules * sizeof *s->stack)};
    return s->values && s->met && s->order && s->stack;
}

static void search_end(struct search *s)
{
    free(s->values);
    free(s->met);
    free(s->order);
    free(s->stack);
}

static void meet(struct search *s, const struct grammar *g, uint32_t rule, uint32_t *depth)
{
    s->met[rule] = true;
    s->stack[(*depth)++] = (struct visit){rule, g->symbols[g->rules[rule].guard].next};
}

/* Puts TOP and the rules that it uses into the order. */
static void find_order(struct search *s, const struct grammar *g, uint32_t top)
{
    uint32_t depth = 0;
    meet(s, g, top, &depth);
    while (depth) {
        struct visit *v = &s->stack[depth - 1];
        const struct symbol *symbol = &g->symbols[v->at];
        if (!is_real(g, v->at)) {
            s->order[s->count++] = v->rule;
            depth--;
            continue;
        }
        v->at = symbol->next;
        if (symbol->value & SYMBOL_RULE && !s->met[symbol->value & ~SYMBOL_RULE])
            meet(s, g, symbol->value & ~SYMBOL_RULE, &depth);
    }
}

/* Returns the rule whose iterations the outermost loop has. */
static uint32_t outermost(const struct grammar *g)
{
    return g->symbols[g->frames[0].use].value & ~SYMBOL_RULE;
}

static uint64_t count_all(struct search *s, const struct grammar *g, uint64_t *counts, uint32_t terminals)
{
    uint64_t length = 0;
    s->values[outermost(g)] = 1;
    for (uint32_t i = s->count; i > 0; i--) {
        uint32_t rule = s->order[i - 1], guard = g->rules[rule].guard;
        for (uint32_t at = g->symbols[guard].next; at != guard; at = g->symbols[at].next) {
            uint32_t value = g->symbols[at].value;
            uint64_t times = s->values[rule] * g->symbols[at].exponent;
            if (value & SYMBOL_RULE) {
                s->values[value & ~SYMBOL_RULE] += times;
                continue;
            }
            length += times;
            if (value < terminals)
                counts[value] += times;
        }
    }
    return length;
}

uint64_t grammar_iteration(const struct grammar *g, uint64_t *counts, uint32_t terminals)
{
    struct search s;
    uint64_t length = 0;
    if (!grammar_in_loop(g))
        return 0;
    if (search_begin(&s, g)) {
        find_order(&s, g, outermost(g));
        length = count_all(&s, g, counts, terminals);
    }
    search_end(&s);
    return length;
}

bool grammar_skip(struct grammar *g, uint64_t count)
{
    if (grammar_in_loop(g) && count > g->next.left) {
        uint64_t length = grammar_iteration(g, NULL, 0);
        if (!length)
            return false;
        g->symbols[g->frames[0].use].exponent += count / length;
        g->ends += count - count % length;
        count %= length;
    }
    while (count) {
        uint64_t run = count < g->next.left ? count : g->next.left;
        count -= run;
        g->next.left -= run;
        if (!g->next.left)
            grammar_advance(g);
    }
    return true;
}
