/* SPDX-License-Identifier: BSD-3-Clause */
/* The first member of a value group: slots with equal values share a column. A call at random may have a signature of a
 * hundred slots of its own, so a slot is looked up in some tens of instructions. */
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/try.h"
#include "merge/fragment_data.h"
#include "merge/fragment_ended.h"

/* What makes two slots' columns equal for good: the same value, and the same meaning of the rank. */
struct beginning {
    int64_t value;
    uint32_t kind;
    struct rank rank;
};

/* The columns so far by what they began with. */
struct beginnings {
    struct beginning *columns;
    uint32_t capacity;
    struct hash_index index; /* numbers of columns + 1 */
};

enum { FIRST_CAPACITY = 8 };

struct rank fragment_slot_rank(const struct rank_bases *bases, const struct slot *slot, uint32_t rank)
{
    if (slot->kind == SLOT_NUMBER)
        return (struct rank){.meaning = RANK_WORLD, .x = rank};
    if (slot->kind == SLOT_DELTAS || slot->base < 0 || (size_t)slot->base >= bases->count)
        return (struct rank){.meaning = RANK_NOTHING};
    return bases->items[slot->base];
}

static bool same(const struct beginning *a, const struct beginning *b)
{
    return a->value == b->value && a->kind == b->kind && a->rank.meaning == b->rank.meaning && a->rank.x == b->rank.x &&
           a->rank.n == b->rank.n;
}

/* Room for one more column. */
static enum pilgrim_status reserve(struct beginnings *x, struct value_group *p)
{
    if (!hash_index_reserve(&x->index))
        return PILGRIM_NOMEM;
    if (p->column_count < x->capacity)
        return PILGRIM_OK;
    uint32_t capacity = x->capacity ? 2 * x->capacity : FIRST_CAPACITY;
    struct beginning *columns = realloc(x->columns, capacity * sizeof *columns);
    if (!columns)
        return PILGRIM_NOMEM;
    x->columns = columns;
    struct column *more = realloc(p->columns, capacity * sizeof *more);
    if (!more)
        return PILGRIM_NOMEM;
    p->columns = more;
    x->capacity = capacity;
    return PILGRIM_OK;
}

static enum pilgrim_status add_slot(struct beginnings *x, struct value_group *p, const struct beginning *b,
                                    uint32_t *column)
{
    uint32_t hash = hash_word((uint64_t)b->value ^ (uint64_t)b->rank.x << 40 ^ (uint64_t)b->rank.n << 20 ^ b->kind);
    TRY(reserve(x, p));
    struct hash_slot *found = hash_index_first(&x->index, hash);
    while (found->number && !same(&x->columns[found->number - 1], b))
        found = hash_index_next(&x->index, found);
    if (!found->number) {
        struct column *c = &p->columns[p->column_count];
        x->columns[p->column_count] = *b;
        column_begin(c, b->value, b->rank);
        c->is_stored_deltas = b->kind == SLOT_DELTAS;
        hash_index_put(&x->index, found, hash, ++p->column_count);
    }
    *column = found->number - 1;
    return PILGRIM_OK;
}

enum pilgrim_status value_group_begin(struct value_group *p, const struct rank_bases *bases, uint32_t rank,
                                      uint64_t member, const struct slots *slots)
{
    struct beginnings x = {0};
    p->slot_count = (uint32_t)slots->count;
    p->slots = malloc(slots->count * sizeof *p->slots + 1);
    enum pilgrim_status status = p->slots ? reserve(&x, p) : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < p->slot_count; i++) {
        const struct slot *slot = &slots->items[i];
        const struct beginning b = {slot->value, slot->kind, fragment_slot_rank(bases, slot, rank)};
        status = add_slot(&x, p, &b, &p->slots[i]);
    }
    free(x.columns);
    hash_index_free(&x.index);
    if (status != PILGRIM_OK)
        return status;
    struct column *fewer = realloc(p->columns, (p->column_count + (size_t)1) * sizeof *fewer);
    if (fewer)
        p->columns = fewer;
    return column_append(&p->members, (int64_t)member);
}
