/* SPDX-License-Identifier: BSD-3-Clause */
/* Components of a region, the cost of an order of them, and the choice of an order; see loop_cuts.h. Source: Tarjan
 * 1972 (strongly connected components), with an explicit stack. */
#include "loops/loop_cuts.h"

#include <string.h>

#define NOTHING UINT32_MAX

/* ---- components ---- */

struct component_search {
    struct loop_regions *w;
    uint32_t region;
    struct loop_cut cut;
    uint32_t next; /* number for the next terminal that is met */
    uint32_t stacked, depth;
    uint32_t components;
};

static bool is_inner(const struct component_search *s, uint32_t from, uint32_t to)
{
    return s->w->region[to] == s->region && to != s->cut.head && from != s->cut.tail;
}

static void meet(struct component_search *s, uint32_t terminal)
{
    struct loop_regions *w = s->w;
    w->index[terminal] = w->low[terminal] = s->next++;
    w->at[terminal] = w->transitions.out.first[terminal];
    w->stack[s->stacked++] = terminal;
    w->path[s->depth++] = terminal;
}

/* Returns the next terminal not met before that follows TERMINAL; NOTHING: there is none. */
static uint32_t follow(struct component_search *s, uint32_t terminal)
{
    struct loop_regions *w = s->w;
    const struct transition_lists *out = &w->transitions.out;
    while (w->at[terminal] < out->first[terminal + 1]) {
        uint32_t to = out->items[w->at[terminal]++].other;
        w->steps++;
        if (!is_inner(s, terminal, to))
            continue;
        if (w->index[to] == NOTHING)
            return to;
        if (w->order[to] == NOTHING && w->index[to] < w->low[terminal])
            w->low[terminal] = w->index[to];
    }
    return NOTHING;
}

static void leave(struct component_search *s)
{
    struct loop_regions *w = s->w;
    uint32_t terminal = w->path[--s->depth];
    if (s->depth && w->low[terminal] < w->low[w->path[s->depth - 1]])
        w->low[w->path[s->depth - 1]] = w->low[terminal];
    if (w->low[terminal] != w->index[terminal])
        return;
    uint32_t member;
    do {
        member = w->stack[--s->stacked];
        w->order[member] = s->components;
    } while (member != terminal);
    s->components++;
}

uint32_t loop_components(struct loop_regions *w, const struct loop_region *region, struct loop_cut cut)
{
    struct component_search s = {.w = w, .region = region->number, .cut = cut};
    for (uint32_t i = region->begin; i < region->end; i++)
        w->index[w->members[i]] = w->order[w->members[i]] = NOTHING;
    for (uint32_t i = region->begin; i < region->end; i++) {
        if (w->index[w->members[i]] != NOTHING)
            continue;
        meet(&s, w->members[i]);
        while (s.depth) {
            uint32_t next = follow(&s, w->path[s.depth - 1]);
            if (next == NOTHING)
                leave(&s);
            else
                meet(&s, next);
        }
    }
    /* The search completes a component after those that follow it, so the order is reversed. */
    for (uint32_t i = region->begin; i < region->end; i++)
        w->order[w->members[i]] = s.components - 1 - w->order[w->members[i]];
    return s.components;
}

/* ---- what an order costs ---- */

/* The visits of a region. */
struct visits {
    uint64_t count, iterations;
    uint32_t entry, exit; /* NOTHING: visits differ */
};

static void note_index(uint32_t *known, bool first, uint32_t index)
{
    if (first)
        *known = index;
    else if (*known != index)
        *known = NOTHING;
}

/* Notes that the elements FROM to TO - 1 are missing in COUNT iterations. */
static void skip(struct loop_regions *w, uint32_t from, uint32_t to, uint64_t count)
{
    if (from >= to)
        return;
    w->skips[from] += (int64_t)count;
    w->skips[to] -= (int64_t)count;
}

static void enter(struct loop_regions *w, struct visits *v, uint32_t index, uint64_t count)
{
    note_index(&v->entry, v->count == 0, index);
    v->count += count;
    v->iterations += count;
    skip(w, 0, index, count);
}

static void exit_after(struct loop_regions *w, struct visits *v, uint32_t elements, uint32_t index, uint64_t count,
                       bool *any)
{
    note_index(&v->exit, !*any, index);
    *any = true;
    skip(w, index + 1, elements, count);
}

static void pass(struct loop_regions *w, struct visits *v, uint32_t elements, uint32_t from, uint32_t to,
                 uint64_t count)
{
    if (from < to) {
        skip(w, from + 1, to, count);
    } else if (from > to) {
        v->iterations += count;
        skip(w, from + 1, elements, count);
        skip(w, 0, to, count);
    }
}

static void note_transitions(struct loop_regions *w, const struct loop_region *region, uint32_t elements,
                             struct visits *v)
{
    bool any_exit = false;
    const struct transition_lists *out = &w->transitions.out, *in = &w->transitions.in;
    for (uint32_t i = region->begin; i < region->end; i++) {
        uint32_t terminal = w->members[i], index = w->order[terminal];
        if (terminal == w->transitions.start)
            enter(w, v, index, w->transitions.sequences);
        for (uint32_t k = in->first[terminal]; k < in->first[terminal + 1]; k++)
            if (w->region[in->items[k].other] != region->number)
                enter(w, v, index, in->items[k].count);
        if (terminal == w->transitions.last)
            exit_after(w, v, elements, index, w->transitions.sequences, &any_exit);
        for (uint32_t k = out->first[terminal]; k < out->first[terminal + 1]; k++) {
            uint32_t to = out->items[k].other;
            if (w->region[to] != region->number)
                exit_after(w, v, elements, index, out->items[k].count, &any_exit);
            else
                pass(w, v, elements, index, w->order[to], out->items[k].count);
        }
        w->steps += in->first[terminal + 1] - in->first[terminal] + out->first[terminal + 1] - out->first[terminal];
    }
}

enum {
    SEQUENCE_BITS = 16,
    TRIPS_BITS = 1
}; /* bits of a delta sequence, whatever it contains; bits of a visit to an inner loop */

/* Returns the bits of a sequence of N values of two kinds, M of one of them: about log2(n over m). */
static uint64_t bits_of(uint64_t n, uint64_t m)
{
    if (m > n / 2)
        m = n - m;
    if (m == 0)
        return 0;
    return m * (uint64_t)(64 - __builtin_clzll(n / m)) + SEQUENCE_BITS;
}

uint64_t loop_cut_cost(struct loop_regions *w, const struct loop_region *region, uint32_t count, uint32_t *entry,
                       uint32_t *exit)
{
    struct visits v = {0};
    uint64_t cost = 0;
    int64_t skipped = 0;
    memset(w->skips, 0, (count + (size_t)1) * sizeof *w->skips);
    memset(w->sizes, 0, count * sizeof *w->sizes);
    for (uint32_t i = region->begin; i < region->end; i++)
        w->sizes[w->order[w->members[i]]]++;
    note_transitions(w, region, count, &v);
    /* The first and last element of a single visit are chance. */
    *entry = v.entry == NOTHING || v.count == 1 ? 0 : v.entry;
    *exit = v.exit == NOTHING || v.count == 1 ? count - 1 : v.exit;
    for (uint32_t i = 0; i < count; i++) {
        skipped += w->skips[i];
        uint64_t before =
            i < *entry
                ? v.count
                : 0; /* iterations that always begin behind this element: nothing has to say that it is missing */
        cost += bits_of(v.iterations - before, (uint64_t)skipped - before);
        if (w->sizes[i] > 1)
            cost += TRIPS_BITS * (v.iterations - (uint64_t)skipped) + SEQUENCE_BITS;
    }
    return cost;
}

/* Rotates the order of the COUNT components so that EXIT becomes the last one. */
static void turn_order(struct loop_regions *w, const struct loop_region *region, uint32_t count, uint32_t exit)
{
    for (uint32_t i = region->begin; i < region->end; i++) {
        uint32_t *order = &w->order[w->members[i]];
        *order = *order > exit ? *order - exit - 1 : *order + count - exit - 1;
    }
}

/* ---- the choice ---- */

enum { BEST_COUNT = 2, CUTS_MAX = 2 * BEST_COUNT + 2 };

/* The terminals with the highest scores. */
struct best_terminals {
    uint32_t terminal[BEST_COUNT];
    uint64_t score[BEST_COUNT];
};

static void best_note(struct best_terminals *b, uint32_t terminal, uint64_t score)
{
    if (score <= b->score[BEST_COUNT - 1])
        return;
    unsigned i = BEST_COUNT - 1;
    for (; i > 0 && score > b->score[i - 1]; i--) {
        b->score[i] = b->score[i - 1];
        b->terminal[i] = b->terminal[i - 1];
    }
    b->score[i] = score;
    b->terminal[i] = terminal;
}

/* Returns how often a transition enters TERMINAL from outside of the region (L = in), or leaves it to the outside (L =
 * out). Adds the number of all such transitions to *ALL. */
static uint64_t count_outside(const struct loop_regions *w, const struct transition_lists *l, uint32_t region,
                              uint32_t terminal, uint64_t *all)
{
    uint64_t outside = 0;
    for (uint32_t k = l->first[terminal]; k < l->first[terminal + 1]; k++) {
        *all += l->items[k].count;
        if (w->region[l->items[k].other] != region)
            outside += l->items[k].count;
    }
    return outside;
}

/* Lists the cuts to try: an iteration begins where the region is entered, ends where it is left, or begins or ends at
 * the most frequent terminal. */
static unsigned find_cuts(struct loop_regions *w, const struct loop_region *region, struct loop_cut *cuts)
{
    struct best_terminals entries = {0}, exits = {0}, hubs = {0};
    unsigned count = 0;
    for (uint32_t i = region->begin; i < region->end; i++) {
        uint32_t terminal = w->members[i];
        uint64_t all = 0, out = 0;
        best_note(&entries, terminal,
                  count_outside(w, &w->transitions.in, region->number, terminal, &all) +
                      (terminal == w->transitions.start ? w->transitions.sequences : 0));
        best_note(&exits, terminal,
                  count_outside(w, &w->transitions.out, region->number, terminal, &out) +
                      (terminal == w->transitions.last ? w->transitions.sequences : 0));
        best_note(&hubs, terminal, all);
    }
    for (unsigned i = 0; i < BEST_COUNT; i++)
        if (entries.score[i])
            cuts[count++] = (struct loop_cut){entries.terminal[i], NOTHING};
    for (unsigned i = 0; i < BEST_COUNT; i++)
        if (exits.score[i])
            cuts[count++] = (struct loop_cut){NOTHING, exits.terminal[i]};
    cuts[count++] = (struct loop_cut){hubs.terminal[0], NOTHING};
    cuts[count++] = (struct loop_cut){NOTHING, hubs.terminal[0]};
    return count;
}

/* True if a cost is clearly better. So streams that differ only in how often they do things get the same order. */
static bool is_better(uint64_t cost, uint64_t than)
{
    return cost < than - than / 4;
}

/* Sets the members' orders to the better one of the two that CUT gives. */
static uint64_t try_cut(struct loop_regions *w, const struct loop_region *region, struct loop_cut cut, bool *turned,
                        uint32_t *count, uint32_t *entry)
{
    uint32_t exit, turned_entry, ignored;
    *count = loop_components(w, region, cut);
    uint64_t cost = loop_cut_cost(w, region, *count, entry, &exit);
    *turned = false;
    if (exit + 1 == *count)
        return cost;
    turn_order(w, region, *count, exit);
    uint64_t other = loop_cut_cost(w, region, *count, &turned_entry, &ignored);
    *turned = is_better(other, cost);
    if (*turned) {
        *entry = turned_entry;
        return other;
    }
    turn_order(w, region, *count, *count - 2 - exit);
    return cost;
}

uint32_t loop_cut_choose(struct loop_regions *w, const struct loop_region *region, uint32_t *entry)
{
    struct loop_cut cuts[CUTS_MAX];
    unsigned cut_count = find_cuts(w, region, cuts), best = 0, last = cut_count;
    uint64_t least = UINT64_MAX;
    uint32_t count = 0;
    bool turned;
    for (unsigned i = 0; i < cut_count; i++) {
        uint64_t cost = try_cut(w, region, cuts[i], &turned, &count, entry);
        last = i;
        if (i == 0 || is_better(cost, least)) {
            least = cost;
            best = i;
        }
    }
    if (best != last)
        (void)try_cut(w, region, cuts[best], &turned, &count, entry);
    return count;
}
