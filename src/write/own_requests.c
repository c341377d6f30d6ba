/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests without the number of their class; see own_requests.h. */
#include "write/own_requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge/shape.h"
#include "write/own_numbers.h"

/* Numbers of members that are counted or looked up, at most: some hundredths of a second, and 4 MiB. */
#define WORK_MAX (UINT64_C(1) << 20)

/* What may be said of a shape: which kinds of its requests go without their class. */
enum { OWN = 1, LIVE_BACK = 2, VARIANTS = 4 };

struct request_shape {
    struct shape_request *requests;
    uint32_t count;
    uint32_t slots;
    uint32_t kinds;             /* of all requests */
    uint32_t numbers[VARIANTS]; /* its new number + 1; 0: none yet */
};

struct changing {
    struct fragment *f;
    struct request_shape *shapes; /* by shape */
    struct intern changed;        /* the new shapes */
    bool any;                     /* some signature has changed */
    uint64_t work;                /* numbers that may still be counted or looked up */
    struct own_requests *o;
    const struct structure_group *group;
    struct own_numbers numbers; /* of the group */
};

/* ---- shapes ---- */

static enum pilgrim_status find_shapes(struct changing *x, bool *any)
{
    const struct intern *shapes = &x->f->shapes;
    x->shapes = calloc(shapes->count + (size_t)1, sizeof *x->shapes);
    *any = false;
    if (!x->shapes)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < shapes->count; i++) {
        size_t length;
        const uint8_t *shape = intern_get(shapes, i, &length);
        struct request_shape *s = &x->shapes[i];
        bool has_series;
        s->requests = malloc((length + 1) * sizeof *s->requests);
        if (!s->requests)
            return PILGRIM_NOMEM;
        TRY(shape_slots(shape, length, &s->slots, &has_series));
        TRY(shape_requests(shape, length, s->requests, &s->count));
        for (uint32_t k = 0; k < s->count; k++)
            s->kinds |= s->requests[k].is_live ? LIVE_BACK : OWN;
        *any |= s->kinds;
        if (!s->count) {
            free(s->requests);
            s->requests = NULL;
        }
    }
    return PILGRIM_OK;
}

/* Numbers the shape *SHAPE anew, if its requests of KINDS go without their class. */
static enum pilgrim_status put_shape(struct changing *x, uint32_t kinds, uint32_t *shape)
{
    uint32_t *number = &x->shapes[*shape].numbers[kinds];
    x->any |= kinds != 0;
    if (!*number) {
        struct bytes b = {0};
        size_t length;
        const uint8_t *data = intern_get(&x->f->shapes, *shape, &length);
        TRY(shape_without_classes(data, length, kinds & OWN, kinds & LIVE_BACK, &b));
        TRY(intern_bytes(&x->changed, &b, number));
        ++*number;
    }
    *shape = *number - 1;
    return PILGRIM_OK;
}

/* ---- value groups ---- */

/* A value group while it changes. */
struct changing_values {
    struct changing *x;
    const struct value_group *before;
    struct value_group *p;
    uint32_t class_index;
    uint32_t column_room;
};

/* The class that a request is of: how many places it stands before that of the call in the list of the group. */
struct own_class {
    uint32_t index;          /* its index in the list, of all members; UINT32_MAX: they have different ones */
    struct column distances; /* then, of each member; its length is 0: they are not known */
};

static enum pilgrim_status find_class(struct changing *x, const struct value_group *p, const struct column *numbers,
                                      uint32_t class_index, struct own_class *class)
{
    TRY(own_numbers_find(&x->numbers, x->group, p, numbers, &class->index));
    if (class->index != UINT32_MAX || p->members.length > x->work)
        return PILGRIM_OK;
    x->work -= p->members.length;
    return own_numbers_distances(&x->numbers, x->group, p, numbers, class_index, &class->distances);
}

static bool same_differences(const struct nested_runs *a, const struct nested_runs *b)
{
    return a->count == b->count && a->open.value == b->open.value && a->open.exponent == b->open.exponent &&
           (!a->count || !memcmp(a->items, b->items, a->count * sizeof *a->items));
}

/* How irregular column C of a request is: 0 if its members have the same, or if they differ as in *BEFORE, that of the
 * last request (NULL: there is none). Then that is C. */
static size_t irregular(const struct column *c, const struct column **before)
{
    const struct column *last = *before;
    int64_t constant, ignored;
    *before = c;
    if (column_is(c, EXPRESSION_CONSTANT, &constant, &ignored) ||
        (last && same_differences(&c->differences, &last->differences)))
        return 0;
    return c->differences.count + 1;
}

/* Of each request of an entry: the class that it is of. *KINDS: which of them go without their numbers. Live ones do if
 * distances can name all of them, and are no more irregular than the numbers. */
static enum pilgrim_status find_kinds(const struct changing_values *v, const struct signature_entry *entry,
                                      uint32_t first_slot, struct own_class *classes, uint32_t *kinds)
{
    struct changing *x = v->x;
    const struct request_shape *s = &x->shapes[entry->shape];
    const uint32_t columns = entry_columns(entry);
    const struct column *last_numbers = NULL, *last_distances = NULL;
    size_t numbers = 0, distances = 0;
    *kinds = s->kinds;
    for (uint32_t i = 0; i < s->count && *kinds; i++) {
        const uint32_t kind = s->requests[i].is_live ? LIVE_BACK : OWN;
        const uint32_t *slot = &v->before->slots[first_slot + s->requests[i].slot * columns];
        const struct column *c = &v->before->columns[slot[0]];
        int64_t constant = 0, ignored;
        bool equal =
            columns == 1 || (column_is(&v->before->columns[slot[1]], EXPRESSION_CONSTANT, &constant, &ignored) &&
                             constant == 0); /* from call to call it is the same class */
        if (!(*kinds & kind))
            continue;
        if (equal && kind == OWN) {
            TRY(own_numbers_equal(&x->numbers, x->group, v->before, c, v->class_index, &equal));
        } else if (equal) {
            TRY(find_class(x, v->before, c, v->class_index, &classes[i]));
            equal = classes[i].index != UINT32_MAX || classes[i].distances.length > 0;
            numbers += irregular(c, &last_numbers);
            distances += classes[i].index == UINT32_MAX ? irregular(&classes[i].distances, &last_distances) : 0;
        }
        if (!equal)
            *kinds &= ~kind;
    }
    if (distances > numbers)
        *kinds &= ~(uint32_t)LIVE_BACK;
    return PILGRIM_OK;
}

/* Makes room for one more column. */
static enum pilgrim_status need_column(struct changing_values *v)
{
    struct value_group *p = v->p;
    if (p->column_count < v->column_room)
        return PILGRIM_OK;
    const uint32_t room = 2 * v->column_room + 4;
    struct column *columns = malloc(room * sizeof *columns);
    if (!columns)
        return PILGRIM_NOMEM;
    memcpy(columns, p->columns, p->column_count * sizeof *columns);
    if (p->columns != v->before->columns)
        free(p->columns);
    p->columns = columns;
    v->column_room = room;
    return PILGRIM_OK;
}

/* Finds or adds a column that is NUMBER for all members. */
static enum pilgrim_status constant_column(struct changing_values *v, int64_t number, uint32_t *column)
{
    struct value_group *p = v->p;
    int64_t constant, ignored;
    for (*column = v->before->column_count; *column < p->column_count; ++*column)
        if (column_is(&p->columns[*column], EXPRESSION_CONSTANT, &constant, &ignored) && constant == number)
            return PILGRIM_OK;
    TRY(need_column(v));
    const uint64_t length = v->before->members.length;
    p->columns[p->column_count++] = (struct column){
        .first = number, .last = number, .length = length, .differences.open = {.value = 0, .exponent = length - 1}};
    return PILGRIM_OK;
}

/* Adds C. Its differences belong to the own requests from now on. */
static enum pilgrim_status made_column(struct changing_values *v, struct column *c, uint32_t *column)
{
    struct own_requests *o = v->x->o;
    if (o->made_count == o->made_room) {
        const size_t room = 2 * o->made_room + 16;
        struct column *made = realloc(o->made, room * sizeof *made);
        if (!made)
            return PILGRIM_NOMEM;
        o->made = made;
        o->made_room = room;
    }
    TRY(need_column(v));
    *column = v->p->column_count++;
    v->p->columns[*column] = o->made[o->made_count++] = *c;
    *c = (struct column){.length = 0};
    return PILGRIM_OK;
}

static enum pilgrim_status class_column(struct changing_values *v, struct own_class *class, uint32_t *column)
{
    return class->index != UINT32_MAX ? constant_column(v, (int64_t)v->class_index - (int64_t) class->index, column)
                                      : made_column(v, &class->distances, column);
}

/* Copies the slots of an entry, which begin at FIRST_SLOT, without those that it loses. */
static enum pilgrim_status change_slots(struct changing_values *v, const struct signature_entry *entry,
                                        uint32_t first_slot, struct own_class *classes, uint32_t kinds)
{
    const struct request_shape *s = &v->x->shapes[entry->shape];
    const uint32_t columns = entry_columns(entry);
    uint32_t next = 0;
    for (uint32_t i = 0; i < s->slots; i++) {
        const struct shape_request *r = next < s->count && s->requests[next].slot == i ? &s->requests[next] : NULL;
        uint32_t *to = &v->p->slots[v->p->slot_count];
        next += r != NULL;
        if (r && !r->is_live && (kinds & OWN))
            continue;
        memcpy(to, &v->before->slots[first_slot + i * columns], columns * sizeof *to);
        v->p->slot_count += columns;
        if (r && r->is_live && (kinds & LIVE_BACK))
            TRY(class_column(v, &classes[r - s->requests], to));
    }
    return PILGRIM_OK;
}

/* Removes columns that no slot has. P has columns of its own only if it has more than before. */
static enum pilgrim_status drop_columns(struct changing_values *v)
{
    struct value_group *p = v->p;
    uint32_t *numbers = calloc(p->column_count + (size_t)1, sizeof *numbers), count = 0;
    struct column *columns = malloc((p->column_count + (size_t)1) * sizeof *columns);
    if (!numbers || !columns) {
        free(numbers);
        free(columns);
        return PILGRIM_NOMEM;
    }
    for (uint32_t i = 0; i < p->slot_count; i++)
        numbers[p->slots[i]] = 1;
    for (uint32_t i = 0; i < p->column_count; i++)
        if (numbers[i]) {
            columns[count] = p->columns[i];
            numbers[i] = count++;
        }
    for (uint32_t i = 0; i < p->slot_count; i++)
        p->slots[i] = numbers[p->slots[i]];
    free(numbers);
    if (p->columns != v->before->columns)
        free(p->columns);
    p->columns = columns;
    p->column_count = count;
    return PILGRIM_OK;
}

static enum pilgrim_status change_entry(struct changing_values *v, uint32_t number, uint32_t first_slot,
                                        struct own_class *classes, bool *any)
{
    const struct signature_entry *entry = &v->before->entries[number];
    uint32_t kinds;
    TRY(find_kinds(v, entry, first_slot, classes, &kinds));
    TRY(put_shape(v->x, kinds, &v->p->entries[number].shape));
    *any |= kinds != 0;
    return change_slots(v, entry, first_slot, classes, kinds);
}

/* CLASSES: room for those of an entry. */
static enum pilgrim_status change_entries(struct changing_values *v, struct own_class *classes)
{
    bool any = false;
    uint32_t first = 0;
    for (uint32_t i = 0; i < v->p->entry_count; i++) {
        const struct signature_entry *entry = &v->before->entries[i];
        const struct request_shape *s = &v->x->shapes[entry->shape];
        for (uint32_t k = 0; k < s->count; k++)
            classes[k] = (struct own_class){.index = UINT32_MAX};
        enum pilgrim_status status = change_entry(v, i, first, classes, &any);
        for (uint32_t k = 0; k < s->count; k++)
            column_free(&classes[k].distances);
        TRY(status);
        first += s->slots * entry_columns(entry);
    }
    return any ? drop_columns(v) : PILGRIM_OK;
}

/* Changes P, which gets arrays of its own for all that changes. */
static enum pilgrim_status change_value_group(struct changing *x, uint32_t class_index, struct value_group *p)
{
    const struct value_group before = *p;
    struct changing_values v = {x, &before, p, class_index, 0};
    uint32_t most = 0;
    v.column_room = before.column_count;
    for (uint32_t i = 0; i < before.entry_count; i++)
        if (x->shapes[before.entries[i].shape].count > most)
            most = x->shapes[before.entries[i].shape].count;
    struct own_class *classes = malloc((most + (size_t)1) * sizeof *classes);
    p->entries = copy_of(before.entries, before.entry_count * sizeof *p->entries);
    p->slots = malloc(before.slot_count * sizeof *p->slots + 1);
    p->slot_count = 0;
    enum pilgrim_status status = classes && p->entries && p->slots ? change_entries(&v, classes) : PILGRIM_NOMEM;
    free(classes);
    return status;
}

static enum pilgrim_status change_group(struct changing *x)
{
    for (uint32_t i = 0; i < x->group->classes.count; i++)
        for (uint32_t k = 0; k < x->group->value_groups[i].count; k++)
            TRY(change_value_group(x, i, &x->f->value_groups[x->group->value_groups[i].value_groups[k]]));
    return PILGRIM_OK;
}

static enum pilgrim_status change_groups(struct changing *x, const struct thread_numbers *threads)
{
    for (uint32_t i = 0; i < x->f->group_keys.count; i++) {
        x->group = &x->f->groups[i];
        enum pilgrim_status status = own_numbers_count(x->f, x->group, threads, &x->work, &x->numbers);
        if (status == PILGRIM_OK)
            status = change_group(x);
        own_numbers_free(&x->numbers);
        TRY(status);
    }
    return PILGRIM_OK;
}

static enum pilgrim_status change(struct changing *x)
{
    struct own_requests *o = x->o;
    struct thread_numbers threads = {.numbers = NULL};
    bool any;
    TRY(find_shapes(x, &any));
    if (!any)
        return PILGRIM_OK;
    o->before = copy_of(x->f->value_groups, x->f->value_group_keys.count * sizeof *o->before);
    enum pilgrim_status status = o->before ? thread_numbers_find(x->f, &x->work, &threads) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = change_groups(x, &threads);
    free(threads.numbers);
    return status;
}

void own_requests_begin(struct fragment *f, struct own_requests *o)
{
    struct changing x = {.f = f, .work = WORK_MAX, .o = o};
    *o = (struct own_requests){.fragment = f};
    enum pilgrim_status status = change(&x);
    for (uint32_t i = 0; x.shapes && i < f->shapes.count; i++)
        free(x.shapes[i].requests);
    free(x.shapes);
    o->shapes = f->shapes;
    f->shapes = x.changed;
    if (status != PILGRIM_OK || !x.any)
        own_requests_end(o, NULL);
}

void own_requests_end(struct own_requests *o, struct intern *changed)
{
    struct fragment *f = o->fragment;
    if (!f)
        return;
    if (changed) {
        *changed = f->shapes;
        f->shapes = (struct intern){.count = 0};
    }
    for (uint32_t i = 0; o->before && i < f->value_group_keys.count; i++) {
        struct value_group *p = &f->value_groups[i];
        const struct value_group *b = &o->before[i];
        if (p->entries != b->entries)
            free(p->entries);
        if (p->slots != b->slots)
            free(p->slots);
        if (p->columns != b->columns)
            free(p->columns);
        *p = *b;
    }
    for (size_t i = 0; i < o->made_count; i++)
        column_free(&o->made[i]);
    free(o->made);
    free(o->before);
    intern_free(&f->shapes);
    f->shapes = o->shapes;
    *o = (struct own_requests){.fragment = NULL};
}
