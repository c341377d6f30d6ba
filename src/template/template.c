/* SPDX-License-Identifier: BSD-3-Clause */
/* A fragment whose families of groups are one group each; see template.h. */
#include "template/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/value.h"
#include "format/trace_format.h"
#include "merge/fragment_data.h"
#include "merge/value_group.h"
#include "template/families.h"
#include "template/members.h"

static enum pilgrim_status copy_table(const struct intern *from, struct intern *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        size_t length;
        uint32_t number;
        const uint8_t *data = intern_get(from, i, &length);
        TRY(intern_add(to, data, length, &number));
    }
    return PILGRIM_OK;
}

/* ---- groups that stay as they are ---- */

static enum pilgrim_status copy_value_group(struct fragment *into, const struct fragment *from,
                                            const struct value_group *p, uint32_t group)
{
    uint32_t sequence, number;
    TRY(members_copy_sequence(into, from, p->sequence, &sequence));
    TRY(fragment_value_group(into, group, p->class_index, sequence, p->entries, p->entry_count, &number));
    return value_group_join(&into->value_groups[number], p, 0);
}

static enum pilgrim_status copy_group(struct fragment *into, const struct fragment *from,
                                      const struct structure_group *g)
{
    struct class_list list = g->classes;
    uint32_t sequence, group;
    TRY(members_copy_sequence(into, from, g->sequence, &sequence));
    list.bodies = malloc((list.loop_count + (size_t)1) * sizeof *list.bodies);
    enum pilgrim_status status = list.bodies ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < list.loop_count; i++)
        status = members_copy_sequence(into, from, g->classes.bodies[i], &list.bodies[i]);
    if (status == PILGRIM_OK)
        status = fragment_group(into, g->process, sequence, &list, &group);
    free(list.bodies);
    if (status == PILGRIM_OK && into->groups[group].member_count)
        status = PILGRIM_DAMAGED; /* a family has become the same group */
    if (status != PILGRIM_OK)
        return status;
    for (uint32_t i = 0; i < list.count; i++)
        for (uint32_t k = 0; k < g->value_groups[i].count; k++)
            TRY(copy_value_group(into, from, &from->value_groups[g->value_groups[i].value_groups[k]], group));
    into->groups[group].member_count = g->member_count;
    return column_join(&into->groups[group].members, &g->members, 0);
}

/* ---- families ---- */

/* A family while it becomes a group. */
struct founding {
    const struct fragment *from;
    struct fragment *into;
    const struct families *families;
    const struct group_family *family;
    struct family_members members;
    uint32_t group;
    uint32_t **class_of; /* by group of the family, then by its class index: the new class index */
    uint32_t **index_of; /* by group of the family, then by new class index: its class index, or UINT32_MAX */
    uint32_t *indices;   /* by group of the family: its class index of one class, or UINT32_MAX */
    uint32_t *by_key;    /* by key: the new class index */
};

/* Adds the group itself. */
static enum pilgrim_status found_group(struct founding *x)
{
    const struct structure *s = &x->family->structure;
    const uint32_t loop_count = s->kept_count + s->loop_count;
    struct class_list list = {.count = s->call_count + loop_count, .loop_count = loop_count};
    uint32_t sequence;
    TRY(intern_add(&x->into->sequences, s->top.data, s->top.length, &sequence));
    list.classes = malloc((list.count + (size_t)1) * sizeof *list.classes);
    list.bodies = malloc((list.loop_count + (size_t)1) * sizeof *list.bodies);
    enum pilgrim_status status = list.classes && list.bodies ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t g = 0; status == PILGRIM_OK && g < x->family->count; g++) {
        const struct class_list *l = &x->from->groups[x->family->groups[g]].classes;
        for (uint32_t i = 0; i < l->count - l->loop_count; i++)
            list.classes[x->class_of[g][i]] = l->classes[i];
    }
    for (uint32_t i = 0; status == PILGRIM_OK && i < loop_count; i++) {
        const struct bytes *body = i < s->kept_count ? &s->kept[i] : &s->loops[i - s->kept_count].body;
        status = fragment_loop_class(x->into, &list.classes[s->call_count + i]);
        if (status == PILGRIM_OK)
            status = intern_add(&x->into->sequences, body->data, body->length, &list.bodies[i]);
    }
    if (status == PILGRIM_OK)
        status = fragment_group(x->into, false, sequence, &list, &x->group);
    free(list.classes);
    free(list.bodies);
    return status == PILGRIM_OK && x->into->groups[x->group].member_count ? PILGRIM_DAMAGED : status;
}

/* Sets x->class_of and x->index_of. */
static enum pilgrim_status map_classes(struct founding *x)
{
    const struct structure *s = &x->family->structure;
    const uint32_t *kept = s->kept_of;
    for (uint32_t i = 0; i < s->call_count; i++)
        x->by_key[s->keys[i]] = i;
    for (uint32_t g = 0; g < x->family->count; g++) {
        const uint32_t group = x->family->groups[g];
        const struct class_list *l = &x->from->groups[group].classes;
        const uint32_t count = l->count, calls = l->count - l->loop_count, all = s->call_count + s->kept_count;
        x->class_of[g] = malloc((count + (size_t)1) * sizeof **x->class_of);
        x->index_of[g] = malloc((all + (size_t)1) * sizeof **x->index_of);
        if (!x->class_of[g] || !x->index_of[g])
            return PILGRIM_NOMEM;
        for (uint32_t i = 0; i < all; i++)
            x->index_of[g][i] = UINT32_MAX;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t class_index =
                i < calls ? x->by_key[x->families->keys[x->families->first_key[group] + i]] : s->call_count + *kept++;
            x->class_of[g][i] = class_index;
            x->index_of[g][class_index] = i;
        }
    }
    return PILGRIM_OK;
}

static enum pilgrim_status found_class(struct founding *x, uint32_t class_index)
{
    const struct class_source s = {.from = x->from,
                                   .family = x->family,
                                   .members = &x->members,
                                   .class_of = (uint32_t *const *)x->class_of,
                                   .class_indices = x->indices,
                                   .into = x->into,
                                   .group = x->group,
                                   .class_index = class_index};
    for (uint32_t g = 0; g < x->family->count; g++)
        x->indices[g] = x->index_of[g][class_index];
    return members_join_class(&s);
}

/* True if value group A of F comes before B: that of members without calls, then by the first member. */
static bool comes_before(const struct fragment *f, uint32_t a, uint32_t b)
{
    const struct value_group *x = &f->value_groups[a], *y = &f->value_groups[b];
    if (!x->entry_count != !y->entry_count)
        return !x->entry_count;
    return x->members.first < y->members.first;
}

/* Orders the value groups of a class of F. So those of all classes that the same members lack come in one order: labels
 * that say which members call the class, and the trips of a loop around its calls, are the same numbers. */
static void order_value_groups(const struct fragment *f, struct value_group_list *l)
{
    for (uint32_t i = 1; i < l->count; i++) {
        const uint32_t number = l->value_groups[i];
        uint32_t k = i;
        for (; k > 0 && comes_before(f, number, l->value_groups[k - 1]); k--)
            l->value_groups[k] = l->value_groups[k - 1];
        l->value_groups[k] = number;
    }
}

static enum pilgrim_status found(struct founding *x)
{
    const struct structure *s = &x->family->structure;
    struct bytes shape = {0};
    uint32_t number;
    TRY(members_find(x->from, x->family, &x->members));
    TRY(map_classes(x));
    TRY(found_group(x));
    bytes_put_u8(&shape, VALUE_INT);
    TRY(intern_bytes(&x->into->shapes, &shape, &number));
    const uint32_t all = s->call_count + s->kept_count;
    for (uint32_t i = 0; i < all; i++)
        TRY(found_class(x, i));
    for (uint32_t i = 0; i < s->loop_count; i++)
        TRY(members_add_loop(x->into, x->group, all + i, &x->members, x->family->count, &s->loops[i], number));
    struct structure_group *g = &x->into->groups[x->group];
    for (uint32_t i = 0; i < g->classes.count; i++)
        order_value_groups(x->into, &g->value_groups[i]);
    g->member_count = x->members.count;
    for (uint64_t i = 0; i < x->members.count; i++)
        TRY(column_append(&g->members, (int64_t)x->members.number[i]));
    return PILGRIM_OK;
}

static enum pilgrim_status found_family(struct fragment *into, const struct fragment *from,
                                        const struct families *families, const struct group_family *family)
{
    struct founding x = {.from = from, .into = into, .families = families, .family = family};
    uint32_t keys = 0;
    for (uint32_t i = 0; i < family->structure.call_count; i++)
        keys = family->structure.keys[i] >= keys ? family->structure.keys[i] + 1 : keys;
    x.class_of = calloc(family->count, sizeof(void *));
    x.index_of = calloc(family->count, sizeof(void *));
    x.indices = malloc(family->count * sizeof *x.indices);
    x.by_key = malloc((keys + (size_t)1) * sizeof *x.by_key);
    enum pilgrim_status status = x.class_of && x.index_of && x.indices && x.by_key ? found(&x) : PILGRIM_NOMEM;
    for (uint32_t g = 0; x.class_of && x.index_of && g < family->count; g++) {
        free(x.class_of[g]);
        free(x.index_of[g]);
    }
    free(x.class_of);
    free(x.index_of);
    free(x.indices);
    free(x.by_key);
    members_free(&x.members);
    return status;
}

/* Gives INTO the rows of FROM, which keeps them: class I is now class ORDER[I] of CLASSES. */
static enum pilgrim_status order_shares(const struct share_table *from, const uint32_t *order, uint32_t classes,
                                        struct share_table *into)
{
    into->rows = calloc(2 * (size_t)classes + 1, sizeof(struct share *));
    if (!into->rows)
        return PILGRIM_NOMEM;
    into->row_count = 2 * classes;
    for (uint32_t i = 0; i < from->row_count; i++)
        if (from->rows[i])
            into->rows[2 * order[i / 2] + i % 2] = from->rows[i];
    return PILGRIM_OK;
}

/* Numbers the classes in the order in which groups have them, so that references to them follow one another. */
static enum pilgrim_status order_classes(const struct fragment *from, struct fragment *into)
{
    struct intern ordered = {.count = 0};
    size_t length;
    uint32_t *order = malloc((into->classes.count + (size_t)1) * sizeof *order);
    enum pilgrim_status status = order ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; order && i < into->classes.count; i++)
        order[i] = UINT32_MAX;
    for (uint32_t i = 0; status == PILGRIM_OK && i < into->group_keys.count; i++) {
        struct class_list *l = &into->groups[i].classes;
        for (uint32_t k = 0; status == PILGRIM_OK && k < l->count; k++) {
            uint32_t *own = &order[l->classes[k]];
            const uint8_t *data = intern_get(&into->classes, l->classes[k], &length);
            if (*own == UINT32_MAX)
                status = intern_add(&ordered, data, length, own);
            l->classes[k] = *own;
        }
    }
    for (uint32_t i = 0; status == PILGRIM_OK && i < into->classes.count; i++) {
        const uint8_t *data = intern_get(&into->classes, i, &length);
        if (order[i] == UINT32_MAX)
            status = intern_add(&ordered, data, length, &order[i]);
    }
    if (status == PILGRIM_OK)
        status = order_shares(&from->shares.classes, order, into->classes.count, &into->shares.classes);
    free(order);
    if (status != PILGRIM_OK) {
        intern_free(&ordered);
        return status;
    }
    intern_free(&into->classes);
    into->classes = ordered;
    return PILGRIM_OK;
}

/* ---- the fragment ---- */

static enum pilgrim_status join(const struct fragment *f, const struct families *families, struct fragment *into)
{
    bool *done = calloc(families->count + (size_t)1, sizeof *done);
    enum pilgrim_status status = done ? copy_table(&f->functions, &into->functions) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = copy_table(&f->classes, &into->classes);
    if (status == PILGRIM_OK)
        status = copy_table(&f->shapes, &into->shapes);
    if (status == PILGRIM_OK)
        status = copy_table(&f->stored_deltas, &into->stored_deltas);
    for (uint32_t i = 0; status == PILGRIM_OK && i < f->group_keys.count; i++) {
        uint32_t family = families->of_group[i];
        if (!family || family > families->count)
            status = copy_group(into, f, &f->groups[i]);
        else if (!done[family])
            status = found_family(into, f, families, &families->items[family - 1]);
        if (family <= families->count)
            done[family] = true;
    }
    free(done);
    return status == PILGRIM_OK ? order_classes(f, into) : status;
}

/* Returns a fragment that shares with F what does not change. */
static struct fragment *begin(const struct fragment *f)
{
    struct fragment *into = malloc(sizeof *into);
    if (!into)
        return NULL;
    *into = *f;
    into->functions = into->classes = into->shapes = (struct intern){.count = 0};
    into->sequences = into->stored_deltas = (struct intern){.count = 0};
    into->group_keys = into->value_group_keys = (struct intern){.count = 0};
    into->groups = NULL;
    into->value_groups = NULL;
    into->group_capacity = into->value_group_capacity = 0;
    into->shares.classes.rows = NULL;
    into->shares.classes.row_count = 0;
    return into;
}

enum pilgrim_status templates_make(const struct fragment *f, const struct families *families, struct fragment **joined)
{
    *joined = begin(f);
    enum pilgrim_status status = *joined ? join(f, families, *joined) : PILGRIM_NOMEM;
    if (status != PILGRIM_OK) {
        templates_free(*joined);
        *joined = NULL;
    }
    return status;
}

enum pilgrim_status templates_join(const struct fragment *f, const struct families *families, uint64_t work,
                                   struct fragment **joined)
{
    uint64_t needed = 0;
    *joined = NULL;
    for (uint32_t i = 0; i < families->count; i++)
        needed += members_work(f, &families->items[i]);
    return needed <= work ? templates_make(f, families, joined) : PILGRIM_OK;
}

void templates_free(struct fragment *joined)
{
    if (!joined)
        return;
    fragment_free_groups(joined);
    intern_free(&joined->functions);
    intern_free(&joined->classes);
    intern_free(&joined->shapes);
    intern_free(&joined->stored_deltas);
    free(joined->shares.classes.rows); /* but not what they point to */
    free(joined);
}
