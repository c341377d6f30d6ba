/* SPDX-License-Identifier: BSD-3-Clause */
/* The index of sets; see member_index.h.
 *
 * There may be one set for each number, or few sets for billions of numbers. So the members of small sets stand in one
 * sorted table. Large sets are searched one after another; the first and last member excludes most of them. */
#include "read/table/member_index.h"

#include <stdlib.h>

#include "read/table/columns.h"

#define FEW_MAX 16 /* of a small set */

static bool is_small(const struct member_set *set)
{
    return set->size <= FEW_MAX;
}

/* ---- parsing ---- */

static int compare_members(const void *a, const void *b)
{
    const struct indexed_member *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

void member_index_add(struct member_index *index, const struct stored_column *column, uint32_t number)
{
    index->sets[index->count++] = (struct member_set){column, number, column_size(column)};
}

static void check_sets(struct parser *p, const struct member_index *c, uint64_t total, const char *what)
{
    uint64_t left = total;
    for (size_t i = 0; i < c->count && parser_good(p); i++) {
        const struct stored_column *column = c->sets[i].column;
        const uint64_t size = c->sets[i].size;
        if (!column->increases || size == 0 || size > left || column_value(p->shard, column, 0, 0) < 0 ||
            (uint64_t)column_last(p->shard, column) >= total)
            parser_fail(p, what);
        left -= size;
    }
    if (parser_good(p) && left > 0)
        parser_fail(p, what);
}

/* True if the first COUNT values of COLUMN may be looked up one by one. */
static bool may_look_up(struct parser *p, const struct stored_column *column, uint64_t count)
{
    return column->kind != EXPRESSION_SUMS ||
           parser_work(p, count * rules_sequence_total(&p->shard->rules, column->sequence).depth);
}

static void spread_small(struct parser *p, struct member_index *c, const struct member_set *set)
{
    const struct stored_column *column = set->column;
    if (!may_look_up(p, column, set->size))
        return;
    for (uint64_t i = 0; i < set->size; i++)
        c->few[c->few_count++] = (struct indexed_member){(uint64_t)column_value(p->shard, column, i, 0), i, set};
}

void member_index_parse(struct parser *p, struct member_index *c, uint64_t total, const char *what)
{
    size_t few = 0, many = 0;
    c->total = total;
    if (parser_good(p))
        check_sets(p, c, total, what);
    if (!parser_good(p))
        return;
    for (size_t i = 0; i < c->count; i++) {
        few += is_small(&c->sets[i]) ? (size_t)c->sets[i].size : 0;
        many += !is_small(&c->sets[i]);
    }
    c->few = parser_take(p, few, sizeof *c->few);
    c->many = parser_take(p, many, sizeof *c->many);
    for (size_t i = 0; i < c->count && parser_good(p); i++) {
        if (is_small(&c->sets[i]))
            spread_small(p, c, &c->sets[i]);
        else
            c->many[c->many_count++] = c->sets[i];
    }
    if (c->few_count > 0)
        qsort(c->few, c->few_count, sizeof *c->few, compare_members);
    for (size_t i = 1; i < c->few_count; i++)
        if (c->few[i].value == c->few[i - 1].value)
            parser_fail(p, what);
}

void member_index_parse_labels(struct parser *p, struct member_index *c, const struct stored_column *labels,
                               size_t count, const char *what)
{
    const bool is_list = labels->kind == EXPRESSION_SUMS || labels->kind == EXPRESSION_LIST;
    if (!is_list || labels->length > LABELS_MAX || !may_look_up(p, labels, labels->length))
        parser_fail(p, what);
    c->few = parser_good(p) ? parser_take(p, (size_t)labels->length, sizeof *c->few) : NULL;
    for (uint64_t i = 0; parser_good(p) && i < labels->length; i++) {
        const uint64_t label = (uint64_t)column_value(p->shard, labels, i, 0);
        if (label >= count) {
            parser_fail(p, what);
            return;
        }
        struct member_set *set = &c->sets[label];
        c->few[c->few_count++] = (struct indexed_member){i, set->size++, set};
    }
    c->total = labels->length;
    c->count = count;
    for (size_t i = 0; parser_good(p) && i < count; i++) {
        c->sets[i].number = (uint32_t)i;
        if (!c->sets[i].size)
            parser_fail(p, what);
    }
}

/* ---- looking up ---- */

static const struct indexed_member *find_member(const struct member_index *c, uint64_t value)
{
    size_t low = 0, high = c->few_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->few[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->few_count && c->few[low].value == value ? &c->few[low] : NULL;
}

const struct member_set *member_index_find(const struct shard *v, const struct member_index *c, uint64_t value,
                                           uint64_t *index)
{
    const struct indexed_member *member = find_member(c, value);
    if (member) {
        *index = member->index;
        return member->set;
    }
    for (size_t i = 0; i < c->many_count; i++)
        if (column_find(v, c->many[i].column, (int64_t)value, index))
            return &c->many[i];
    return NULL;
}
