/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins two value groups. Two slots share a column of the result if they share one in both; a column whose slots differ
 * on the other side is split. */
#include "merge/value_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/try.h"

/* The pairs of a left and a right column that some slot has. Each pair is a column of the result. */
struct pairs {
    uint32_t *of_slot; /* by slot: its pair */
    uint32_t *left, *right;
    uint32_t count;
    uint32_t *uses; /* by left column: how many pairs have it */
};

static void pairs_free(struct pairs *p)
{
    free(p->of_slot);
    free(p->left);
    free(p->right);
    free(p->uses);
}

/* Numbers the pairs in the order of the slots. */
static enum pilgrim_status number_pairs(const struct value_group *a, const struct value_group *b, struct pairs *p,
                                        struct hash_index *index)
{
    for (uint32_t i = 0; i < a->slot_count; i++) {
        uint32_t left = a->slots[i], right = b->slots[i], hash = hash_word((uint64_t)left << 32 | right);
        if (!hash_index_reserve(index))
            return PILGRIM_NOMEM;
        struct hash_slot *found = hash_index_first(index, hash);
        while (found->number && (p->left[found->number - 1] != left || p->right[found->number - 1] != right))
            found = hash_index_next(index, found);
        if (!found->number) {
            p->left[p->count] = left;
            p->right[p->count++] = right;
            p->uses[left]++;
            hash_index_put(index, found, hash, p->count);
        }
        p->of_slot[i] = found->number - 1;
    }
    return PILGRIM_OK;
}

static enum pilgrim_status find_pairs(const struct value_group *a, const struct value_group *b, struct pairs *p)
{
    struct hash_index index = {0};
    size_t bytes = a->slot_count * sizeof *p->of_slot + 1;
    p->of_slot = malloc(bytes);
    p->left = malloc(bytes);
    p->right = malloc(bytes);
    p->uses = calloc(a->column_count + 1, sizeof *p->uses);
    bool good = p->of_slot && p->left && p->right && p->uses;
    enum pilgrim_status status = good ? number_pairs(a, b, p, &index) : PILGRIM_NOMEM;
    hash_index_free(&index);
    return status;
}

/* Makes the columns of the result. The first pair of a left column takes the column over; the other pairs have copied
 * it before that. FROM is NULL if columns are only split. */
static enum pilgrim_status join_pairs(struct value_group *to, const struct value_group *from, struct pairs *p)
{
    struct column *columns = calloc((size_t)p->count + 1, sizeof *columns);
    if (!columns)
        return PILGRIM_NOMEM;
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = p->count; i-- > 0;) {
        struct column *left = &to->columns[p->left[i]];
        if (--p->uses[p->left[i]] == 0) {
            columns[i] = *left;
            *left = (struct column){0};
        } else if (status == PILGRIM_OK) {
            status = column_copy(&columns[i], left);
        }
        if (status == PILGRIM_OK && from)
            status = column_join(&columns[i], &from->columns[p->right[i]], 0);
    }
    free(to->columns);
    free(to->slots);
    to->columns = columns;
    to->column_count = p->count;
    to->slots = p->of_slot;
    p->of_slot = NULL;
    return status;
}

static bool same_slots(const struct value_group *a, const struct value_group *b)
{
    return a->column_count == b->column_count && !memcmp(a->slots, b->slots, a->slot_count * sizeof *a->slots);
}

static enum pilgrim_status join_columns(struct value_group *to, const struct value_group *from)
{
    if (!same_slots(to, from)) {
        struct pairs p = {0};
        enum pilgrim_status status = find_pairs(to, from, &p);
        if (status == PILGRIM_OK)
            status = join_pairs(to, from, &p);
        pairs_free(&p);
        return status;
    }
    for (uint32_t i = 0; i < to->column_count; i++)
        TRY(column_join(&to->columns[i], &from->columns[i], 0));
    return PILGRIM_OK;
}

enum pilgrim_status value_group_split(struct value_group *p, uint32_t *labels)
{
    const struct value_group by = {.slots = labels};
    struct pairs pairs = {0};
    enum pilgrim_status status = find_pairs(p, &by, &pairs);
    if (status == PILGRIM_OK && pairs.count != p->column_count)
        status = join_pairs(p, NULL, &pairs);
    pairs_free(&pairs);
    return status;
}

static enum pilgrim_status copy_columns(struct value_group *to, const struct value_group *from)
{
    to->slot_count = from->slot_count;
    to->slots = copy_of(from->slots, from->slot_count * sizeof *from->slots);
    to->columns = calloc((size_t)from->column_count + 1, sizeof *to->columns);
    if (!to->slots || !to->columns)
        return PILGRIM_NOMEM;
    for (; to->column_count < from->column_count; to->column_count++)
        TRY(column_copy(&to->columns[to->column_count], &from->columns[to->column_count]));
    return PILGRIM_OK;
}

static enum pilgrim_status unpack(const struct bytes *packed, struct statistics *s)
{
    struct cursor in;
    *s = (struct statistics){0};
    if (!packed->length)
        return PILGRIM_OK;
    cursor_init(&in, packed->data, packed->length);
    TRY(statistics_unpack(&in, s));
    return cursor_left(&in) ? PILGRIM_DAMAGED : PILGRIM_OK;
}

enum pilgrim_status value_group_add_statistics(struct value_group *p, const struct statistics *s)
{
    struct statistics all;
    enum pilgrim_status status = unpack(&p->statistics, &all);
    if (status == PILGRIM_OK)
        status = statistics_merge(&all, s, NULL, 0);
    if (status == PILGRIM_OK) {
        p->statistics.length = 0;
        statistics_pack(&all, &p->statistics);
        status = bytes_status(&p->statistics);
    }
    statistics_free(&all);
    return status;
}

static enum pilgrim_status join_statistics(struct value_group *to, const struct value_group *from)
{
    struct statistics s;
    if (!from->statistics.length)
        return PILGRIM_OK;
    if (!to->statistics.length) {
        bytes_put(&to->statistics, from->statistics.data, from->statistics.length);
        return bytes_status(&to->statistics);
    }
    enum pilgrim_status status = unpack(&from->statistics, &s);
    if (status == PILGRIM_OK)
        status = value_group_add_statistics(to, &s);
    statistics_free(&s);
    return status;
}

enum pilgrim_status value_group_join(struct value_group *to, const struct value_group *from, uint64_t member_offset)
{
    if (!to->slots)
        TRY(copy_columns(to, from));
    else if (to->slot_count != from->slot_count)
        return PILGRIM_DAMAGED;
    else
        TRY(join_columns(to, from));
    TRY(join_statistics(to, from));
    return column_join(&to->members, &from->members, (int64_t)member_offset);
}
