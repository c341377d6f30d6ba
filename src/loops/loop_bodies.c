/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns trips into loops: decides which nodes become loops, and writes their bodies; see loop_bodies.h.
 *
 * A node with the same number of iterations each time is written where it stands, as its elements with that exponent.
 * All other nodes become loops. A loop with a head becomes the head and a loop. The two are a loop of their own if the
 * loop around them has iterations without them. */
#include "loops/loop_bodies.h"

#include <stdlib.h>

#include "base/try.h"

#define NO_LOOP UINT32_MAX

/* The loops that a node becomes. */
struct node_loops {
    uint32_t whole;      /* the node as a whole, whose trips are its runs or iterations */
    uint32_t iterations; /* the iterations of a node with a head */
};

struct body_writer {
    const struct loop_forest *forest;
    const struct loop_state *states;
    struct node_loops *loops_of; /* by node */
    struct loops *loops;
    struct loop_origin *origins; /* NULL, or of each loop */
};

static const struct loop_node *node_of(const struct body_writer *w, uint32_t node)
{
    return &w->forest->nodes[node];
}

static uint32_t element(const struct body_writer *w, uint32_t loop, uint32_t index)
{
    return w->forest->elements[node_of(w, loop)->elements + index];
}

/* ---- one grammar ---- */

struct rule_symbols {
    struct rules_symbol *items;
    size_t count, capacity;
};

struct grammar_writer {
    const struct body_writer *w;
    struct rule_symbols *rules; /* the start rule first */
    uint32_t count, capacity;
    bool failed;
};

static uint32_t new_rule(struct grammar_writer *g)
{
    if (g->count == g->capacity) {
        uint32_t capacity = g->capacity * 2 + 4;
        struct rule_symbols *rules = realloc(g->rules, capacity * sizeof *rules);
        if (!rules) {
            g->failed = true;
            return 0;
        }
        g->rules = rules;
        g->capacity = capacity;
    }
    g->rules[g->count] = (struct rule_symbols){0};
    return g->count++;
}

static void put(struct grammar_writer *g, uint32_t rule, struct rules_symbol symbol)
{
    if (g->failed)
        return;
    struct rule_symbols *r = &g->rules[rule];
    if (r->count && r->items[r->count - 1].is_rule == symbol.is_rule && r->items[r->count - 1].value == symbol.value) {
        r->items[r->count - 1].exponent += symbol.exponent;
        return;
    }
    if (r->count == r->capacity) {
        size_t capacity = r->capacity * 2 + 8;
        struct rules_symbol *items = realloc(r->items, capacity * sizeof *items);
        if (!items) {
            g->failed = true;
            return;
        }
        r->items = items;
        r->capacity = capacity;
    }
    r->items[r->count++] = symbol;
}

static void put_loop(struct grammar_writer *g, uint32_t rule, uint32_t loop)
{
    put(g, rule, (struct rules_symbol){.value = g->w->forest->terminal_count + (uint64_t)loop, .exponent = 1});
}

static void put_rule(struct grammar_writer *g, uint32_t rule, uint32_t used, uint64_t exponent)
{
    put(g, rule, (struct rules_symbol){.value = used, .exponent = exponent, .is_rule = true});
}

static void put_node(struct grammar_writer *g, uint32_t rule, uint32_t node);

static void put_elements(struct grammar_writer *g, uint32_t rule, uint32_t loop, uint32_t from, uint32_t to)
{
    for (uint32_t index = from; index < to; index++)
        put_node(g, rule, element(g->w, loop, index));
}

/* Puts TIMES iterations of LOOP, which has no head. */
static void put_iterations(struct grammar_writer *g, uint32_t rule, uint32_t loop, uint64_t times)
{
    uint32_t inner = times > 1 ? new_rule(g) : rule;
    put_elements(g, inner, loop, 0, node_of(g->w, loop)->count);
    if (times > 1)
        put_rule(g, rule, inner, times);
}

/* Puts a visit to LOOP, which has a head. */
static void put_visit(struct grammar_writer *g, uint32_t rule, uint32_t loop)
{
    const struct loop_node *n = node_of(g->w, loop);
    if (g->w->loops_of[loop].iterations != NO_LOOP) {
        put_elements(g, rule, loop, n->entry, n->count);
        put_loop(g, rule, g->w->loops_of[loop].iterations);
        return;
    }
    uint64_t times = g->w->states[loop].iterations.value;
    uint32_t head = new_rule(g), inner = times > 1 ? new_rule(g) : rule;
    put_elements(g, head, loop, n->entry, n->count);
    put_rule(g, rule, head, 1);
    if (!times)
        return;
    put_elements(g, inner, loop, 0, n->entry);
    put_rule(g, inner, head, 1);
    if (times > 1)
        put_rule(g, rule, inner, times);
}

/* Puts what stands for NODE in an iteration of the loop around it. */
static void put_node(struct grammar_writer *g, uint32_t rule, uint32_t node)
{
    const struct body_writer *w = g->w;
    if (g->failed)
        return;
    if (w->loops_of[node].whole != NO_LOOP)
        put_loop(g, rule, w->loops_of[node].whole);
    else if (!node_of(w, node)->count)
        put(g, rule, (struct rules_symbol){.value = node, .exponent = w->states[node].trips.value});
    else if (node_of(w, node)->entry)
        put_visit(g, rule, node);
    else
        put_iterations(g, rule, node, w->states[node].trips.value);
}

static void put_symbol(struct bytes *out, const struct rules_symbol *s)
{
    bytes_put_varint(out, s->value << 2 | (uint64_t)(s->exponent > 1) << 1 | s->is_rule);
    if (s->exponent > 1)
        bytes_put_varint(out, s->exponent - 2);
}

/* Serialises the grammar into OUT and frees it. */
static enum pilgrim_status end_grammar(struct grammar_writer *g, struct bytes *out)
{
    bytes_put_varint(out, g->count);
    for (uint32_t i = 0; i < g->count; i++) {
        bytes_put_varint(out, g->rules[i].count);
        for (size_t k = 0; k < g->rules[i].count; k++)
            put_symbol(out, &g->rules[i].items[k]);
        free(g->rules[i].items);
    }
    free(g->rules);
    return g->failed ? PILGRIM_NOMEM : bytes_status(out);
}

/* ---- trips ---- */

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct run_reader {
    struct cursor in;
    const struct loop_trips *trips;
    bool ended;
};

static struct run_reader read_runs(const struct loop_trips *t)
{
    struct run_reader r = {.trips = t};
    cursor_init(&r.in, t->runs.data, t->runs.length);
    return r;
}

static bool next_run(struct run_reader *r, uint64_t *value, uint64_t *times)
{
    if (r->ended)
        return false;
    r->ended = cursor_left(&r->in) == 0;
    *value = r->ended ? r->trips->value : cursor_varint(&r->in);
    *times = r->ended ? r->trips->times : cursor_varint(&r->in);
    return true;
}

bool loop_trips_add(struct loop_trips *t, uint64_t value, uint64_t times)
{
    if (!times)
        return false;
    const bool closes = t->times && t->value != value;
    t->total += times;
    if (closes) {
        bytes_put_varint(&t->runs, t->value);
        bytes_put_varint(&t->runs, t->times);
        t->times = 0;
    }
    t->value = value;
    t->times += times;
    return closes;
}

void loop_trips_join(struct loop_trips *t, const struct loop_trips *from)
{
    struct run_reader runs = read_runs(from);
    uint64_t value, times;
    while (next_run(&runs, &value, &times))
        loop_trips_add(t, value, times);
    t->runs.failed |= from->runs.failed;
}

/* Sets the factor to the greatest common divisor of all differences, with the sign of the first one. So trips that
 * depend on each other (the two sides of a branch, or the loops over pairs) have equal differences. */
static void set_factor(struct loops_loop *l, const struct loop_trips *t)
{
    struct run_reader runs = read_runs(t);
    uint64_t value, times, last = 0, factor = 0, low, high;
    int64_t sign = 0;
    (void)next_run(&runs, &last, &times);
    low = high = last;
    while (next_run(&runs, &value, &times)) {
        if (!sign)
            sign = value > last ? 1 : -1;
        factor = divisor(value > last ? value - last : last - value, factor);
        low = value < low ? value : low;
        high = value > high ? value : high;
        last = value;
    }
    l->factor = factor ? sign * (int64_t)factor : 1;
    l->range = factor ? (high - low) / factor : 0;
}

enum pilgrim_status loop_trips_write(const struct loop_trips *t, struct loops_loop *l)
{
    struct run_reader runs = read_runs(t);
    uint64_t value, times = 0, last = 0;
    set_factor(l, t);
    l->count = t->total;
    (void)next_run(&runs, &last, &times);
    l->first = (int64_t)last;
    if (!loop_trips_vary(t))
        return PILGRIM_OK;
    if (times > 1)
        TRY(nested_runs_append(&l->differences, 0, times - 1));
    while (next_run(&runs, &value, &times)) {
        TRY(nested_runs_append(&l->differences, ((int64_t)value - (int64_t)last) / l->factor, 1));
        if (times > 1)
            TRY(nested_runs_append(&l->differences, 0, times - 1));
        last = value;
    }
    return nested_runs_close(&l->differences);
}

/* ---- loops ---- */

enum content { ONE_ITERATION, ONE_VISIT };

static enum pilgrim_status add_loop(struct body_writer *w, uint32_t node, enum content content,
                                    const struct loop_trips *trips, uint32_t *number)
{
    struct grammar_writer g = {.w = w};
    uint32_t start = new_rule(&g);
    struct loops_loop *l = &w->loops->items[w->loops->count];
    if (!node_of(w, node)->count)
        put(&g, start, (struct rules_symbol){.value = node, .exponent = 1});
    else if (content == ONE_ITERATION)
        put_iterations(&g, start, node, 1);
    else
        put_visit(&g, start, node);
    if (w->origins)
        w->origins[w->loops->count] = (struct loop_origin){node, trips == &w->states[node].iterations};
    *number = w->loops->count++;
    TRY(end_grammar(&g, &l->body));
    return loop_trips_write(trips, l);
}

/* True if a node that is visited only once becomes a loop all the same: it contains varying loops, and other members of
 * its group may have more or fewer iterations. */
static bool is_main_loop(const struct loop_trips *t, uint64_t iterations, bool varies)
{
    return varies && t->total == 1 && iterations > 1;
}

/* Adds the loops inside NODE, then those that NODE itself becomes. *VARIES: set if there are any. */
static enum pilgrim_status add_node(struct body_writer *w, uint32_t node, bool *varies)
{
    const struct loop_node *n = node_of(w, node);
    const struct loop_state *s = &w->states[node];
    bool inside = false;
    for (uint32_t index = 0; index < n->count; index++)
        TRY(add_node(w, element(w, node, index), &inside));
    *varies |= inside;
    if (node == loop_forest_root(w->forest))
        return PILGRIM_OK;
    if (n->entry && (loop_trips_vary(&s->iterations) || is_main_loop(&s->iterations, s->iterations.value, inside))) {
        TRY(add_loop(w, node, ONE_ITERATION, &s->iterations, &w->loops_of[node].iterations));
        *varies = true;
    }
    if (loop_trips_vary(&s->trips) || is_main_loop(&s->trips, s->trips.value, inside)) {
        TRY(add_loop(w, node, n->entry ? ONE_VISIT : ONE_ITERATION, &s->trips, &w->loops_of[node].whole));
        *varies = true;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status add_all(struct body_writer *w)
{
    uint32_t root = loop_forest_root(w->forest);
    struct grammar_writer g = {.w = w};
    bool varies = false;
    for (uint32_t node = 0; node < w->forest->node_count; node++)
        w->loops_of[node] = (struct node_loops){NO_LOOP, NO_LOOP};
    TRY(add_node(w, root, &varies));
    put_elements(&g, new_rule(&g), root, 0, node_of(w, root)->count);
    return end_grammar(&g, &w->loops->top);
}

enum pilgrim_status loop_bodies_write(const struct loop_forest *f, const struct loop_state *states, struct loops *l,
                                      struct loop_origin *origins)
{
    struct body_writer w = {.forest = f, .states = states, .loops = l, .origins = origins};
    w.loops_of = malloc(f->node_count * sizeof *w.loops_of);
    l->items = calloc(2 * (size_t)f->node_count, sizeof *l->items);
    enum pilgrim_status status = w.loops_of && l->items ? add_all(&w) : PILGRIM_NOMEM;
    free(w.loops_of);
    return status;
}
