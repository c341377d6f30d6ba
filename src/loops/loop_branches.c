/* SPDX-License-Identifier: BSD-3-Clause */
/* Branches: finds out which elements of a loop come together and which exclude each other; see loop_build.h. */
#include "loops/loop_build.h"

enum { DEPTH_MAX = 24 }; /* nesting depth of branches */

static uint32_t index_of(const struct loop_build *b, uint32_t terminal)
{
    return b->regions.order[terminal];
}

/* ---- transitions into components ---- */

static void note_transition(struct loop_build *b, uint32_t from, uint32_t to, uint64_t count)
{
    struct loop_element *p = &b->elements[to];
    if (from == to)
        return;
    p->visits += count;
    if (from < to && from < p->before)
        p->before = from;
    if (from > to && from < p->behind)
        p->behind = from;
}

static void note_indices(struct loop_build *b, const struct loop_region *region, uint32_t count)
{
    const struct loop_regions *w = &b->regions;
    const struct transition_lists *in = &w->transitions.in;
    for (uint32_t i = 0; i < count; i++)
        b->elements[i] = (struct loop_element){.before = UINT32_MAX, .behind = UINT32_MAX};
    for (uint32_t i = region->begin; i < region->end; i++) {
        uint32_t terminal = w->members[i], to = index_of(b, terminal);
        struct loop_element *p = &b->elements[to];
        p->begins |= terminal == w->transitions.start;
        p->visits += terminal == w->transitions.start ? w->transitions.sequences : 0;
        for (uint32_t k = in->first[terminal]; k < in->first[terminal + 1]; k++) {
            if (w->region[in->items[k].other] == region->number) {
                note_transition(b, index_of(b, in->items[k].other), to, in->items[k].count);
            } else {
                p->begins = true;
                p->visits += in->items[k].count;
            }
        }
    }
}

/* ---- pieces of a range of components ---- */

/* Returns the end of the components from A on that come only after A in the same iteration. */
static uint32_t dominated(const struct loop_build *b, uint32_t a, uint32_t to)
{
    uint32_t end = a + 1;
    for (; end < to && end < b->elements[a].behind; end++) {
        const struct loop_element *p = &b->elements[end];
        if (p->begins || p->behind != UINT32_MAX || p->before == UINT32_MAX || p->before < a)
            break;
    }
    return end;
}

/* Splits a range of components of a loop with ITERATIONS iterations into items, and returns their number. A component
 * that comes in all iterations needs no branch. */
static uint32_t find_items(struct loop_build *b, uint32_t from, uint32_t to, uint64_t iterations)
{
    uint32_t count = 0;
    for (uint32_t a = from; a < to; a = b->items[count++].to) {
        uint32_t end = b->elements[a].visits < iterations ? dominated(b, a, to) : a + 1;
        b->items[count] = (struct loop_piece){.from = a, .to = end};
    }
    return count;
}

static uint32_t item_of(const struct loop_build *b, uint32_t count, uint32_t index)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (b->items[middle].from <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Finds for each item the last earlier item that is its neighbour somewhere in the sequence. */
static void find_conflicts(struct loop_build *b, const struct loop_region *region, uint32_t count)
{
    struct loop_regions *w = &b->regions;
    const struct transition_lists *out = &w->transitions.out;
    uint32_t from = b->items[0].from, to = b->items[count - 1].to;
    for (uint32_t i = 0; i < count; i++)
        b->conflicts[i] = -1;
    for (uint32_t i = region->begin + b->starts[from]; i < region->begin + b->starts[to]; i++) {
        uint32_t terminal = w->members[i], one = item_of(b, count, index_of(b, terminal));
        w->steps += out->first[terminal + 1] - out->first[terminal];
        for (uint32_t k = out->first[terminal]; k < out->first[terminal + 1]; k++) {
            uint32_t next = out->items[k].other, index = index_of(b, next);
            if (w->region[next] != region->number || index < from || index >= to)
                continue;
            uint32_t other = item_of(b, count, index), low = one < other ? one : other,
                     high = one < other ? other : one;
            if (low != high && b->conflicts[high] < (int64_t)low)
                b->conflicts[high] = low;
        }
    }
}

/* Splits the components FROM to TO - 1 of a loop with ITERATIONS iterations into pieces, behind the first COUNT pieces.
 * Returns the new number of pieces. */
static uint32_t find_pieces(struct loop_build *b, const struct loop_region *region, uint32_t from, uint32_t to,
                            uint64_t iterations, uint32_t count)
{
    if (from == to)
        return count;
    uint32_t items = find_items(b, from, to, iterations);
    find_conflicts(b, region, items);
    for (uint32_t i = 0; i < items;) {
        uint32_t end = i + 1;
        while (end < items && b->conflicts[end] < (int64_t)i)
            end++;
        struct loop_piece *p = &b->pieces[count++];
        *p = b->items[i];
        if (end > i + 1) {
            p->to = b->items[end - 1].to;
            p->is_choice = true;
        }
        i = end;
    }
    return count;
}

/* Splits a choice into two pieces of about equal frequency and returns their number. Neither has many more items than
 * the other, so choices among many do not nest deeply. */
static uint32_t split_choice(struct loop_build *b, const struct loop_piece *choice)
{
    uint32_t items = find_items(b, choice->from, choice->to, UINT64_MAX);
    uint64_t all = 0, before = 0;
    if (items == 1) {
        b->pieces[0] = b->items[0];
        return 1;
    }
    for (uint32_t i = 0; i < items; i++)
        all += b->elements[b->items[i].from].visits;
    uint32_t middle = 0;
    while (middle < items && (middle < (items + 3) / 4 || (before < all / 2 && middle < items - (items + 3) / 4)))
        before += b->elements[b->items[middle++].from].visits;
    b->pieces[0] = (struct loop_piece){choice->from, b->items[middle - 1].to, middle > 1};
    b->pieces[1] = (struct loop_piece){b->items[middle].from, choice->to, items - middle > 1};
    return 2;
}

/* ---- elements ---- */

static void add_piece(struct loop_build *b, const struct loop_region *region, uint32_t loop, const struct loop_piece *p,
                      uint32_t depth)
{
    struct loop_forest *f = b->forest;
    uint32_t begin = region->begin + b->starts[p->from], end = region->begin + b->starts[p->to];
    uint32_t node = b->regions.members[begin];
    if (end - begin > 1) {
        node = f->node_count++;
        f->nodes[node].begin = begin;
        f->nodes[node].end = end;
        b->depth[node] = depth;
        b->branches[node] = *p;
    }
    f->nodes[node].parent = loop;
    f->nodes[node].element = f->nodes[loop].count++;
    f->elements[b->element_count++] = node;
}

static bool is_branch(const struct loop_piece *p)
{
    return p->to - p->from > 1;
}

static void add_pieces(struct loop_build *b, const struct loop_region *region, uint32_t loop, uint32_t count)
{
    b->forest->nodes[loop].elements = b->element_count;
    for (uint32_t i = 0; i < count; i++)
        add_piece(b, region, loop, &b->pieces[i], is_branch(&b->pieces[i]) ? 0 : b->depth[region->number] + 1);
}

static uint32_t single_pieces(struct loop_build *b, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        b->pieces[i - from] = (struct loop_piece){i, i + 1, false};
    return to - from;
}

static void add_branch(struct loop_build *b, const struct loop_region *region, uint32_t node, uint32_t depth)
{
    const struct loop_piece p = b->branches[node];
    uint32_t count = 1;
    if (depth >= DEPTH_MAX) {
        count = single_pieces(b, p.from, p.to);
    } else if (p.is_choice) {
        count = split_choice(b, &p);
    } else {
        b->pieces[0] = (struct loop_piece){p.from, p.from + 1, false};
        count = find_pieces(b, region, p.from + 1, p.to, b->elements[p.from].visits, 1);
    }
    add_pieces(b, region, node, count);
}

static uint32_t branch_depth(const struct loop_build *b, uint32_t node, uint32_t loop)
{
    uint32_t depth = 0;
    for (; node != loop && depth <= DEPTH_MAX; node = b->forest->nodes[node].parent)
        depth++;
    return depth;
}

void loop_branches_add(struct loop_build *b, const struct loop_region *region, uint32_t loop, uint32_t count,
                       uint32_t entry)
{
    struct loop_forest *f = b->forest;
    uint32_t first = f->node_count, pieces;
    uint64_t iterations = 0, visits = 0;
    note_indices(b, region, count);
    for (uint32_t i = 0; i < count; i++) {
        /* An iteration begins at a component that is not behind the one before, which is not known here. So the most
         * frequent component counts as being in all iterations. */
        iterations = b->elements[i].visits > iterations ? b->elements[i].visits : iterations;
        visits = i < entry && b->elements[i].visits > visits ? b->elements[i].visits : visits;
    }
    pieces = find_pieces(b, region, 0, entry, visits, 0);
    f->nodes[loop].entry = pieces;
    pieces = find_pieces(b, region, entry, count, iterations, pieces);
    add_pieces(b, region, loop, pieces);
    for (uint32_t node = first; node < f->node_count; node++)
        if (!b->depth[node])
            add_branch(b, region, node, branch_depth(b, node, loop));
    for (uint32_t node = first; node < f->node_count; node++)
        for (uint32_t i = f->nodes[node].begin; b->depth[node] && i < f->nodes[node].end; i++)
            b->regions.region[b->regions.members[i]] = node;
}
