/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop cursor; see loop_cursor.h. */
#include "grammar/loop_cursor.h"

#include <stdlib.h>

#include "grammar/grammar_data.h"
#include "grammar/loop_turn_inline.h"

enum { FIRST_FRAMES = 4 };

static bool push_frame(struct grammar *g, uint32_t use, uint64_t iterations)
{
    if (g->depth == g->frame_capacity) {
        uint32_t capacity = g->frame_capacity * 2 + FIRST_FRAMES;
        struct loop_frame *frames = realloc(g->frames, capacity * sizeof *frames);
        if (!frames)
            return false;
        g->frames = frames;
        g->frame_capacity = capacity;
    }
    g->frames[g->depth++] = (struct loop_frame){iterations, use};
    return true;
}

/* Predicts the first terminal of S's expansion. If memory is short it predicts nothing, and the next terminal makes the
 * grammar leave the loop. */
static void enter_symbol(struct grammar *g, uint32_t s)
{
    while (g->symbols[s].value & SYMBOL_RULE) {
        if (!push_frame(g, s, 0)) {
            predict_symbol(g, s, GRAMMAR_NOTHING);
            return;
        }
        s = g->symbols[rule_guard(g, s)].next;
    }
    predict_symbol(g, s, g->symbols[s].value);
}

/* Returns what follows the end of the body of GUARD's rule: its first symbol, for another iteration, or the symbol
 * after the use. */
static uint32_t end_iteration(struct grammar *g, uint32_t guard)
{
    struct loop_frame *f = &g->frames[g->depth - 1];
    struct symbol *use = &g->symbols[f->use];
    if (g->depth == 1) {
        use->exponent++;
        return g->symbols[guard].next;
    }
    if (++f->iterations < use->exponent)
        return g->symbols[guard].next;
    g->depth--;
    return use->next;
}

static __attribute__((noinline)) void advance_rule(struct grammar *g, uint32_t s)
{
    while (!is_real(g, s))
        s = end_iteration(g, s);
    enter_symbol(g, s);
}

void grammar_advance(struct grammar *g)
{
    if (!grammar_turn_quickly(g))
        advance_rule(g, g->symbols[g->at].next);
}

void loop_cursor_start(struct grammar *g)
{
    uint32_t last = g->symbols[0].previous;
    uint32_t use = g->symbols[last].previous;
    uint32_t terminal = g->symbols[last].value;
    uint64_t exponent = g->symbols[last].exponent;
    if (!(g->symbols[use].value & SYMBOL_RULE) || g->symbols[use].exponent < LOOP_ITERATIONS_MIN)
        return;
    struct grammar_next run = g->next;
    uint64_t ends = g->ends;
    g->ends -= run.left;
    enter_symbol(g, use);
    if (g->next.terminal != terminal || exponent > g->next.left) {
        g->depth = 0;
        g->next = run;
        g->ends = ends;
        return;
    }
    grammar_take_back(g);
    g->next.left -= exponent;
    g->ends -= exponent;
    if (!g->next.left)
        grammar_advance(g);
}

/* ---- stepping back ---- */

/* Returns what comes before the first symbol of the body of GUARD's rule, which the cursor is at. */
static uint32_t begin_iteration(struct grammar *g, uint32_t guard)
{
    struct loop_frame *f = &g->frames[g->depth - 1];
    struct symbol *use = &g->symbols[f->use];
    if (g->depth == 1) {
        use->exponent--;
        return g->symbols[guard].previous;
    }
    if (f->iterations) {
        f->iterations--;
        return g->symbols[guard].previous;
    }
    g->depth--;
    return use->previous;
}

/* Moves the cursor behind the previous symbol S. False if it had no memory to get to a terminal and stays at a rule. */
static bool step_back(struct grammar *g, uint32_t s)
{
    g->ends -= g->next.left;
    g->next.left = 0;
    while (!is_real(g, s))
        s = begin_iteration(g, s);
    g->at = s;
    while (g->symbols[s].value & SYMBOL_RULE) {
        if (!push_frame(g, s, g->symbols[s].exponent - 1))
            return false;
        s = g->symbols[rule_guard(g, s)].previous;
        g->at = s;
    }
    return true;
}

bool loop_cursor_back(struct grammar *g, uint32_t terminal)
{
    uint32_t s = g->symbols[g->at].previous;
    bool is_terminal = is_real(g, s) && !(g->symbols[s].value & SYMBOL_RULE);
    if (g->next.left != g->symbols[g->at].exponent || (is_terminal && g->symbols[s].value != terminal))
        return false;
    if (step_back(g, s) && g->symbols[g->at].value == terminal)
        return true;
    grammar_advance(g);
    return false;
}

/* ---- leaving ---- */

/* Appends what comes before S in rule R. */
static void put_front(struct grammar *g, uint32_t r, uint32_t s)
{
    uint32_t before = g->symbols[s].previous;
    if (!is_real(g, before))
        return;
    if (is_real(g, g->symbols[before].previous))
        grammar_put(g, grammar_split(g, r, s) | SYMBOL_RULE, 1);
    else
        grammar_put(g, g->symbols[before].value, g->symbols[before].exponent);
}

void loop_cursor_leave(struct grammar *g)
{
    for (uint32_t i = 0; i < g->depth; i++) {
        bool inmost = i + 1 == g->depth;
        uint32_t s = inmost ? g->at : g->frames[i + 1].use;
        uint64_t iterations = inmost ? g->symbols[s].exponent - g->next.left : g->frames[i + 1].iterations;
        put_front(g, g->symbols[g->frames[i].use].value & ~SYMBOL_RULE, s);
        if (iterations)
            grammar_put(g, g->symbols[s].value, iterations);
    }
    g->depth = 0;
}
