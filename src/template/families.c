/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of groups; see families.h. Groups with many classes come first; each next one is laid over the first tree
 * that is alike. What is left stands beside the first group that is left and alike. */
#include "template/families.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "template/beside.h"
#include "template/elements.h"
#include "template/one_forest.h"

/* At most so many families, and so many comparisons of two elements in all: some tenths of a second. */
enum { FAMILIES_MAX = 16, KEYS_MAX = 1 << 14 };
#define WORK_MAX (UINT64_C(1) << 25)

struct candidate {
    uint32_t group;
    uint32_t classes;
};

/* The trees, one for each family. */
struct trees {
    struct elements items[FAMILIES_MAX];
    uint32_t *groups[FAMILIES_MAX];
    uint32_t count;
    uint32_t room; /* of each tree */
    uint64_t work;
};

static uint32_t call_count(const struct structure_group *g)
{
    return g->classes.count - g->classes.loop_count;
}

static bool has_keys(const struct structure_group *g)
{
    return !g->process && call_count(g) > 0;
}

/* Threads with loops whose trips change are not laid over others. */
static bool may_be_laid(const struct structure_group *g)
{
    return has_keys(g) && !g->classes.loop_count && g->classes.count <= ELEMENTS_MAX;
}

/* Numbers the classes of group GROUP. A class stands twice in a list if failed polls are told apart. So a key is a
 * class, and which one of the same it is. SEEN: by key, 1 + the last group that had it. */
static enum pilgrim_status number_group(const struct fragment *f, struct families *x, uint32_t group,
                                        struct intern *keys, uint32_t *seen)
{
    const struct class_list *l = &f->groups[group].classes;
    for (uint32_t i = 0; i < l->count - l->loop_count; i++) {
        uint32_t pair[2] = {l->classes[i], 0}, *key = &x->keys[x->first_key[group] + i];
        TRY(intern_add(keys, pair, sizeof pair, key));
        for (; seen[*key] == group + 1; pair[1]++)
            TRY(intern_add(keys, pair, sizeof pair, key));
        seen[*key] = group + 1;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status number_keys(const struct fragment *f, struct families *x, struct intern *keys)
{
    size_t total = 0;
    for (uint32_t i = 0; i < f->group_keys.count; i++) {
        x->first_key[i] = total;
        total += has_keys(&f->groups[i]) ? call_count(&f->groups[i]) : 0;
    }
    uint32_t *seen = calloc(total + 1, sizeof *seen);
    x->keys = malloc((total + 1) * sizeof *x->keys);
    enum pilgrim_status status = seen && x->keys ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < f->group_keys.count; i++)
        if (has_keys(&f->groups[i]))
            status = number_group(f, x, i, keys, seen);
    free(seen);
    return status;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->classes != y->classes)
        return x->classes < y->classes ? 1 : -1;
    return (x->group > y->group) - (x->group < y->group);
}

static enum pilgrim_status new_tree(struct trees *t, uint32_t words)
{
    struct elements *e = &t->items[t->count];
    t->groups[t->count] = malloc(t->room * sizeof **t->groups + 1);
    *e = (struct elements){.room = t->room, .words = words, .left = ELEMENTS_MAX, .work = &t->work};
    return t->groups[t->count++] ? PILGRIM_OK : PILGRIM_NOMEM;
}

/* Lays group GROUP over the first tree that takes it, or makes a new one. */
static enum pilgrim_status place(const struct fragment *f, struct trees *t, uint32_t group, const uint32_t *keys,
                                 uint32_t words)
{
    size_t length;
    const uint8_t *data = intern_get(&f->sequences, f->groups[group].sequence, &length);
    bool added = false;
    for (uint32_t i = 0; !added && i < FAMILIES_MAX; i++) {
        if (i == t->count)
            TRY(new_tree(t, words));
        bool first = !t->items[i].group_count;
        TRY(elements_add(&t->items[i], data, length, keys, &added));
        if (added)
            t->groups[i][t->items[i].group_count - 1] = group;
        else if (first)
            break;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status add_family(struct families *x, struct trees *t, uint32_t tree)
{
    struct group_family *family = &x->items[x->count];
    bool made = false;
    if (t->items[tree].failed || t->items[tree].group_count < 2)
        return PILGRIM_OK;
    enum pilgrim_status status = structure_make(&t->items[tree], &family->structure, &made);
    if (status != PILGRIM_OK || !made) {
        structure_free(&family->structure);
        return status;
    }
    family->groups = t->groups[tree];
    t->groups[tree] = NULL;
    family->count = t->items[tree].group_count;
    x->count++;
    for (uint32_t i = 0; i < family->count; i++)
        x->of_group[family->groups[i]] = x->count;
    return PILGRIM_OK;
}

static enum pilgrim_status lay_over(const struct fragment *f, struct families *x, struct trees *t,
                                    const struct candidate *candidates, uint32_t count, uint32_t keys)
{
    t->room = count < TEMPLATE_GROUPS_MAX ? count : TEMPLATE_GROUPS_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (may_be_laid(&f->groups[candidates[i].group]))
            TRY(place(f, t, candidates[i].group, &x->keys[x->first_key[candidates[i].group]], keys / 64 + 1));
    for (uint32_t i = 0; i < t->count; i++)
        TRY(add_family(x, t, i));
    return PILGRIM_OK;
}

/* Returns how many keys of GROUP are SEEN. */
static uint32_t common_keys(const struct fragment *f, const struct families *x, uint32_t group, const uint8_t *seen)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < call_count(&f->groups[group]); i++)
        count += seen[x->keys[x->first_key[group] + i]];
    return count;
}

/* Takes those of COUNT candidates that are in no family and alike to the first of them. */
static enum pilgrim_status take_alike(const struct fragment *f, struct families *x, const struct candidate *candidates,
                                      uint32_t count, uint8_t *seen, struct group_family *family)
{
    family->groups = malloc(TEMPLATE_GROUPS_MAX * sizeof *family->groups);
    if (!family->groups)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < count && family->count < TEMPLATE_GROUPS_MAX; i++) {
        const uint32_t group = candidates[i].group;
        for (uint32_t k = 0; !family->count && k < candidates[i].classes; k++)
            seen[x->keys[x->first_key[group] + k]] = 1;
        if (!x->of_group[group] && 2 * common_keys(f, x, group, seen) >= candidates[i].classes)
            family->groups[family->count++] = group;
    }
    return PILGRIM_OK;
}

/* Makes the structure of the next family, which has its groups. If that cannot be, it is no family. */
static enum pilgrim_status make_next(const struct fragment *f, struct families *x, enum family_kind kind, uint32_t keys)
{
    struct group_family *family = &x->items[x->count];
    bool made = family->count > 1;
    enum pilgrim_status status = PILGRIM_OK;
    if (made)
        status = kind == FAMILIES_LAID ? beside_make(f, x, family, keys) : one_forest_make(f, x, family, keys, &made);
    if (!made || status != PILGRIM_OK) {
        structure_free(&family->structure);
        free(family->groups);
        *family = (struct group_family){.count = 0};
        return status;
    }
    x->count++;
    for (uint32_t k = 0; k < family->count; k++) {
        x->of_group[family->groups[k]] = x->count;
        x->shared += call_count(&f->groups[family->groups[k]]);
    }
    x->shared -= family->structure.call_count;
    return PILGRIM_OK;
}

/* Makes families of groups that are in none. */
static enum pilgrim_status join_alike(const struct fragment *f, struct families *x, const struct candidate *candidates,
                                      uint32_t count, enum family_kind kind, uint32_t keys)
{
    uint8_t *seen = malloc(keys);
    enum pilgrim_status status = seen ? PILGRIM_OK : PILGRIM_NOMEM;
    const uint32_t limit = x->count + FAMILIES_MAX;
    for (uint32_t i = 0; status == PILGRIM_OK && i < count && x->count < limit; i++) {
        if (x->of_group[candidates[i].group])
            continue;
        memset(seen, 0, keys);
        status = take_alike(f, x, &candidates[i], count - i, seen, &x->items[x->count]);
        const uint32_t groups = x->items[x->count].count, before = x->count;
        if (status == PILGRIM_OK)
            status = make_next(f, x, kind, keys);
        if (groups > 1 && x->count == before)
            break; /* the same without its first group would be no family either */
    }
    free(seen);
    return status;
}

/* Makes all families. */
static enum pilgrim_status make_families(const struct fragment *f, struct families *x, struct trees *t,
                                         const struct candidate *candidates, uint32_t count, enum family_kind kind,
                                         uint32_t keys)
{
    x->items = calloc(2 * (size_t)FAMILIES_MAX + 1, sizeof *x->items);
    if (!x->items)
        return PILGRIM_NOMEM;
    if (kind == FAMILIES_LAID)
        TRY(lay_over(f, x, t, candidates, count, keys));
    x->laid = x->count;
    TRY(join_alike(f, x, candidates, count, kind, keys));
    if (kind == FAMILIES_ONE_FOREST)
        x->laid = x->count;
    return PILGRIM_OK;
}

static enum pilgrim_status find(const struct fragment *f, enum family_kind kind, struct families *x,
                                struct candidate *candidates)
{
    struct trees t = {.work = WORK_MAX};
    struct intern keys = {0};
    uint32_t count = 0;
    enum pilgrim_status status = number_keys(f, x, &keys);
    for (uint32_t i = 0; i < f->group_keys.count; i++)
        if (kind == FAMILIES_LAID ? has_keys(&f->groups[i]) : may_be_laid(&f->groups[i]))
            candidates[count++] = (struct candidate){i, call_count(&f->groups[i])};
    qsort(candidates, count, sizeof *candidates, compare_candidates);
    if (status == PILGRIM_OK && count > 1 && keys.count <= KEYS_MAX)
        status = make_families(f, x, &t, candidates, count, kind, keys.count);
    for (uint32_t i = 0; i < t.count; i++) {
        elements_free(&t.items[i]);
        free(t.groups[i]);
    }
    intern_free(&keys);
    return status;
}

enum pilgrim_status families_find(const struct fragment *f, enum family_kind kind, struct families *families)
{
    size_t count = (size_t)f->group_keys.count + 1;
    struct candidate *candidates = malloc(count * sizeof *candidates);
    *families =
        (struct families){.of_group = calloc(count, sizeof(uint32_t)), .first_key = calloc(count, sizeof(size_t))};
    enum pilgrim_status status = candidates && families->of_group && families->first_key ? PILGRIM_OK : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = find(f, kind, families, candidates);
    free(candidates);
    return status;
}

void families_free(struct families *families)
{
    for (uint32_t i = 0; i < families->count; i++) {
        structure_free(&families->items[i].structure);
        free(families->items[i].groups);
    }
    free(families->items);
    free(families->of_group);
    free(families->keys);
    free(families->first_key);
}
