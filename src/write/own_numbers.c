/* SPDX-License-Identifier: BSD-3-Clause */
/* Own numbers of classes; see own_numbers.h. In a group without loops, of the first threads of their ranks, all members
 * have the same ones. */
#include "write/own_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/value.h"

/* ---- threads ---- */

struct threads_walk {
    uint32_t *numbers;
    uint64_t total, next;
};

/* END: the first thread of the next rank. */
static enum pilgrim_status note_rank(void *context, int64_t end)
{
    struct threads_walk *w = context;
    const uint64_t first = w->next;
    if (end < 0 || (uint64_t)end > w->total)
        return PILGRIM_DAMAGED;
    for (; w->next < (uint64_t)end; w->next++)
        w->numbers[w->next] = (uint32_t)(w->next - first);
    return PILGRIM_OK;
}

enum pilgrim_status thread_numbers_find(const struct fragment *f, uint64_t *work, struct thread_numbers *t)
{
    const struct column starts = {.length = f->rank_count + UINT64_C(1), .differences = f->thread_counts};
    struct nested_run item;
    size_t at = 0;
    bool one_each = true;
    *t = (struct thread_numbers){.numbers = NULL};
    while (one_each && nested_runs_next(&f->thread_counts, &at, &item))
        one_each = (item.exponent & (NESTED_RUN_BEGIN | NESTED_RUN_END)) || item.value == 1;
    if (one_each)
        return PILGRIM_OK;
    if (f->thread_total > *work)
        return PILGRIM_LIMIT;
    *work -= f->thread_total;
    t->numbers = calloc(f->thread_total + 1, sizeof *t->numbers);
    struct threads_walk w = {t->numbers, f->thread_total, 0};
    return t->numbers ? column_visit(&starts, note_rank, &w) : PILGRIM_NOMEM;
}

/* ---- counting ---- */

struct member_walk {
    struct own_numbers *n;
    const uint32_t *threads; /* NULL: all are the first ones */
    uint64_t thread_count;
    uint64_t next;
    uint32_t *counts; /* by member */
};

static enum pilgrim_status begin_member(void *context, int64_t thread)
{
    struct member_walk *w = context;
    if (w->next == w->n->width || thread < 0 || (uint64_t)thread >= w->thread_count)
        return PILGRIM_DAMAGED;
    w->n->bases[w->next++] = w->threads ? (int64_t)((uint64_t)w->threads[thread] << VALUE_THREAD_SHIFT) : 0;
    return PILGRIM_OK;
}

static enum pilgrim_status count_member(void *context, int64_t member)
{
    struct member_walk *w = context;
    if (member < 0 || (uint64_t)member >= w->n->width)
        return PILGRIM_DAMAGED;
    w->counts[member]++;
    return PILGRIM_OK;
}

static bool has_calls(const struct fragment *f, const struct value_group *p)
{
    static const uint8_t nothing[] = {1, 0}; /* a grammar of one rule, without symbols */
    size_t length;
    const uint8_t *data = intern_get(&f->sequences, p->sequence, &length);
    return length != sizeof nothing || memcmp(data, nothing, length) != 0;
}

/* Counts each member that has calls of a class with the value groups LIST. */
static enum pilgrim_status count_class(const struct fragment *f, struct member_walk *w,
                                       const struct value_group_list *list)
{
    if (w->n->width == 1) {
        w->counts[0] += list->count > 0 && has_calls(f, &f->value_groups[list->value_groups[0]]);
        return PILGRIM_OK;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct value_group *p = &f->value_groups[list->value_groups[i]];
        if (has_calls(f, p))
            TRY(column_visit(&p->members, count_member, w));
    }
    return PILGRIM_OK;
}

enum pilgrim_status own_numbers_count(const struct fragment *f, const struct structure_group *g,
                                      const struct thread_numbers *t, uint64_t *work, struct own_numbers *n)
{
    const bool one = g->member_count == 1 || (!g->classes.loop_count && (!t->numbers || g->process));
    const uint64_t width = one ? 1 : g->member_count, count = g->classes.count;
    struct member_walk w = {.n = n,
                            .threads = g->process ? NULL : t->numbers,
                            .thread_count = g->process ? f->rank_count : f->thread_total};
    *n = (struct own_numbers){.count = g->classes.count};
    if (width > *work / (count + 1))
        return PILGRIM_OK;
    *work -= width * (count + 1);
    n->width = width;
    n->bases = calloc(width + 1, sizeof *n->bases);
    n->numbers = malloc(width * (count + 1) * sizeof *n->numbers);
    w.counts = calloc(width + 1, sizeof *w.counts);
    enum pilgrim_status status = n->bases && n->numbers && w.counts ? PILGRIM_OK : PILGRIM_NOMEM;
    if (status == PILGRIM_OK && (g->member_count == 1 || width > 1))
        status = column_visit(&g->members, begin_member, &w);
    for (uint32_t i = 0; status == PILGRIM_OK && i < count; i++) {
        memcpy(n->numbers + i * width, w.counts, width * sizeof *n->numbers);
        if (!class_body(&g->classes, i))
            status = count_class(f, &w, &g->value_groups[i]);
    }
    free(w.counts);
    return status;
}

void own_numbers_free(struct own_numbers *n)
{
    free(n->bases);
    free(n->numbers);
    *n = (struct own_numbers){.width = 0};
}

/* ---- columns ---- */

struct number_comparison {
    const struct own_numbers *n;
    uint64_t *members; /* of the value group */
    uint64_t count, next;
    uint64_t limit; /* of MEMBERS */
    uint32_t class_index;
    bool equal;
};

static enum pilgrim_status note_member(void *context, int64_t member)
{
    struct number_comparison *c = context;
    if (c->next == c->count || member < 0 || (uint64_t)member >= c->limit)
        return PILGRIM_DAMAGED;
    c->members[c->next++] = (uint64_t)member;
    return PILGRIM_OK;
}

static enum pilgrim_status compare_member(void *context, int64_t value)
{
    struct number_comparison *c = context;
    c->equal = c->equal && c->next < c->count && own_number(c->n, c->class_index, c->members[c->next]) == value;
    c->next++;
    return PILGRIM_OK;
}

enum pilgrim_status own_numbers_equal(const struct own_numbers *n, const struct structure_group *g,
                                      const struct value_group *p, const struct column *c, uint32_t class_index,
                                      bool *equal)
{
    int64_t constant, ignored;
    *equal = false;
    if (c->is_stored_deltas || !n->width || c->length != p->members.length)
        return PILGRIM_OK;
    if (n->width == 1) {
        *equal = column_is(c, EXPRESSION_CONSTANT, &constant, &ignored) && constant == own_number(n, class_index, 0);
        return PILGRIM_OK;
    }
    struct number_comparison y = {
        .n = n, .count = p->members.length, .limit = g->member_count, .class_index = class_index, .equal = true};
    y.members = malloc((y.count + 1) * sizeof *y.members);
    enum pilgrim_status status = y.members ? column_visit(&p->members, note_member, &y) : PILGRIM_NOMEM;
    y.next = 0;
    if (status == PILGRIM_OK)
        status = column_visit(c, compare_member, &y);
    free(y.members);
    *equal = status == PILGRIM_OK && y.equal;
    return status;
}

/* Returns the last class with NUMBER for MEMBER, the one that the member calls; if there is none, any other. */
static uint32_t last_class(const struct own_numbers *n, uint64_t member, int64_t number)
{
    uint32_t low = 0, high = n->count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (own_number(n, middle, member) <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* True if last_class would return CLASS_INDEX. */
static bool has_number(const struct own_numbers *n, uint32_t class_index, uint64_t member, int64_t number)
{
    return own_number(n, class_index, member) == number &&
           (class_index + 1 == n->count || own_number(n, class_index + 1, member) != number);
}

enum pilgrim_status own_numbers_find(const struct own_numbers *n, const struct structure_group *g,
                                     const struct value_group *p, const struct column *c, uint32_t *class_index)
{
    const int64_t first = p->members.first;
    bool equal = false;
    *class_index = UINT32_MAX;
    if (!n->width || !n->count || first < 0 || (uint64_t)first >= g->member_count)
        return PILGRIM_OK;
    const uint32_t found = last_class(n, (uint64_t)first, c->first);
    TRY(own_numbers_equal(n, g, p, c, found, &equal));
    if (equal)
        *class_index = found;
    return PILGRIM_OK;
}

struct distance_walk {
    struct number_comparison at;
    uint32_t class_index; /* of the call */
    struct column *distances;
};

static enum pilgrim_status add_distance(void *context, int64_t number)
{
    struct distance_walk *w = context;
    struct number_comparison *c = &w->at;
    if (c->next == c->count)
        return PILGRIM_DAMAGED;
    const uint64_t member = c->members[c->next];
    if (!has_number(c->n, c->class_index, member, number)) /* most often it is the class of the member before */
        c->class_index = last_class(c->n, member, number);
    c->equal = c->equal && own_number(c->n, c->class_index, member) == number;
    const int64_t distance = (int64_t)w->class_index - (int64_t)c->class_index;
    if (c->next++ > 0)
        return column_append(w->distances, distance);
    column_begin(w->distances, distance, (struct rank){.meaning = RANK_NOTHING});
    return PILGRIM_OK;
}

enum pilgrim_status own_numbers_distances(const struct own_numbers *n, const struct structure_group *g,
                                          const struct value_group *p, const struct column *c, uint32_t class_index,
                                          struct column *distances)
{
    if (c->is_stored_deltas || n->width <= 1 || !n->count || c->length != p->members.length)
        return PILGRIM_OK;
    struct distance_walk w = {
        {.n = n, .count = p->members.length, .limit = g->member_count, .equal = true}, class_index, distances};
    w.at.members = malloc((w.at.count + 1) * sizeof *w.at.members);
    enum pilgrim_status status = w.at.members ? column_visit(&p->members, note_member, &w.at) : PILGRIM_NOMEM;
    w.at.next = 0;
    if (status == PILGRIM_OK)
        status = column_visit(c, add_distance, &w);
    free(w.at.members);
    if (status == PILGRIM_OK && w.at.equal)
        return PILGRIM_OK;
    column_free(distances);
    *distances = (struct column){.length = 0};
    return status;
}
