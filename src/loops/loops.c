/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds loops: reads a sequence with its loop forest (loop_forest.h), run by run; see loops.h.
 *
 * The walk is in one element of each loop on the way from the root to the last terminal. The next terminal belongs to
 * the innermost of these loops that contains it; the loops further in are left. If its element comes after the current
 * one, it is in the same iteration, else it begins a new one. An element that was missing in some iterations gets their
 * trips, which are 0, when it comes again. So a run costs the depth of the loops, not the number of elements. Every
 * sequence can be read like this; the forest decides how little there is to say. */
#include "loops/loops.h"

#include <stdlib.h>

#include "base/try.h"
#include "loops/loop_bodies.h"
#include "loops/loops_size.h"

#define LOOPS_RUNS (8u << 20) /* runs in the longest walk */

/* So many runs of trips may pay: where there are many, a run takes a quarter of a byte or more. */
#define RUNS_MAX(bytes) (4 * (uint64_t)(bytes))

/* If the start rule has so many symbols, some of its runs are tried first, to see if loops may pay. */
enum { SAMPLE_MIN = 1 << 14, SAMPLE_POSITIONS = 8, SAMPLE_RUNS = 2048 /* from each position on */ };

/* ---- runs of a sequence ---- */

struct run_frame {
    uint32_t position, end;
    uint64_t left; /* repetitions of the symbol at POSITION still to come */
};

struct run_cursor {
    const struct rules *rules;
    struct run_frame *stack;
    uint32_t depth;
    uint64_t terminal, count; /* the next run; count 0: none */
};

static void enter_rule(struct run_cursor *c, uint32_t rule)
{
    uint32_t first = c->rules->first[rule];
    c->stack[c->depth++] = (struct run_frame){
        .position = first, .end = c->rules->first[rule + 1], .left = c->rules->symbols[first].exponent};
}

/* Finds the next symbol that is a terminal, with its exponent. False at the end. */
static bool next_symbol(struct run_cursor *c, uint64_t *terminal, uint64_t *count)
{
    while (c->depth) {
        struct run_frame *top = &c->stack[c->depth - 1];
        const struct rules_symbol *symbol = &c->rules->symbols[top->position];
        if (top->left && symbol->is_rule) {
            top->left--;
            enter_rule(c, (uint32_t)symbol->value);
            continue;
        }
        uint64_t left = top->left;
        if (++top->position == top->end)
            c->depth--;
        else
            top->left = c->rules->symbols[top->position].exponent;
        if (left) {
            *terminal = symbol->value;
            *count = left;
            return true;
        }
    }
    return false;
}

/* Begins at symbol START of the start rule, which exists. False: no memory. */
static bool run_cursor_init(struct run_cursor *c, const struct rules *r, uint32_t start)
{
    *c = (struct run_cursor){.rules = r};
    c->stack = malloc(r->total[0].depth * sizeof *c->stack);
    if (!c->stack)
        return false;
    c->stack[c->depth++] =
        (struct run_frame){.position = start, .end = r->first[1], .left = r->symbols[start].exponent};
    (void)next_symbol(c, &c->terminal, &c->count);
    return true;
}

/* Finds the next run; equal neighbours are one run. False at the end. */
static bool next_run(struct run_cursor *c, uint32_t *terminal, uint64_t *count)
{
    *terminal = (uint32_t)c->terminal;
    *count = c->count;
    c->count = 0;
    while (next_symbol(c, &c->terminal, &c->count) && c->terminal == *terminal) {
        *count += c->count;
        c->count = 0;
    }
    return *count > 0;
}

/* ---- trips ---- */

struct trips_walk {
    const struct loop_forest *forest;
    struct loop_state *states; /* by node */
    uint32_t innermost;        /* the innermost loop that the walk is in */
    uint32_t *path;            /* working memory: the nodes from a loop to a terminal */
    uint64_t runs;             /* closed runs of all trips */
};

static void trips_add(struct trips_walk *w, struct loop_trips *t, uint64_t value, uint64_t times)
{
    if (!times)
        return;
    t->total += times;
    if (t->times && t->value != value) {
        bytes_put_varint(&t->runs, t->value);
        bytes_put_varint(&t->runs, t->times);
        t->times = 0;
        w->runs++;
    }
    t->value = value;
    t->times += times;
}

/* Returns the number of iterations of the loop around NODE in which NODE could have come. */
static uint64_t iterations_of(const struct trips_walk *w, uint32_t node)
{
    const struct loop_node *n = &w->forest->nodes[node];
    const struct loop_state *loop = &w->states[n->parent];
    return n->element < w->forest->nodes[n->parent].entry ? loop->begun - loop->heads : loop->begun;
}

/* Notes zeros for the iterations without NODE. CURRENT: iterations at the end that are not to be noted. In the
 * sequence that the forest was built from, a visit to a loop with an entry begins there. A piece of a sample may begin
 * before it, and so in no iteration. */
static void note_absence(struct trips_walk *w, uint32_t node, uint64_t current)
{
    struct loop_trips *t = &w->states[node].trips;
    uint64_t iterations = iterations_of(w, node);
    if (iterations > t->total + current)
        trips_add(w, t, 0, iterations - t->total - current);
}

/* Notes TIMES as the trips of NODE in the current iteration of the loop around it. */
static void came(struct trips_walk *w, uint32_t node, uint64_t times)
{
    note_absence(w, node, 1);
    trips_add(w, &w->states[node].trips, times, 1);
}

static void leave(struct trips_walk *w, uint32_t loop)
{
    struct loop_state *s = &w->states[loop];
    bool has_head = w->forest->nodes[loop].entry > 0;
    if (has_head)
        trips_add(w, &s->iterations, s->current - 1, 1);
    came(w, loop, has_head ? 1 : s->current);
    s->current = 0;
}

/* Moves from LOOP's current element to the element with index ELEMENT. */
static void pass(struct trips_walk *w, uint32_t loop, uint32_t element)
{
    struct loop_state *s = &w->states[loop];
    if (!s->current && w->forest->nodes[loop].entry)
        s->heads++;
    if (!s->current || element <= s->element) {
        s->begun++;
        s->current++;
    }
    s->element = element;
}

static void step(struct trips_walk *w, uint32_t terminal, uint64_t count)
{
    const struct loop_forest *f = w->forest;
    while (!loop_forest_has(f, w->innermost, terminal)) {
        leave(w, w->innermost);
        w->innermost = f->nodes[w->innermost].parent;
    }
    uint32_t depth = 0;
    for (uint32_t node = terminal; node != w->innermost; node = f->nodes[node].parent)
        w->path[depth++] = node;
    while (depth > 0) {
        pass(w, w->innermost, f->nodes[w->path[--depth]].element);
        w->innermost = w->path[depth];
    }
    w->innermost = f->nodes[terminal].parent;
    if (!f->nodes[terminal].is_single) {
        came(w, terminal, count);
        return;
    }
    came(w, terminal, 1);
    w->states[w->innermost].begun += count - 1;
    w->states[w->innermost].current += count - 1;
    trips_add(w, &w->states[terminal].trips, 1, count - 1);
}

/* Leaves all loops after the last terminal and completes all trips. */
static void finish(struct trips_walk *w)
{
    const struct loop_forest *f = w->forest;
    for (; w->innermost != loop_forest_root(f); w->innermost = f->nodes[w->innermost].parent)
        leave(w, w->innermost);
    for (uint32_t node = 0; node < f->node_count; node++)
        if (node != loop_forest_root(f))
            note_absence(w, node, 0);
}

/* Walks the whole sequence. *COMPLETE false: it has too many runs, or trips have more than MOST runs. */
static enum pilgrim_status walk(struct trips_walk *w, const struct rules *r, uint64_t most, bool *complete)
{
    struct run_cursor c;
    uint32_t terminal;
    uint64_t count, steps = 0;
    if (!run_cursor_init(&c, r, 0))
        return PILGRIM_NOMEM;
    *complete = true;
    while (*complete && next_run(&c, &terminal, &count)) {
        step(w, terminal, count);
        *complete = ++steps <= LOOPS_RUNS && w->runs <= most;
    }
    free(c.stack);
    if (*complete)
        finish(w);
    return PILGRIM_OK;
}

static enum pilgrim_status trips_status(const struct trips_walk *w)
{
    for (uint32_t node = 0; node < w->forest->node_count; node++) {
        TRY(bytes_status(&w->states[node].trips.runs));
        TRY(bytes_status(&w->states[node].iterations.runs));
    }
    return PILGRIM_OK;
}

/* ---- the whole ---- */

static enum pilgrim_status find_in_forest(const struct rules *r, const struct loop_forest *f, uint64_t most,
                                          struct loops *l, bool *found)
{
    struct trips_walk w = {.forest = f, .innermost = loop_forest_root(f)};
    w.states = calloc(f->node_count, sizeof *w.states);
    w.path = malloc(f->node_count * sizeof *w.path);
    enum pilgrim_status status = w.states && w.path ? walk(&w, r, most, found) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = trips_status(&w);
    if (status == PILGRIM_OK && *found)
        status = loop_bodies_write(f, w.states, l);
    for (uint32_t node = 0; w.states && node < f->node_count; node++) {
        bytes_free(&w.states[node].trips.runs);
        bytes_free(&w.states[node].iterations.runs);
    }
    free(w.states);
    free(w.path);
    return status;
}

/* Appends up to SAMPLE_RUNS runs of R, from symbol START of the start rule on, as symbols of a rule. */
static enum pilgrim_status sample_runs(const struct rules *r, uint32_t start, struct bytes *symbols,
                                       uint32_t *symbol_count)
{
    struct run_cursor c;
    uint32_t terminal;
    uint64_t count;
    if (!run_cursor_init(&c, r, start))
        return PILGRIM_NOMEM;
    for (unsigned i = 0; i < SAMPLE_RUNS && next_run(&c, &terminal, &count); i++) {
        bytes_put_varint(symbols, (uint64_t)terminal << 2 | (uint64_t)(count > 1) << 1);
        if (count > 1)
            bytes_put_varint(symbols, count - 2);
        ++*symbol_count;
    }
    free(c.stack);
    return PILGRIM_OK;
}

/* Makes a grammar of one rule from runs at several positions of R. */
static enum pilgrim_status sample_take(const struct rules *r, struct bytes *grammar)
{
    struct bytes symbols = {0};
    uint32_t count = 0;
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; status == PILGRIM_OK && i < SAMPLE_POSITIONS; i++)
        status = sample_runs(r, r->first[1] / SAMPLE_POSITIONS * i, &symbols, &count);
    bytes_put_varint(grammar, 1);
    bytes_put_varint(grammar, count);
    bytes_put(grammar, symbols.data, symbols.length);
    grammar->failed |= symbols.failed;
    bytes_free(&symbols);
    return status == PILGRIM_OK ? bytes_status(grammar) : status;
}

/* *PAY false: a sample of R takes clearly more as loops of F than as it is. */
static enum pilgrim_status sample_pays(const struct rules *r, const struct loop_forest *f, bool *pay)
{
    struct bytes grammar = {0};
    struct cursor c;
    struct rules sample = {0};
    struct loops l = {0};
    enum pilgrim_status status = sample_take(r, &grammar);
    cursor_init(&c, grammar.data, grammar.length);
    if (status == PILGRIM_OK)
        status = rules_parse(&c, f->terminal_count, &sample);
    if (status == PILGRIM_OK)
        status = find_in_forest(&sample, f, RUNS_MAX(grammar.length), &l, pay);
    if (status == PILGRIM_OK && *pay)
        *pay = loops_may_pay(&l, grammar.data, grammar.length);
    loops_free(&l);
    rules_free(&sample);
    bytes_free(&grammar);
    return status;
}

static enum pilgrim_status find_in_rules(const struct rules *r, uint32_t terminal_count, uint64_t most, struct loops *l,
                                         bool *found)
{
    struct loop_forest f;
    bool may_pay = true;
    TRY(loop_forest_build(r, terminal_count, &f));
    enum pilgrim_status status = PILGRIM_OK;
    if (most < UINT64_MAX && r->first[1] >= SAMPLE_MIN)
        status = sample_pays(r, &f, &may_pay);
    if (status == PILGRIM_OK && may_pay)
        status = find_in_forest(r, &f, most, l, found);
    loop_forest_free(&f);
    return status;
}

/* Finds loops in a grammar of at least MIN symbols. MOST: limit of runs of trips; UINT64_MAX: no limit, whether loops
 * pay or not. */
static enum pilgrim_status find(const void *data, size_t length, uint32_t terminal_count, uint32_t min, uint64_t most,
                                struct loops *l, bool *found)
{
    struct cursor c;
    struct rules r;
    *l = (struct loops){0};
    *found = false;
    cursor_init(&c, data, length);
    enum pilgrim_status status = rules_parse(&c, terminal_count, &r);
    if (status != PILGRIM_OK)
        return status == PILGRIM_NOMEM ? status : PILGRIM_OK;
    if (r.total[0].length > 0 && r.first[r.rule_count] >= min)
        status = find_in_rules(&r, terminal_count, most, l, found);
    rules_free(&r);
    if (status != PILGRIM_OK || !*found)
        loops_free(l);
    return status;
}

enum pilgrim_status loops_find(const void *data, size_t length, uint32_t terminal_count, struct loops *l, bool *found)
{
    TRY(find(data, length, terminal_count, LOOPS_MIN, RUNS_MAX(length), l, found));
    if (!*found)
        return PILGRIM_OK;
    *found = l->count && loops_pay(l, data, length);
    if (!*found)
        loops_free(l);
    return PILGRIM_OK;
}

enum pilgrim_status loops_find_any(const void *data, size_t length, uint32_t terminal_count, struct loops *l,
                                   bool *found)
{
    return find(data, length, terminal_count, 0, UINT64_MAX, l, found);
}

void loops_free(struct loops *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        bytes_free(&l->items[i].body);
        nested_runs_free(&l->items[i].differences);
    }
    free(l->items);
    bytes_free(&l->top);
    *l = (struct loops){0};
}
