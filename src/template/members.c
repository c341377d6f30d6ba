/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of several groups in one order; see members.h. Value groups of different groups that are alike become one:
 * its columns are made anew, value by value. */
#include "template/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "merge/value_group.h"
#include "rules/rules.h"
#include "sequence/slots.h"

/* ---- the order ---- */

/* Where values of a column go. */
struct reading {
    int64_t *next;
};

static enum pilgrim_status note_value(void *context, int64_t value)
{
    struct reading *r = context;
    *r->next++ = value;
    return PILGRIM_OK;
}

/* Writes the values of C, of COUNT members, to VALUES. */
static enum pilgrim_status read_column(const struct column *c, uint64_t count, int64_t *values)
{
    struct reading r = {values};
    return c->length == count ? column_visit(c, note_value, &r) : PILGRIM_DAMAGED;
}

struct member {
    uint64_t number;
    uint32_t group;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

enum pilgrim_status members_find(const struct fragment *f, const struct group_family *family, struct family_members *m)
{
    uint64_t next = 0;
    *m = (struct family_members){.count = 0};
    for (uint32_t i = 0; i < family->count; i++)
        m->count += f->groups[family->groups[i]].member_count;
    int64_t *numbers = malloc((m->count + 1) * sizeof *numbers);
    struct member *all = malloc((m->count + 1) * sizeof *all);
    m->group = malloc((m->count + 1) * sizeof *m->group);
    m->number = malloc((m->count + 1) * sizeof *m->number);
    enum pilgrim_status status = numbers && all && m->group && m->number ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < family->count; i++) {
        const struct structure_group *g = &f->groups[family->groups[i]];
        status = read_column(&g->members, g->member_count, numbers);
        for (uint64_t k = 0; status == PILGRIM_OK && k < g->member_count; k++)
            all[next++] = (struct member){(uint64_t)numbers[k], i};
    }
    if (status == PILGRIM_OK)
        qsort(all, m->count, sizeof *all, compare_members);
    for (uint64_t i = 0; status == PILGRIM_OK && i < m->count; i++) {
        m->group[i] = all[i].group;
        m->number[i] = all[i].number;
    }
    free(numbers);
    free(all);
    return status;
}

void members_free(struct family_members *m)
{
    free(m->group);
    free(m->number);
}

uint64_t members_work(const struct fragment *f, const struct group_family *family)
{
    uint64_t work = 0, members = 0;
    for (uint32_t i = 0; i < family->count; i++) {
        const struct structure_group *g = &f->groups[family->groups[i]];
        members += g->member_count;
        for (uint32_t k = 0; k < g->classes.count; k++)
            for (uint32_t v = 0; v < g->value_groups[k].count; v++) {
                const struct value_group *p = &f->value_groups[g->value_groups[k].value_groups[v]];
                work += p->members.length * (p->column_count + UINT64_C(1));
            }
    }
    return work + members * (family->structure.call_count + (uint64_t)family->structure.loop_count);
}

/* ---- one class ---- */

/* A value group of one of the groups, while its members go to one of the new group. */
struct source {
    const struct value_group *p;
    uint32_t target;        /* the new value group */
    bool alone;             /* no other source has this target, so the columns stay as they are */
    int64_t *values;        /* one column after the other */
    uint64_t next;          /* the next of its members */
    struct value_group one; /* a single member */
};

/* A value group of the new group. */
struct target {
    uint32_t sources; /* so many have it */
    struct statistics statistics;
};

struct joining_class {
    const struct class_source *s;
    struct source *sources;
    uint32_t source_count;
    struct target *targets; /* by number of the value group, without ... */
    uint32_t first_target;  /* ... this, the number of the class's first one */
    uint32_t **of_member;   /* by group, then by member of the group: its source; NULL: the group lacks the class */
    uint64_t *next;         /* by group: its next member */
    uint32_t empty;         /* the value group of members that lack the class; UINT32_MAX: there is none yet */
};

enum pilgrim_status members_copy_sequence(struct fragment *into, const struct fragment *from, uint32_t sequence,
                                          uint32_t *number)
{
    size_t length;
    const uint8_t *data = intern_get(&from->sequences, sequence, &length);
    return intern_add(&into->sequences, data, length, number);
}

/* Finds or adds the value group of no calls. */
static enum pilgrim_status empty_value_group(struct fragment *into, uint32_t group, uint32_t class_index,
                                             uint32_t *number)
{
    static const uint8_t nothing[] = {1, 0}; /* a grammar of one rule, without symbols */
    static const struct signature_entry none;
    uint32_t sequence;
    TRY(intern_add(&into->sequences, nothing, sizeof nothing, &sequence));
    TRY(fragment_value_group(into, group, class_index, sequence, &none, 0, number));
    struct value_group *p = &into->value_groups[*number];
    p->slots = p->slots ? p->slots : malloc(1);
    p->columns = p->columns ? p->columns : malloc(1);
    return p->slots && p->columns ? PILGRIM_OK : PILGRIM_NOMEM;
}

static enum pilgrim_status open_source(const struct class_source *s, struct source *x)
{
    uint32_t sequence;
    TRY(members_copy_sequence(s->into, s->from, x->p->sequence, &sequence));
    return fragment_value_group(s->into, s->group, s->class_index, sequence, x->p->entries, x->p->entry_count,
                                &x->target);
}

/* Prepares the values of X, which is not alone. */
static enum pilgrim_status read_values(struct source *x)
{
    const struct value_group *p = x->p;
    x->values = malloc((p->column_count * p->members.length + 1) * sizeof *x->values);
    x->one = (struct value_group){.slot_count = p->slot_count, .slots = p->slots, .column_count = p->column_count};
    x->one.columns = malloc((p->column_count + (size_t)1) * sizeof *x->one.columns);
    if (!x->values || !x->one.columns)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < p->column_count; i++) {
        TRY(read_column(&p->columns[i], p->members.length, x->values + i * p->members.length));
        x->one.columns[i] = p->columns[i];
        x->one.columns[i].differences = (struct nested_runs){.count = 0};
        x->one.columns[i].length = 1;
    }
    return PILGRIM_OK;
}

/* Adds all columns of X, which is alone. */
static enum pilgrim_status copy_values(const struct class_source *s, const struct source *x)
{
    struct value_group whole = *x->p;
    whole.statistics = (struct bytes){.length = 0};
    whole.members = (struct column){.length = 0};
    return value_group_join(&s->into->value_groups[x->target], &whole, 0);
}

/* Adds the statistics of X to INTO. They name the class before a call by its index, which is another one in the new
 * group. */
static enum pilgrim_status add_statistics(const struct class_source *s, const struct source *x, uint32_t group,
                                          struct statistics *into)
{
    struct statistics t;
    struct cursor in;
    const struct class_list *l = &s->from->groups[s->family->groups[group]].classes;
    if (!x->p->statistics.length)
        return PILGRIM_OK;
    cursor_init(&in, x->p->statistics.data, x->p->statistics.length);
    enum pilgrim_status status = statistics_unpack(&in, &t);
    for (uint32_t i = 0; i < t.count && !t.one_predecessor; i++)
        if (t.cells[i].predecessor < l->count)
            t.cells[i].predecessor = s->class_of[group][t.cells[i].predecessor];
    if (status == PILGRIM_OK)
        status = statistics_merge(into, &t, NULL, 0);
    statistics_free(&t);
    return status;
}

/* Opens the sources of group GROUP, and notes to which of them each member belongs. */
static enum pilgrim_status open_group(struct joining_class *j, uint32_t group)
{
    const struct fragment *f = j->s->from;
    const struct structure_group *g = &f->groups[j->s->family->groups[group]];
    uint32_t class_index = j->s->class_indices[group];
    if (class_index == UINT32_MAX)
        return j->empty != UINT32_MAX ? PILGRIM_OK
                                      : empty_value_group(j->s->into, j->s->group, j->s->class_index, &j->empty);
    const struct value_group_list *list = &g->value_groups[class_index];
    uint32_t *of_member = j->of_member[group] = calloc(g->member_count + 1, sizeof *of_member);
    int64_t *numbers = malloc((g->member_count + 1) * sizeof *numbers);
    enum pilgrim_status status = of_member && numbers ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < list->count; i++) {
        struct source *x = &j->sources[j->source_count];
        *x = (struct source){.p = &f->value_groups[list->value_groups[i]]};
        uint64_t count = x->p->members.length;
        status = count <= g->member_count ? read_column(&x->p->members, count, numbers) : PILGRIM_DAMAGED;
        for (uint64_t k = 0; status == PILGRIM_OK && k < count; k++)
            if ((uint64_t)numbers[k] < g->member_count)
                of_member[numbers[k]] = j->source_count;
        j->source_count++;
        if (status == PILGRIM_OK)
            status = open_source(j->s, x);
        if (status != PILGRIM_OK)
            break;
        struct target *t = &j->targets[x->target - j->first_target];
        t->sources++;
        status = add_statistics(j->s, x, group, &t->statistics);
    }
    free(numbers);
    return status;
}

static enum pilgrim_status open_values(struct joining_class *j)
{
    for (uint32_t i = 0; i < j->source_count; i++) {
        struct source *x = &j->sources[i];
        x->alone = j->targets[x->target - j->first_target].sources == 1;
        TRY(x->alone ? copy_values(j->s, x) : read_values(x));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status put_statistics(struct joining_class *j)
{
    const struct fragment *f = j->s->into;
    for (uint32_t i = j->first_target; i < f->value_group_keys.count; i++) {
        struct statistics *t = &j->targets[i - j->first_target].statistics;
        if (t->count)
            statistics_pack(t, &f->value_groups[i].statistics);
        TRY(bytes_status(&f->value_groups[i].statistics));
    }
    return PILGRIM_OK;
}

/* Adds member NUMBER of the new group. */
static enum pilgrim_status add_member(struct joining_class *j, uint64_t number)
{
    const struct class_source *s = j->s;
    uint32_t group = s->members->group[number];
    uint64_t own = j->next[group]++;
    if (!j->of_member[group])
        return column_append(&s->into->value_groups[j->empty].members, (int64_t)number);
    struct source *x = &j->sources[j->of_member[group][own]];
    struct value_group *to = &s->into->value_groups[x->target];
    if (!x->alone) {
        for (uint32_t i = 0; i < x->one.column_count; i++) {
            struct column *c = &x->one.columns[i];
            c->first = c->last = x->values[i * x->p->members.length + x->next];
        }
        x->next++;
        TRY(value_group_join(to, &x->one, 0));
    }
    return column_append(&to->members, (int64_t)number);
}

static enum pilgrim_status join_class(struct joining_class *j)
{
    for (uint32_t i = 0; i < j->s->family->count; i++)
        TRY(open_group(j, i));
    TRY(open_values(j));
    TRY(put_statistics(j));
    for (uint64_t i = 0; i < j->s->members->count; i++)
        TRY(add_member(j, i));
    return PILGRIM_OK;
}

enum pilgrim_status members_join_class(const struct class_source *s)
{
    struct joining_class j = {.s = s, .empty = UINT32_MAX};
    uint32_t groups = s->family->count;
    size_t sources = 0;
    for (uint32_t i = 0; i < groups; i++)
        if (s->class_indices[i] != UINT32_MAX)
            sources += s->from->groups[s->family->groups[i]].value_groups[s->class_indices[i]].count;
    j.first_target = s->into->value_group_keys.count;
    j.sources = calloc(sources + 1, sizeof *j.sources);
    j.targets = calloc(sources + 1, sizeof *j.targets); /* one may be of those that lack the class */
    j.of_member = calloc(groups + (size_t)1, sizeof(void *));
    j.next = calloc(groups + (size_t)1, sizeof *j.next);
    enum pilgrim_status status = j.sources && j.targets && j.of_member && j.next ? join_class(&j) : PILGRIM_NOMEM;
    for (uint32_t i = 0; j.sources && i < j.source_count; i++) {
        free(j.sources[i].values);
        free(j.sources[i].one.columns);
    }
    for (uint32_t i = 0; j.of_member && i < groups; i++)
        free(j.of_member[i]);
    for (size_t i = 0; j.targets && i <= sources; i++)
        statistics_free(&j.targets[i].statistics);
    free(j.sources);
    free(j.targets);
    free(j.of_member);
    free(j.next);
    return status;
}

/* ---- loops ---- */

/* Finds or adds the value group of members that meet a loop MET times. CHANGES: its trips are not the same each time.
 */
static enum pilgrim_status loop_value_group(struct fragment *into, uint32_t group, uint32_t class_index, uint64_t met,
                                            bool changes, uint32_t shape, uint32_t *number)
{
    const struct signature_entry entry = {.shape = shape, .count = !changes};
    struct bytes run = {0};
    uint32_t sequence;
    if (!met)
        return empty_value_group(into, group, class_index, number);
    rules_put_run(&run, met);
    TRY(intern_bytes(&into->sequences, &run, &sequence));
    return fragment_value_group(into, group, class_index, sequence, &entry, 1, number);
}

/* Adds a member with these trips, whose number is not noted, to P. */
static enum pilgrim_status add_trips(struct value_group *p, const struct slots *slots)
{
    struct value_group one = {.column_count = 0};
    enum pilgrim_status status = value_group_begin(&one, &(struct rank_bases){.count = 0}, 0, 0, slots);
    column_free(&one.members);
    if (status == PILGRIM_OK)
        status = value_group_join(p, &one, 0);
    value_group_free(&one);
    return status;
}

/* Adds a member of group GROUP, whose number is not noted, to P. */
static enum pilgrim_status add_loop_member(struct fragment *into, const struct template_loop *loop, uint32_t group,
                                           struct value_group *p)
{
    /* no functions of the rank: of a rank base that is not there */
    struct slot slot[3] = {{.value = (int64_t)loop->trips[group], .kind = SLOT_RANK, .base = -1}};
    if (!loop->times && p->column_count)
        return column_append(&p->columns[0], slot[0].value);
    if (!loop->times)
        return add_trips(p, &(struct slots){.items = slot, .count = 1});
    const struct loops_loop *times = &loop->times[group];
    slot[1] = (struct slot){.kind = SLOT_DELTAS};
    slot[2] = (struct slot){.value = times->factor, .kind = SLOT_RANK, .base = -1};
    struct nested_runs differences = {.count = 0};
    enum pilgrim_status status = nested_runs_copy(&differences, &times->differences);
    if (status == PILGRIM_OK)
        status = stored_deltas_add(&into->stored_deltas, &differences, &slot[1].value);
    nested_runs_free(&differences);
    return status == PILGRIM_OK ? add_trips(p, &(struct slots){.items = slot, .count = 3}) : status;
}

/* Finds or adds the value groups of the members of each of GROUPS. */
static enum pilgrim_status find_targets(struct fragment *into, uint32_t group, uint32_t class_index, uint32_t groups,
                                        const struct template_loop *loop, uint32_t shape, uint32_t *targets)
{
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t same = 0;
        while (same < i && loop->met[same] != loop->met[i])
            same++;
        if (same < i)
            targets[i] = targets[same];
        else
            TRY(loop_value_group(into, group, class_index, loop->met[i], loop->times, shape, &targets[i]));
    }
    return PILGRIM_OK;
}

enum pilgrim_status members_add_loop(struct fragment *into, uint32_t group, uint32_t class_index,
                                     const struct family_members *m, uint32_t groups, const struct template_loop *loop,
                                     uint32_t shape)
{
    uint32_t *targets = malloc((groups + (size_t)1) * sizeof *targets);
    enum pilgrim_status status =
        targets ? find_targets(into, group, class_index, groups, loop, shape, targets) : PILGRIM_NOMEM;
    for (uint64_t i = 0; status == PILGRIM_OK && i < m->count; i++) {
        uint32_t g = m->group[i];
        struct value_group *to = &into->value_groups[targets[g]];
        if (loop->met[g])
            status = add_loop_member(into, loop, g, to);
        if (status == PILGRIM_OK)
            status = column_append(&to->members, (int64_t)i);
    }
    free(targets);
    return status;
}
