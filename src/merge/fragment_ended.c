/* SPDX-License-Identifier: BSD-3-Clause */
/* From ended threads to a fragment, one thread after another in order of number.
 *
 * The first thread of a pattern is made into a stream again and added like any other; that finds its group and its
 * parts. From the next ones only what differs is taken: a number for each column of each part, and a place. Where a
 * fragment makes other slots of a pattern's keys (series, vectors), or ranks refer to another rank base in each thread,
 * all of its threads are made into streams. */
#include "merge/fragment_ended.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "record/pattern_calls.h"
#include "record/stream_inline.h"

/* ---- threads of a pattern, one after another ---- */

/* A column of a part, where the pattern's threads have their values from. */
struct source_column {
    uint32_t column; /* of the pattern */
    bool own;        /* request_class_base is added */
    struct rank rank;
    struct column one; /* of the last value: what may be said of it is mostly the same again */
};

struct source_class {
    uint32_t value_group;
    uint32_t column_count; /* that the part had when they were looked at */
    struct source_column *columns;
};

struct slot_source {
    struct slot slot; /* kind and rank base */
    bool own;
};

struct thread_sources {
    bool begun;
    bool one_by_one; /* all threads are made into streams */
    struct pattern_calls calls;
    uint64_t next;    /* thread */
    uint32_t *order;  /* of the threads; NULL: as they stand */
    int64_t **values; /* by column; NULL: it is constant */
    uint32_t group;
    struct source_class *classes;
    struct slot_source *slots;
};

struct replay {
    struct ended_threads *ended;
    size_t count;
    uint32_t *owner; /* by number: 0, or a pattern's number + 1, or that of a whole stream + 1 behind those */
    struct thread_sources *sources; /* by pattern */
};

static int64_t value_at(const struct replay *r, uint32_t pattern, uint32_t column)
{
    const struct thread_sources *s = &r->sources[pattern];
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    if (p->values)
        return p->values[column];
    uint64_t k = s->order ? s->order[s->next] : s->next;
    return s->values[column] ? s->values[column][k] : p->columns[column].values.first;
}

static int64_t slot_value(const struct replay *r, uint32_t pattern, uint32_t slot)
{
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    return value_at(r, pattern, p->values ? slot : p->slots[slot]);
}

/* Puts the next thread's values into the keys of its calls. */
static void fill_keys(const struct replay *r, uint32_t pattern, uint32_t thread)
{
    struct pattern_calls *calls = &r->sources[pattern].calls;
    uint32_t slot = 0;
    struct cursor c;
    size_t length;
    const uint8_t *data = intern_get(&r->ended->calls, pattern, &length);
    for (uint32_t i = 0; i < calls->class_count; i++) {
        cursor_init(&c, data, length);
        cursor_take(&c, calls->classes[i].signatures);
        for (uint32_t k = 0; k < calls->classes[i].signature_count; k++) {
            struct key_walk w = {.length = cursor_u32(&c)};
            size_t start = c.position;
            w.key = cursor_take(&c, w.length);
            while (w.key && key_next_slot(&w)) {
                size_t at = w.at - sizeof(int64_t);
                int64_t own = key_slot_is_class(&w) && w.key[at] ? request_class_base(thread) : 0;
                uint64_t value = htole64((uint64_t)(slot_value(r, pattern, slot++) + own));
                memcpy(calls->keys.data + start + at, &value, sizeof value);
            }
        }
    }
}

/* ---- what the parts' columns are ---- */

/* What the slots of one key are. *SLOT: the number of the first, then of the first one behind them. */
static void look_at_key(struct replay *r, uint32_t pattern, const uint8_t *key, size_t length, uint32_t *slot)
{
    struct thread_sources *s = &r->sources[pattern];
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    int32_t base = 0;
    struct key_walk w = {.key = key, .length = length};
    for (; key_next_slot(&w); ++*slot) {
        if (w.tag == VALUE_RANK_BASE) {
            int64_t value = slot_value(r, pattern, *slot);
            base = value >= 0 && value <= INT32_MAX ? (int32_t)value : -1;
            s->one_by_one |= s->values[p->slots[*slot]] != NULL;
        }
        s->slots[*slot] =
            (struct slot_source){.slot = {.kind = w.tag == VALUE_RANK ? SLOT_RANK : SLOT_NUMBER, .base = base},
                                 .own = key_slot_is_class(&w) && w.key[w.at - sizeof(int64_t)]};
    }
}

static void look_at_keys(struct replay *r, uint32_t pattern)
{
    const struct pattern_calls *calls = &r->sources[pattern].calls;
    uint32_t slot = 0;
    size_t length;
    const uint8_t *data = intern_get(&r->ended->calls, pattern, &length);
    for (uint32_t i = 0; i < calls->class_count; i++) {
        struct cursor c;
        cursor_init(&c, data, length);
        cursor_take(&c, calls->classes[i].signatures);
        for (uint32_t k = 0; k < calls->classes[i].signature_count; k++) {
            uint32_t bytes = cursor_u32(&c);
            const uint8_t *key = cursor_take(&c, bytes);
            look_at_key(r, pattern, key, key ? bytes : 0, &slot);
        }
    }
}

/* From now on slots of VALUE_GROUP that have one column are one column of the pattern's, and so for all of its threads.
 */
static enum pilgrim_status separate(const struct thread_pattern *p, const struct thread_sources *s,
                                    const struct pattern_class *class, struct value_group *value_group)
{
    uint32_t *labels = malloc(class->slot_count * sizeof *labels + 1);
    if (!labels)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < class->slot_count; i++)
        labels[i] = p->slots[class->first_slot + i] << 1 | s->slots[class->first_slot + i].own;
    enum pilgrim_status status = value_group_split(value_group, labels);
    free(labels);
    return status;
}

/* The pattern has been added once, to PARTS: sees how the others are added. */
static enum pilgrim_status prepare(struct replay *r, uint32_t pattern, struct fragment *f, const uint32_t *parts)
{
    struct thread_sources *s = &r->sources[pattern];
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    s->slots = calloc(p->slot_count + 1u, sizeof *s->slots);
    s->classes = calloc(p->class_count + 1u, sizeof *s->classes);
    if (!s->slots || !s->classes)
        return PILGRIM_NOMEM;
    look_at_keys(r, pattern);
    for (uint32_t i = 0; i < p->class_count; i++)
        s->one_by_one |= f->value_groups[parts[i]].slot_count != s->calls.classes[i].slot_count;
    for (uint32_t i = 0; !s->one_by_one && i < p->class_count; i++) {
        s->classes[i].value_group = parts[i];
        TRY(separate(p, s, &s->calls.classes[i], &f->value_groups[parts[i]]));
    }
    return PILGRIM_OK;
}

/* Where the columns of VALUE_GROUP, which have become others, are from. */
static enum pilgrim_status look_at_value_group(const struct thread_pattern *p, const struct thread_sources *s,
                                               const struct pattern_class *class, const struct value_group *value_group,
                                               uint32_t rank, const struct rank_bases *bases, struct source_class *sc)
{
    uint32_t met = 0;
    free(sc->columns);
    sc->column_count = value_group->column_count;
    sc->columns = calloc(value_group->column_count + 1u, sizeof *sc->columns);
    if (!sc->columns)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < value_group->slot_count; i++) {
        const struct slot_source *slot = &s->slots[class->first_slot + i];
        if (value_group->slots[i] < met)
            continue;
        sc->columns[met++] = (struct source_column){.column = p->slots[class->first_slot + i],
                                                    .own = slot->own,
                                                    .rank = fragment_slot_rank(bases, &slot->slot, rank)};
    }
    return met == value_group->column_count ? PILGRIM_OK : PILGRIM_DAMAGED;
}

/* ---- adding ---- */

static enum pilgrim_status add_values(struct replay *r, uint32_t pattern, uint32_t thread, struct source_class *sc,
                                      struct value_group *value_group, uint64_t member)
{
    for (uint32_t i = 0; i < value_group->column_count; i++) {
        struct source_column *c = &sc->columns[i];
        int64_t value = value_at(r, pattern, c->column) + (c->own ? request_class_base(thread) : 0);
        if (!c->one.length || c->one.first != value)
            column_begin(&c->one, value, c->rank);
        TRY(column_join(&value_group->columns[i], &c->one, 0));
    }
    return column_append(&value_group->members, (int64_t)member);
}

/* The next thread of a pattern that is in F already. */
static enum pilgrim_status add_alike(struct replay *r, uint32_t pattern, uint32_t thread, struct fragment *f,
                                     uint32_t rank, const struct rank_bases *bases)
{
    struct thread_sources *s = &r->sources[pattern];
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    struct structure_group *g = &f->groups[s->group];
    for (uint32_t i = 0; i < p->class_count; i++) {
        struct source_class *sc = &s->classes[i];
        struct value_group *value_group = &f->value_groups[sc->value_group];
        if (sc->column_count != value_group->column_count)
            TRY(look_at_value_group(p, s, &s->calls.classes[i], value_group, rank, bases, sc));
        TRY(add_values(r, pattern, thread, sc, value_group, g->member_count));
    }
    g->member_count++;
    f->calls += p->calls;
    f->plain_bytes += p->plain_bytes;
    return column_append(&g->members, (int64_t)f->thread_total++);
}

/* What all threads of P took goes with the first one, S. */
static enum pilgrim_status hand_statistics(struct thread_pattern *p, const struct stream *s)
{
    TRY(pattern_statistics(p));
    for (uint32_t i = 0; (p->stream || p->statistics) && i < p->class_count; i++) {
        struct statistics *from = p->stream ? &p->stream->by_terminal[i]->statistics : &p->statistics[i];
        s->by_terminal[i]->statistics = *from;
        *from = (struct statistics){0};
    }
    return PILGRIM_OK;
}

static enum pilgrim_status add_made(struct replay *r, uint32_t pattern, uint32_t thread, struct fragment *f,
                                    uint32_t rank, const struct rank_bases *bases, struct placed *placed)
{
    struct thread_sources *s = &r->sources[pattern];
    struct thread_pattern *p = &r->ended->patterns[pattern];
    struct stream *made = NULL;
    if (!s->begun && p->stream && p->number == thread)
        return fragment_add_thread(f, p->stream, rank, bases, placed);
    fill_keys(r, pattern, thread);
    enum pilgrim_status status = pattern_calls_make(r->ended, &s->calls, &made);
    if (status == PILGRIM_OK && !s->begun)
        status = hand_statistics(p, made);
    if (status == PILGRIM_OK)
        status = fragment_add_thread(f, made, rank, bases, placed);
    stream_free(made);
    return status;
}

static enum pilgrim_status add_first(struct replay *r, uint32_t pattern, uint32_t thread, struct fragment *f,
                                     uint32_t rank, const struct rank_bases *bases)
{
    struct thread_sources *s = &r->sources[pattern];
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    struct placed placed = {.value_groups = malloc(p->class_count * sizeof *placed.value_groups + 1)};
    enum pilgrim_status status = placed.value_groups ? pattern_calls_read(r->ended, pattern, &s->calls) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = add_made(r, pattern, thread, f, rank, bases, &placed);
    s->begun = true;
    s->group = placed.group;
    s->one_by_one = placed.loops;
    if (status == PILGRIM_OK && p->members.length > 1 && !s->one_by_one)
        status = prepare(r, pattern, f, placed.value_groups);
    free(placed.value_groups);
    return status;
}

enum pilgrim_status replay_add(struct replay *r, uint32_t number, struct fragment *f, uint32_t rank,
                               const struct rank_bases *bases)
{
    const struct ended_threads *e = r->ended;
    struct placed placed = {0};
    uint32_t owner = r->owner[number] - 1;
    if (owner >= e->calls.count)
        return fragment_add_thread(f, e->unshared[owner - e->calls.count].stream, rank, bases, &placed);
    struct thread_sources *s = &r->sources[owner];
    enum pilgrim_status status;
    if (!s->begun)
        status = add_first(r, owner, number, f, rank, bases);
    else if (s->one_by_one)
        status = add_made(r, owner, number, f, rank, bases, &placed);
    else
        status = add_alike(r, owner, number, f, rank, bases);
    s->next++;
    return status;
}

bool replay_has(const struct replay *r, uint32_t number)
{
    return r->owner[number];
}

/* ---- begin and end ---- */

static enum pilgrim_status note_value(void *context, int64_t value)
{
    int64_t **next = context;
    *(*next)++ = value;
    return PILGRIM_OK;
}

/* All values of C; NULL: no memory. */
static int64_t *expand(const struct column *c)
{
    int64_t *values = malloc(c->length * sizeof *values + 1), *next = values;
    if (values && column_visit(c, note_value, &next) != PILGRIM_OK) {
        free(values);
        return NULL;
    }
    return values;
}

struct numbered {
    int64_t number;
    uint32_t index;
};

static int by_number(const void *a, const void *b)
{
    int64_t x = ((const struct numbered *)a)->number, y = ((const struct numbered *)b)->number;
    return (x > y) - (x < y);
}

/* The order in which S's members are to be added. */
static enum pilgrim_status sort_members(struct thread_sources *s, const int64_t *members, size_t count)
{
    struct numbered *all = malloc(count * sizeof *all + 1);
    s->order = malloc(count * sizeof *s->order + 1);
    for (size_t i = 0; all && s->order && i < count; i++)
        all[i] = (struct numbered){members[i], (uint32_t)i};
    if (all && s->order)
        qsort(all, count, sizeof *all, by_number);
    for (size_t i = 0; all && s->order && i < count; i++)
        s->order[i] = all[i].index;
    bool good = all && s->order;
    free(all);
    return good ? PILGRIM_OK : PILGRIM_NOMEM;
}

static enum pilgrim_status own_numbers(struct replay *r, uint32_t pattern, const int64_t *members)
{
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    for (uint64_t i = 0; i < p->members.length; i++) {
        if (members[i] < 0 || (uint64_t)members[i] >= r->count)
            return PILGRIM_DAMAGED;
        r->owner[members[i]] = pattern + 1;
    }
    return p->sorted ? PILGRIM_OK : sort_members(&r->sources[pattern], members, p->members.length);
}

static enum pilgrim_status open_pattern(struct replay *r, uint32_t pattern)
{
    struct thread_sources *s = &r->sources[pattern];
    const struct thread_pattern *p = &r->ended->patterns[pattern];
    int64_t *members = expand(&p->members);
    enum pilgrim_status status = members ? own_numbers(r, pattern, members) : PILGRIM_NOMEM;
    free(members);
    if (status != PILGRIM_OK)
        return status;
    s->values = calloc(p->column_count + 1u, sizeof *s->values);
    if (!s->values)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < p->column_count; i++) {
        int64_t constant, n;
        const struct column *c = &p->columns[i].values;
        if (column_is(c, EXPRESSION_CONSTANT, &constant, &n))
            continue;
        s->values[i] = expand(c);
        if (!s->values[i])
            return PILGRIM_NOMEM;
    }
    return PILGRIM_OK;
}

enum pilgrim_status replay_new(struct ended_threads *e, size_t count, struct replay **replay)
{
    struct replay *r = *replay = calloc(1, sizeof *r);
    if (!r)
        return PILGRIM_NOMEM;
    TRY(ended_settle(e));
    r->ended = e;
    r->count = count;
    r->owner = calloc(count + 1, sizeof *r->owner);
    r->sources = calloc(e->calls.count + (size_t)1, sizeof *r->sources);
    if (!r->owner || !r->sources)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < e->calls.count; i++)
        TRY(open_pattern(r, i));
    for (uint32_t i = 0; i < e->unshared_count; i++) {
        if (e->unshared[i].number >= count)
            return PILGRIM_DAMAGED;
        r->owner[e->unshared[i].number] = e->calls.count + i + 1;
    }
    return PILGRIM_OK;
}

static void sources_free(struct thread_sources *s, const struct thread_pattern *p)
{
    for (uint32_t i = 0; s->values && i < p->column_count; i++)
        free(s->values[i]);
    for (uint32_t i = 0; s->classes && i < p->class_count; i++)
        free(s->classes[i].columns);
    free(s->values);
    free(s->classes);
    free(s->slots);
    free(s->order);
    pattern_calls_free(&s->calls);
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; r->sources && i < r->ended->calls.count; i++)
        sources_free(&r->sources[i], &r->ended->patterns[i]);
    free(r->sources);
    free(r->owner);
    free(r);
}
