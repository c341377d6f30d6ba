/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls have a distribution of their own; see profile_parts.h. */
#include "write/profile_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"

/* Parts of a class stay apart if their means are a quarter apart, and the time that would be told wrongly is that share
 * of the run. */
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

/* ---- what is put together ---- */

/* Calls that stay together, in a list of such by ascending mean. */
struct profile_item {
    uint32_t number; /* of a leaf, or of a class of calls before */
    uint32_t part;   /* that it comes into; of a part: the first one of which it was made */
    double count, total, mean;
};

static int compare_items(const void *x, const void *y)
{
    const struct profile_item *a = x, *b = y;
    if (a->mean != b->mean)
        return a->mean < b->mean ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The time that is told of the wrong calls if A and B become one. */
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

/* Which of COUNT parts is to become one with the next; COUNT - 1: none is. */
static uint32_t next_pair(const struct profile_item *parts, uint32_t count, double run)
{
    uint32_t best = count - 1;
    for (uint32_t i = 0; i + 1 < count; i++)
        if ((count > PARTS_MAX || !are_apart(&parts[i], &parts[i + 1], run)) &&
            (best + 1 == count || cost_of(&parts[i], &parts[i + 1]) < cost_of(&parts[best], &parts[best + 1])))
            best = i;
    return best;
}

/* ITEMS, COUNT of them by ascending mean, become parts: PARTS, with room for as many, are those; each item's `part`
 * says which. Returns how many. Items in a row whose means are within a 16th are one at once; so there are some hundred
 * at most to choose from. */
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

/* Gaps behind calls of one class. */
struct behind {
    uint32_t class;
    uint32_t before;
    struct distribution gaps;
};

struct gathering {
    const struct fragment *fragment;
    struct profile_parts *parts;
    struct profile_item *leaves; /* as they come; `number` is the class, then the leaf */
    uint32_t leaf_count, leaf_capacity;
    struct intern pairs;   /* of a class and the one before */
    struct behind *behind; /* by number of the pair */
    uint32_t behind_capacity;
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
    if (number >= g->behind_capacity) {
        uint32_t capacity = 2 * g->behind_capacity + 64;
        struct behind *behind = realloc(g->behind, capacity * sizeof *behind);
        if (!behind)
            return PILGRIM_NOMEM;
        g->behind = behind;
        g->behind_capacity = capacity;
    }
    if (number == known) {
        g->behind[number] = (struct behind){.class = class, .before = before};
        distribution_init(&g->behind[number].gaps);
    }
    distribution_merge(&g->behind[number].gaps, d);
    return PILGRIM_OK;
}

/* What came before is not known. */
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

/* Sorts the leaves by class; those of a class stay in their order. */
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

/* The parts of CLASS's durations; ITEMS: its leaves. Those of which nothing is known are in the first one. */
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

struct filling {
    struct profile_parts *parts;
    uint32_t *next; /* leaf, of each class */
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

static int compare_behind(const void *a, const void *b)
{
    const struct behind *x = a, *y = b;
    int order = compare_numbers(&x->class, &y->class);
    return order ? order : compare_numbers(&x->before, &y->before);
}

/* The part that need not say behind which calls its gaps are: the one with most calls. */
static uint32_t silent_part(const struct profile_item *parts, uint32_t part_count)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < part_count; i++)
        if (parts[i].count > parts[most].count)
            most = i;
    return most;
}

/* Whether of some gaps it is not known behind which calls they are: then none are told apart. */
static bool is_unknown(const struct behind *behind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (behind[i].before == BEFORE_ANY)
            return true;
    return false;
}

static enum pilgrim_status add_before(struct gap_parts *gaps, const struct behind *behind, bool listed)
{
    distribution_merge(&gaps->all, &behind->gaps);
    if (!listed)
        return PILGRIM_OK;
    uint32_t *before = realloc(gaps->before, (gaps->before_count + (size_t)1) * sizeof *before);
    if (!before)
        return PILGRIM_NOMEM;
    before[gaps->before_count++] = behind->before;
    gaps->before = before;
    return PILGRIM_OK;
}

/* Those before the calls of one class: COUNT of BEHIND. ITEMS and ROOM have place for as many. */
static enum pilgrim_status part_gaps(struct profile_parts *p, const struct behind *behind, uint32_t count,
                                     struct profile_item *items, struct profile_item *room)
{
    struct class_parts *class = &p->classes[behind->class];
    for (uint32_t i = 0; i < count; i++) {
        double total = distribution_total(&behind[i].gaps), calls = (double)behind[i].gaps.count;
        items[i] = (struct profile_item){.number = i, .count = calls, .total = total, .mean = total / calls};
    }
    qsort(items, count, sizeof *items, compare_items);
    class->gap_count = make_parts(items, count, is_unknown(behind, count) ? HUGE_VAL : p->run, room);
    class->gaps = calloc(class->gap_count, sizeof *class->gaps);
    if (!class->gaps)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < class->gap_count; i++)
        distribution_init(&class->gaps[i].all);
    uint32_t silent = silent_part(room, class->gap_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t part = items[i].part == silent ? 0 : items[i].part + (items[i].part < silent);
        TRY(add_before(&class->gaps[part], &behind[items[i].number], part > 0));
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
        qsort(g->behind, count, sizeof *g->behind, compare_behind);
    for (uint32_t i = 0; status == PILGRIM_OK && i < count; i = end) {
        for (end = i + 1; end < count && g->behind[end].class == g->behind[i].class; end++)
            ;
        status = part_gaps(g->parts, &g->behind[i], end - i, items, room);
    }
    free(items);
    free(room);
    return status;
}

/* ---- all ---- */

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
    free(g.behind);
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
