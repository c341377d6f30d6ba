/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops around a call; see loops_around.h. A structure is walked twice: for its loops, and to count up to the call.
 * What repeats is walked a few times only. */
#include "loops_around.h"

#include <stdlib.h>

#include "analysis/nest.h"

enum {
    DEPTH_MAX = 1000,
    WARM = 3,           /* passes of a loop's body before what a pass counts is known */
    STEPS_MAX = 1 << 23 /* symbols that are looked at */
};

/* A walk through a structure. */
struct structure_walk {
    const struct side_group *group;
    const uint32_t *shown_as; /* by class: the first class of the same call, polls that failed and others */
    struct nest *nest;
    uint64_t left; /* calls up to the end of the walk */
    uint64_t steps;
    unsigned depth;
    bool counts, failed;
};

static void walk_rule(struct structure_walk *w, uint64_t rule);

static void give(struct structure_walk *w, uint64_t class, uint64_t count)
{
    if (w->group->dropped[class] || count == 0)
        return;
    (w->counts ? nest_count : nest_see)(w->nest, w->shown_as[class], count);
}

/* Walks UNITS whole units of a rule. */
static void walk_units(struct structure_walk *w, const struct hashed_symbol *symbol, uint64_t units)
{
    uint64_t most = w->counts ? WARM : 2, whole = w->left;
    if (w->counts && units > WARM) {
        for (unsigned i = 0; i + 1 < WARM; i++)
            walk_rule(w, symbol->value);
        struct nest_mark *mark = nest_mark(w->nest);
        walk_rule(w, symbol->value);
        w->failed = w->failed || !mark || !nest_repeat(w->nest, mark, units - WARM);
        free(mark);
    } else {
        for (uint64_t i = 0; i < units && i < most; i++)
            walk_rule(w, symbol->value);
    }
    w->left = whole - units * w->group->structure.rules[symbol->value].length;
}

/* Recursion is bounded by DEPTH_MAX. */
static void walk_rule(struct structure_walk *w, uint64_t number)
{
    const struct hashed_sequence *s = &w->group->structure;
    const struct hashed_rule *rule = &s->rules[number];
    w->failed = w->failed || ++w->depth > DEPTH_MAX;
    for (size_t i = rule->first; i < rule->first + rule->count && w->left > 0 && !w->failed; i++) {
        const struct hashed_symbol *symbol = &s->symbols[i];
        w->failed = w->steps == 0;
        w->steps--;
        if (!symbol->is_rule) {
            uint64_t count = w->group->dropped[symbol->value] ? 0 : symbol->exponent;
            count = count < w->left ? count : w->left;
            give(w, symbol->value, count);
            w->left -= count;
            continue;
        }
        uint64_t unit = s->rules[symbol->value].length, units = unit ? w->left / unit : 0;
        walk_units(w, symbol, units < symbol->exponent ? units : symbol->exponent);
        if (unit && units < symbol->exponent && w->left > 0)
            walk_rule(w, symbol->value);
    }
    w->depth--;
}

/* Returns, by class, the first class of the same call; to be freed. NULL: no memory. */
static uint32_t *find_shown(const struct side_group *g, const struct call_kinds *kinds)
{
    uint32_t *shown = calloc((size_t)g->class_count + 1, sizeof *shown);
    for (uint32_t i = 0; i < g->class_count && shown; i++) {
        shown[i] = i;
        for (uint32_t k = 0; k < i && shown[i] == i; k++)
            if (call_kinds_same_call(kinds, g->classes[i], g->classes[k]))
                shown[i] = k;
    }
    return shown;
}

/* Walks the calls before END and the one there. Returns the loops; NULL: that takes long, or there is no memory. */
static struct nest *walk_to(const struct side_group *g, const struct call_kinds *kinds, uint64_t end, uint32_t **shown)
{
    struct structure_walk w = {.group = g, .steps = STEPS_MAX, .left = hashed_length(&g->structure)};
    *shown = find_shown(g, kinds);
    w.shown_as = *shown;
    w.nest = nest_new(g->class_count);
    w.failed = !w.shown_as || !w.nest;
    if (!w.failed)
        walk_rule(&w, 0);
    w.failed = w.failed || !nest_build(w.nest);
    w.counts = true;
    w.left = end < hashed_length(&g->structure) ? end + 1 : hashed_length(&g->structure);
    if (!w.failed)
        walk_rule(&w, 0);
    if (!w.failed)
        return w.nest;
    nest_free(w.nest);
    return NULL;
}

unsigned loops_around(const struct side_group *g, const struct call_kinds *kinds, uint64_t at,
                      struct loop_around loops[LOOPS_AROUND_MAX])
{
    struct nest_place places[LOOPS_AROUND_MAX];
    uint32_t *shown;
    struct nest *nest = walk_to(g, kinds, at, &shown);
    unsigned count = nest ? nest_places(nest, places, LOOPS_AROUND_MAX) : 0, kept = 0;
    for (unsigned i = count; i-- > 0;)
        loops[kept++] = (struct loop_around){g->kinds[places[i].class], places[i].iteration};
    nest_free(nest);
    free(shown);
    return kept;
}

size_t loops_of_nest(struct nest *nest, const uint32_t *kinds, struct diff_loop **loops)
{
    struct nest_item *items = NULL;
    size_t count = 0, kept = 0;
    *loops = NULL;
    if (nest_items(nest, &items, &count))
        *loops = calloc(count + 1, sizeof **loops);
    for (size_t i = 0; i < count && *loops; i++) {
        size_t first = i;
        while (first < count && items[first].is_loop)
            first++;
        if (!items[i].is_loop || first == count)
            continue;
        (*loops)[kept++] = (struct diff_loop){kinds[items[first].class], items[i].depth,      items[i].counts.times,
                                              items[i].counts.total,     items[i].counts.min, items[i].counts.max};
    }
    free(items);
    return kept;
}

size_t loops_of(const struct side_group *g, const struct call_kinds *kinds, struct diff_loop **loops)
{
    uint32_t *shown;
    struct nest *nest = walk_to(g, kinds, UINT64_MAX, &shown);
    *loops = NULL;
    const size_t count = nest ? loops_of_nest(nest, g->kinds, loops) : 0;
    nest_free(nest);
    free(shown);
    return count;
}
