/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides the calls of each class into parts with a distribution each; see profile_parts.h.
 *
 * The file has more than 400 lines: durations and gaps are divided by the same steps, on the same items. */
#include "write/profile_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"

/* Two parts of a class stay apart if their means differ by this ratio and joining them would misattribute at least this
 * share of the run's time. A class has at most PARTS_MAX parts. */
#define APART_RATIO 1.25
#define APART_SHARE (1.0 / 32)
enum { PARTS_MAX = 8 };

/* ---- leaves ---- */

static enum pilgrim_status part_leaves(const struct structure_group *g, uint32_t class, const struct value_group *p,
                                       profile_visit *visit, void *context)
{
    struct statistics s = {0};
    struct cursor in;
    cursor_init(&in, p->statistics.data, p->statistics.length);
    enum pilgrim_status status = p->statistics.length ? statistics_unpack(&in, &s) : PILGRIM_OK;
    bool one = s.one_signature || p->entry_count == 1;
    for (uint32_t i = 0, cell = 0; status == PILGRIM_OK && i < p->entry_count;) {
        struct profile_leaf leaf = {
            .group = g, .class = class, .entries = one ? p->entry_count : 1, .statistics = &s, .cell = cell};
        while (cell < s.count && (one || s.cells[cell].signature == i))
            cell++;
        leaf.cells = cell - leaf.cell;
        i += leaf.entries;
        status = visit(context, &leaf);
    }
    statistics_free(&s);
    return status;
}

enum pilgrim_status profile_leaves(const struct fragment *f, profile_visit *visit, void *context)
{
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        const struct structure_group *g = &f->groups[i];
        for (uint32_t k = 0; !g->process && k < g->classes.count - g->classes.loop_count; k++)
            for (uint32_t p = 0; p < g->value_groups[k].count; p++)
                TRY(part_leaves(g, g->classes.classes[k], &f->value_groups[g->value_groups[k].value_groups[p]], visit,
                                context));
    }
    return PILGRIM_OK;
}

/* ---- joining items to parts ---- */

/* Calls that stay together, in an array sorted by mean. */
struct profile_item {
    uint32_t number; /* of a leaf, or of the calls before (index in GAP_PAIRS) */
    uint32_t part;   /* of an item: the part that it belongs to; of a part: its number before parts were joined */
    double count, total, mean;
};

static int compare_items(const void *x, const void *y)
{
    const struct profile_item *a = x, *b = y;
    if (a->mean != b->mean)
        return a->mean < b->mean ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Returns the time (ns) that would be attributed to the wrong calls if A and B became one. */
static double cost_of(const struct profile_item *a, const struct profile_item *b)
{
    return (b->mean - a->mean) * (a->count * b->count / (a->count + b->count));
}

static bool are_apart(const struct profile_item *a, const struct profile_item *b, double run)
{
    return b->mean >= APART_RATIO * a->mean && cost_of(a, b) >= APART_SHARE * run;
}

static void put_together(struct profile_item *into, const struct profile_item *from)
{
    into->count += from->count;
    into->total += from->total;
    into->mean = into->total / into->count;
}

/* Returns which of COUNT parts to join with the next one, or COUNT - 1 if none. */
static uint32_t next_pair(const struct profile_item *parts, uint32_t count, double run)
{
    uint32_t best = count - 1;
    for (uint32_t i = 0; i + 1 < count; i++)
        if ((count > PARTS_MAX || !are_apart(&parts[i], &parts[i + 1], run)) &&
            (best + 1 == count || cost_of(&parts[i], &parts[i + 1]) < cost_of(&parts[best], &parts[best + 1])))
            best = i;
    return best;
}

/* Divides COUNT ITEMS, sorted by ascending mean, into parts. Writes the parts to PARTS, which has room for COUNT, and
 * the number of its part to each item's `part`. Returns the number of parts.
 *
 * The first step joins items in a row whose means are within a 16th. That leaves a few hundred at most to choose from.
 */
static uint32_t make_parts(struct profile_item *items, uint32_t count, double run, struct profile_item *parts)
{
    uint32_t made = 0;
    double least = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && items[i].mean <= least * (1 + 1.0 / 16)) {
            put_together(&parts[made - 1], &items[i]);
        } else {
            least = items[i].mean;
            parts[made] = items[i];
            parts[made].part = made;
            made++;
        }
        items[i].part = made - 1;
    }
    for (uint32_t best; (best = next_pair(parts, made, run)) + 1 < made; made--) {
        put_together(&parts[best], &parts[best + 1]);
        memmove(&parts[best + 1], &parts[best + 2], (made - best - 2) * sizeof *parts);
    }
    for (uint32_t i = 0, at = 0; i < count; i++) {
        while (at + 1 < made && items[i].part >= parts[at + 1].part)
            at++;
        items[i].part = at;
    }
    return made;
}

/* ---- gathering ---- */

/* The gaps between calls of class BEFORE and the calls of CLASS that come next. */
struct gap_pair {
    uint32_t class;
    uint32_t before;
    struct distribution gaps;
};

/* Leaves and gaps while they are collected. */
struct gathering {
    const struct fragment *fragment;
    struct profile_parts *parts;
    struct profile_item *leaves; /* in the order of profile_leaves; `number` is first the class, then the leaf */
    uint32_t leaf_count, leaf_capacity;
    struct intern pairs;        /* of a class and the class before */
    struct gap_pair *gap_pairs; /* by number of the pair */
    uint32_t gap_pair_capacity;
};

static enum pilgrim_status add_leaf(struct gathering *g, uint32_t class, const struct distribution *d)
{
    if (g->leaf_count == g->leaf_capacity) {
        uint32_t capacity = 2 * g->leaf_capacity + 64;
        struct profile_item *leaves = realloc(g->leaves, capacity * sizeof *leaves);
        if (!leaves)
            return PILGRIM_NOMEM;
        g->leaves = leaves;
        g->leaf_capacity = capacity;
    }
    double total = distribution_total(d), count = (double)d->count;
    g->leaves[g->leaf_count++] =
        (struct profile_item){.number = class, .count = count, .total = total, .mean = count > 0 ? total / count : 0};
    return PILGRIM_OK;
}

static enum pilgrim_status add_gaps(struct gathering *g, uint32_t class, uint32_t before, const struct distribution *d)
{
    const uint32_t key[2] = {class, before};
    uint32_t number, known = g->pairs.count;
    TRY(intern_add(&g->pairs, key, sizeof key, &number));
    if (number >= g->gap_pair_capacity) {
        uint32_t capacity = 2 * g->gap_pair_capacity + 64;
        struct gap_pair *gap_pairs = realloc(g->gap_pairs, capacity * sizeof *gap_pairs);
        if (!gap_pairs)
            return PILGRIM_NOMEM;
        g->gap_pairs = gap_pairs;
        g->gap_pair_capacity = capacity;
    }
    if (number == known) {
        g->gap_pairs[number] = (struct gap_pair){.class = class, .before = before};
        distribution_init(&g->gap_pairs[number].gaps);
    }
    distribution_merge(&g->gap_pairs[number].gaps, d);
    return PILGRIM_OK;
}

/* Stands for the class before if that is not known. */
#define BEFORE_ANY UINT32_MAX

static enum pilgrim_status gather_leaf(void *context, const struct profile_leaf *leaf)
{
    struct gathering *g = context;
    struct class_parts *class = &g->parts->classes[leaf->class];
    const struct statistics *s = leaf->statistics;
    struct distribution durations;
    uint32_t end = leaf->cell + leaf->cells;
    distribution_init(&durations);
    class->leaf_count++;
    for (uint32_t i = leaf->cell; i < end; i++) {
        const struct statistics_cell *cell = &s->cells[i];
        distribution_merge(&durations, &cell->durations);
        if (cell->predecessor == STATISTICS_FIRST) {
            distribution_merge(&class->first, &cell->gaps);
            continue;
        }
        if (!s->one_predecessor && cell->predecessor >= leaf->group->classes.count)
            return PILGRIM_DAMAGED;
        TRY(add_gaps(g, leaf->class, s->one_predecessor ? BEFORE_ANY : leaf->group->classes.classes[cell->predecessor],
                     &cell->gaps));
        g->parts->run += distribution_total(&cell->gaps);
    }
    g->parts->run += distribution_total(&durations);
    return add_leaf(g, leaf->class, &durations);
}

/* ---- durations ---- */

/* Returns the leaves sorted by class, those of a class in their old order. The caller frees the array. */
static struct profile_item *leaves_by_class(struct gathering *g)
{
    struct profile_item *sorted = malloc(g->leaf_count * sizeof *sorted + 1);
    uint32_t next = 0;
    for (uint32_t i = 0; sorted && i < g->parts->class_count; i++) {
        g->parts->classes[i].leaf = next;
        next += g->parts->classes[i].leaf_count;
        g->parts->classes[i].leaf_count = 0;
    }
    for (uint32_t i = 0; sorted && i < g->leaf_count; i++) {
        struct class_parts *class = &g->parts->classes[g->leaves[i].number];
        uint32_t at = class->leaf + class->leaf_count++;
        sorted[at] = g->leaves[i];
        sorted[at].number = at;
    }
    return sorted;
}

/* Divides the durations of CLASS into parts. ITEMS are its leaves. Leaves without times are put into the first part. */
static enum pilgrim_status part_durations(struct profile_parts *p, struct class_parts *class,
                                          struct profile_item *items, struct profile_item *room)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < class->leaf_count; i++) {
        p->parts[class->leaf + i] = 0;
        if (items[i].count > 0)
            items[known++] = items[i];
    }
    if (known == 0)
        return PILGRIM_OK;
    qsort(items, known, sizeof *items, compare_items);
    class->part_count = make_parts(items, known, p->run, room);
    for (uint32_t i = 0; i < known; i++)
        p->parts[items[i].number] = (uint8_t)items[i].part;
    class->durations = malloc(class->part_count * sizeof *class->durations);
    if (!class->durations)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < class->part_count; i++)
        distribution_init(&class->durations[i]);
    return PILGRIM_OK;
}

/* Distributions of parts while they are filled. */
struct filling {
    struct profile_parts *parts;
    uint32_t *next; /* by class: index of the next leaf */
};

static enum pilgrim_status fill_leaf(void *context, const struct profile_leaf *leaf)
{
    struct filling *f = context;
    struct class_parts *class = &f->parts->classes[leaf->class];
    uint8_t part = f->parts->parts[class->leaf + f->next[leaf->class]++];
    for (uint32_t i = leaf->cell; i < leaf->cell + leaf->cells; i++)
        distribution_merge(&class->durations[part], &leaf->statistics->cells[i].durations);
    return PILGRIM_OK;
}

static enum pilgrim_status make_durations(struct gathering *g)
{
    struct profile_parts *p = g->parts;
    struct profile_item *items = leaves_by_class(g), *room = malloc(g->leaf_count * sizeof *room + 1);
    struct filling f = {.parts = p, .next = calloc((size_t)p->class_count + 1, sizeof *f.next)};
    p->parts = malloc((size_t)g->leaf_count + 1);
    enum pilgrim_status status = items && room && f.next && p->parts ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < p->class_count; i++)
        status = part_durations(p, &p->classes[i], items + p->classes[i].leaf, room);
    if (status == PILGRIM_OK)
        status = profile_leaves(g->fragment, fill_leaf, &f);
    free(items);
    free(room);
    free(f.next);
    return status;
}

/* ---- gaps ---- */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int compare_gap_pairs(const void *a, const void *b)
{
    const struct gap_pair *x = a, *y = b;
    int order = compare_numbers(&x->class, &y->class);
    return order ? order : compare_numbers(&x->before, &y->before);
}

/* Returns the part with most calls. It need not list the classes before its gaps. */
static uint32_t unlisted_part(const struct profile_item *parts, uint32_t part_count)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < part_count; i++)
        if (parts[i].count > parts[most].count)
            most = i;
    return most;
}

/* True if the class before is not known for some of the gaps. Then they are not divided. */
static bool is_before_unknown(const struct gap_pair *gap_pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (gap_pairs[i].before == BEFORE_ANY)
            return true;
    return false;
}

static enum pilgrim_status add_before(struct gap_parts *gaps, const struct gap_pair *gap_pairs, bool listed)
{
    distribution_merge(&gaps->all, &gap_pairs->gaps);
    if (!listed)
        return PILGRIM_OK;
    uint32_t *before = realloc(gaps->before, (gaps->before_count + (size_t)1) * sizeof *before);
    if (!before)
        return PILGRIM_NOMEM;
    before[gaps->before_count++] = gap_pairs->before;
    gaps->before = before;
    return PILGRIM_OK;
}

/* Divides the gaps before the calls of one class: COUNT elements of GAP_PAIRS. ITEMS and ROOM have room for as many. */
static enum pilgrim_status part_gaps(struct profile_parts *p, const struct gap_pair *gap_pairs, uint32_t count,
                                     struct profile_item *items, struct profile_item *room)
{
    struct class_parts *class = &p->classes[gap_pairs->class];
    for (uint32_t i = 0; i < count; i++) {
        double total = distribution_total(&gap_pairs[i].gaps), calls = (double)gap_pairs[i].gaps.count;
        items[i] = (struct profile_item){.number = i, .count = calls, .total = total, .mean = total / calls};
    }
    qsort(items, count, sizeof *items, compare_items);
    class->gap_count = make_parts(items, count, is_before_unknown(gap_pairs, count) ? HUGE_VAL : p->run, room);
    class->gaps = calloc(class->gap_count, sizeof *class->gaps);
    if (!class->gaps)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < class->gap_count; i++)
        distribution_init(&class->gaps[i].all);
    uint32_t unlisted = unlisted_part(room, class->gap_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t part = items[i].part == unlisted ? 0 : items[i].part + (items[i].part < unlisted);
        TRY(add_before(&class->gaps[part], &gap_pairs[items[i].number], part > 0));
    }
    for (uint32_t i = 1; i < class->gap_count; i++)
        qsort(class->gaps[i].before, class->gaps[i].before_count, sizeof *class->gaps[i].before, compare_numbers);
    return PILGRIM_OK;
}

static enum pilgrim_status make_gaps(struct gathering *g)
{
    uint32_t count = g->pairs.count, end;
    struct profile_item *items = malloc(count * sizeof *items + 1), *room = malloc(count * sizeof *room + 1);
    enum pilgrim_status status = items && room ? PILGRIM_OK : PILGRIM_NOMEM;
    if (count > 0)
        qsort(g->gap_pairs, count, sizeof *g->gap_pairs, compare_gap_pairs);
    for (uint32_t i = 0; status == PILGRIM_OK && i < count; i = end) {
        for (end = i + 1; end < count && g->gap_pairs[end].class == g->gap_pairs[i].class; end++)
            ;
        status = part_gaps(g->parts, &g->gap_pairs[i], end - i, items, room);
    }
    free(items);
    free(room);
    return status;
}

/* ---- the whole profile ---- */

static void find_called(const struct fragment *f, struct profile_parts *parts)
{
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        for (uint32_t k = 0; !f->groups[i].process && k < f->groups[i].classes.count - f->groups[i].classes.loop_count;
             k++)
            parts->classes[f->groups[i].classes.classes[k]].called = true;
}

enum pilgrim_status profile_parts_make(const struct fragment *f, struct profile_parts *parts)
{
    struct gathering g = {.fragment = f, .parts = parts};
    *parts = (struct profile_parts){.class_count = f->classes.count};
    parts->classes = calloc((size_t)f->classes.count + 1, sizeof *parts->classes);
    if (!parts->classes)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < parts->class_count; i++)
        distribution_init(&parts->classes[i].first);
    find_called(f, parts);
    enum pilgrim_status status = profile_leaves(f, gather_leaf, &g);
    if (status == PILGRIM_OK)
        status = make_durations(&g);
    if (status == PILGRIM_OK)
        status = make_gaps(&g);
    free(g.leaves);
    free(g.gap_pairs);
    intern_free(&g.pairs);
    return status;
}

void profile_parts_free(struct profile_parts *parts)
{
    for (uint32_t i = 0; parts->classes && i < parts->class_count; i++) {
        struct class_parts *class = &parts->classes[i];
        free(class->durations);
        for (uint32_t k = 0; class->gaps && k < class->gap_count; k++)
            free(class->gaps[k].before);
        free(class->gaps);
    }
    free(parts->classes);
    free(parts->parts);
}
