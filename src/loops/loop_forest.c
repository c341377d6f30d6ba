/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the loop forest from the outside in; see loop_forest.h. Each region that is a loop is cut; its components are
 * terminals, or regions again. */
#include "loops/loop_forest.h"

#include <stdlib.h>
#include <string.h>

#include "loops/loop_build.h"

#define FOREST_STEPS (1u << 24) /* transitions to examine before no further loops are analysed */

static void build_free(struct loop_build *b)
{
    struct loop_regions *w = &b->regions;
    transitions_free(&w->transitions);
    uint32_t *arrays[] = {w->members, w->region, w->order, w->index, w->low,    w->at,
                          w->stack,   w->path,   w->sizes, b->depth, b->sorted, b->starts};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(w->skips);
    free(b->elements);
    free(b->pieces);
    free(b->items);
    free(b->branches);
    free(b->conflicts);
}

static bool build_init(struct loop_build *b, uint32_t terminal_count)
{
    struct loop_regions *w = &b->regions;
    /* Each loop but the root has an element that is a terminal. So terminals and loops are at most two nodes for each
     * terminal, and those are elements. Branches are at most two for each element. */
    size_t most = 6 * (size_t)terminal_count + 6;
    uint32_t **arrays[] = {&w->members, &w->region, &w->order, &w->index, &w->low,    &w->at,
                           &w->stack,   &w->path,   &w->sizes, &b->depth, &b->sorted, &b->starts};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = calloc(most, sizeof **arrays[i]);
        good &= *arrays[i] != NULL;
    }
    w->skips = calloc(most, sizeof *w->skips);
    b->elements = calloc(most, sizeof *b->elements);
    b->pieces = calloc(most, sizeof *b->pieces);
    b->items = calloc(most, sizeof *b->items);
    b->branches = calloc(most, sizeof *b->branches);
    b->conflicts = calloc(most, sizeof *b->conflicts);
    good &= b->elements && b->pieces && b->items && b->branches && b->conflicts;
    b->forest->nodes = calloc(most, sizeof *b->forest->nodes);
    b->forest->elements = calloc(most, sizeof *b->forest->elements);
    b->forest->order = calloc(most, sizeof *b->forest->order);
    return good && w->skips && b->forest->nodes && b->forest->elements && b->forest->order;
}

/* Sorts the region's members by component. STARTS: where each of the COUNT components begins. */
static void sort_members(struct loop_build *b, const struct loop_region *region, uint32_t count)
{
    struct loop_regions *w = &b->regions;
    memset(b->starts, 0, (count + (size_t)1) * sizeof *b->starts);
    for (uint32_t i = region->begin; i < region->end; i++)
        b->starts[w->order[w->members[i]] + 1]++;
    for (uint32_t i = 0; i < count; i++)
        b->starts[i + 1] += b->starts[i];
    for (uint32_t i = region->begin; i < region->end; i++)
        b->sorted[b->starts[w->order[w->members[i]]]++] = w->members[i];
    memcpy(&w->members[region->begin], b->sorted, (region->end - region->begin) * sizeof *b->sorted);
    for (uint32_t i = count; i > 0; i--)
        b->starts[i] = b->starts[i - 1];
    b->starts[0] = 0;
}

/* Makes each terminal a component, in the order of the members. Returns their number. */
static uint32_t spread(struct loop_regions *w, const struct loop_region *region)
{
    for (uint32_t i = region->begin; i < region->end; i++)
        w->order[w->members[i]] = i - region->begin;
    return region->end - region->begin;
}

/* Decides if a terminal at either end of a loop is single. In `for each i: A, some times B` two A follow each other if
 * no B comes between them, and that is no run of A. So a terminal at either end is single if it seldom follows itself,
 * and each other element is missing in some iterations or goes around several times anyway. */
static void find_single(struct loop_build *b, const struct loop_region *region, uint32_t count, uint32_t index)
{
    struct loop_regions *w = &b->regions;
    const struct transition_lists *in = &w->transitions.in;
    uint32_t terminal = w->members[region->begin + b->starts[index]];
    uint64_t others = 0;
    int64_t skipped = 0;
    for (uint32_t k = in->first[terminal]; k < in->first[terminal + 1]; k++)
        others += in->items[k].count;
    bool single = w->sizes[index] == 1 && w->transitions.repeats[terminal] <= others;
    for (uint32_t i = 0; i < count && single; i++) {
        skipped += w->skips[i];
        uint32_t other = w->members[region->begin + b->starts[i]];
        single = i == index || skipped > 0 || w->sizes[i] > 1 || w->transitions.repeats[other];
    }
    b->forest->nodes[terminal].is_single |= single;
}

static void find_singles(struct loop_build *b, const struct loop_region *region, uint32_t count)
{
    uint32_t entry, exit;
    (void)loop_cut_cost(&b->regions, region, count, &entry, &exit);
    find_single(b, region, count, 0);
    if (!b->forest->nodes[b->regions.members[region->begin]].is_single)
        find_single(b, region, count, count - 1);
}

static void look_into(struct loop_build *b, uint32_t loop)
{
    struct loop_forest *f = b->forest;
    struct loop_regions *w = &b->regions;
    const struct loop_region region = {.number = loop, .begin = f->nodes[loop].begin, .end = f->nodes[loop].end};
    uint32_t count, entry = 0;
    if (loop == loop_forest_root(f))
        count = loop_components(w, &region, (struct loop_cut){UINT32_MAX, UINT32_MAX});
    else if (b->depth[loop] >= LOOP_DEPTH_MAX || w->steps > FOREST_STEPS)
        count = spread(w, &region);
    else
        count = loop_cut_choose(w, &region, &entry);
    sort_members(b, &region, count);
    if (loop != loop_forest_root(f))
        find_singles(b, &region, count);
    loop_branches_add(b, &region, loop, count, entry);
    for (uint32_t i = region.begin; i < region.end; i++)
        f->nodes[w->members[i]].is_single &= f->nodes[w->members[i]].parent == loop;
}

static void build(struct loop_build *b)
{
    struct loop_forest *f = b->forest;
    struct loop_regions *w = &b->regions;
    uint32_t root = loop_forest_root(f);
    for (uint32_t i = 0; i < f->terminal_count; i++) {
        w->members[i] = i;
        w->region[i] = root;
    }
    f->node_count = root + 1;
    f->nodes[root] = (struct loop_node){.parent = root, .end = f->terminal_count};
    b->depth[root] = 1;
    for (uint32_t loop = root; loop < f->node_count; loop++)
        if (b->depth[loop])
            look_into(b, loop);
    for (uint32_t i = 0; i < f->terminal_count; i++)
        f->order[w->members[i]] = i;
}

static enum pilgrim_status build_forest(const struct rules *r, uint32_t terminal_count, bool shared,
                                        struct loop_forest *f, bool *built)
{
    *f = (struct loop_forest){.terminal_count = terminal_count};
    *built = false;
    struct loop_build b = {.forest = f};
    struct transitions *t = &b.regions.transitions;
    bool good = build_init(&b, terminal_count) && transitions_of(r, terminal_count + shared, t) == PILGRIM_OK;
    if (good && (!shared || transitions_separate(t, terminal_count))) {
        build(&b);
        *built = true;
    }
    build_free(&b);
    if (!*built)
        loop_forest_free(f);
    return good ? PILGRIM_OK : PILGRIM_NOMEM;
}

enum pilgrim_status loop_forest_build(const struct rules *r, uint32_t terminal_count, struct loop_forest *f)
{
    bool built;
    return build_forest(r, terminal_count, false, f, &built);
}

enum pilgrim_status loop_forest_build_shared(const struct rules *r, uint32_t terminal_count, struct loop_forest *f,
                                             bool *built)
{
    return build_forest(r, terminal_count, true, f, built);
}

void loop_forest_free(struct loop_forest *f)
{
    free(f->nodes);
    free(f->elements);
    free(f->order);
    *f = (struct loop_forest){0};
}
