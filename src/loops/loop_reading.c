/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a sequence with a loop forest; see loop_reading.h.
 *
 * The walk is in one element of each loop on the way from the root to the last terminal. The next terminal belongs to
 * the innermost of these loops that contains it; the loops further in are left. If its element comes after the current
 * one, it is in the same iteration, else it begins a new one. An element that was missing in some iterations gets their
 * trips, which are 0, when it comes again. So a run costs the depth of the loops, not the number of elements. Every
 * sequence can be read like this; the forest decides how little there is to say. */
#include "loops/loop_reading.h"

#include <stdlib.h>

#include "base/try.h"

#define LOOPS_RUNS (8u << 20) /* runs in the longest walk */

/* ---- runs of a sequence ---- */

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

bool run_cursor_init(struct run_cursor *c, const struct rules *r, uint32_t start)
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

bool run_cursor_next(struct run_cursor *c, uint32_t *terminal, uint64_t *count)
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
    w->runs += loop_trips_add(t, value, times);
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
    while (*complete && run_cursor_next(&c, &terminal, &count)) {
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

enum pilgrim_status loop_read(const struct rules *r, const struct loop_forest *f, uint64_t most,
                              struct loop_state **states, bool *complete)
{
    struct trips_walk w = {.forest = f, .innermost = loop_forest_root(f)};
    w.states = calloc(f->node_count, sizeof *w.states);
    w.path = malloc(f->node_count * sizeof *w.path);
    enum pilgrim_status status = w.states && w.path ? walk(&w, r, most, complete) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = trips_status(&w);
    free(w.path);
    *states = w.states;
    return status;
}

void loop_states_free(struct loop_state *states, const struct loop_forest *f)
{
    for (uint32_t node = 0; states && node < f->node_count; node++) {
        bytes_free(&states[node].trips.runs);
        bytes_free(&states[node].iterations.runs);
    }
    free(states);
}
