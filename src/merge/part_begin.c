/* The first member of a value group: slots with equal values share a column. A call at random may have a signature of a hundred slots of its
 * own, so a slot is looked up in some tens of instructions. */
#include <stdlib.h>

#include "base/try.h"
#include "merge/fragment_data.h"
#include "merge/fragment_ended.h"

/* What makes two slots' columns equal for good: the same value, and the same meaning of the rank. */
struct beginning {
    int64_t value;
    uint32_t kind;
    struct rank rank;
};

/* The columns so far by what they began with. Open addressing; a place has a column's number + 1, 0: it is free. */
struct index {
    struct beginning *columns;
    uint32_t capacity;
    uint32_t *places;
    uint32_t place_count; /* a power of two */
};

enum { FIRST_CAPACITY = 8 };

struct rank fragment_slot_rank(const struct views *views, const struct slot *slot, uint32_t rank)
{
    if (slot->kind == SLOT_NUMBER)
        return (struct rank){.meaning = RANK_WORLD, .x = rank};
    if (slot->kind == SLOT_LIST || slot->view < 0 || (size_t)slot->view >= views->count)
        return (struct rank){.meaning = RANK_NOTHING};
    return views->items[slot->view];
}

static bool same(const struct beginning *a, const struct beginning *b)
{
    return a->value == b->value && a->kind == b->kind && a->rank.meaning == b->rank.meaning && a->rank.x == b->rank.x &&
           a->rank.n == b->rank.n;
}

static uint32_t *find(const struct index *x, const struct beginning *b)
{
    uint64_t hash = ((uint64_t)b->value ^ (uint64_t)b->rank.x << 40 ^ (uint64_t)b->rank.n << 20 ^ b->kind) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
        uint32_t *place = &x->places[at & (x->place_count - 1)];
        if (!*place || same(&x->columns[*place - 1], b))
            return place;
    }
}

/* Room for one more than COUNT columns. */
static enum pilgrim_status grow(struct index *x, struct part *p)
{
    uint32_t capacity = x->capacity ? 2 * x->capacity : FIRST_CAPACITY, count = p->column_count;
    struct beginning *columns = realloc(x->columns, capacity * sizeof *columns);
    if (!columns)
        return PILGRIM_NOMEM;
    x->columns = columns;
    struct column *more = realloc(p->columns, capacity * sizeof *more);
    if (!more)
        return PILGRIM_NOMEM;
    p->columns = more;
    free(x->places);
    x->place_count = 2 * capacity;
    x->places = calloc(x->place_count, sizeof *x->places);
    if (!x->places)
        return PILGRIM_NOMEM;
    x->capacity = capacity;
    for (uint32_t i = 0; i < count; i++)
        *find(x, &x->columns[i]) = i + 1;
    return PILGRIM_OK;
}

static enum pilgrim_status add_slot(struct index *x, struct part *p, const struct beginning *b, uint32_t *column)
{
    if (p->column_count == x->capacity)
        TRY(grow(x, p));
    uint32_t *place = find(x, b);
    if (!*place) {
        struct column *c = &p->columns[p->column_count];
        x->columns[p->column_count] = *b;
        column_begin(c, b->value, b->rank);
        c->is_list = b->kind == SLOT_LIST;
        *place = ++p->column_count;
    }
    *column = *place - 1;
    return PILGRIM_OK;
}

enum pilgrim_status part_begin(struct part *p, const struct views *views, uint32_t rank, uint64_t place, const struct slots *slots)
{
    struct index x = {0};
    p->slot_count = (uint32_t)slots->count;
    p->slots = malloc(slots->count * sizeof *p->slots + 1);
    enum pilgrim_status status = p->slots ? grow(&x, p) : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < p->slot_count; i++) {
        const struct slot *slot = &slots->items[i];
        const struct beginning b = {slot->value, slot->kind, fragment_slot_rank(views, slot, rank)};
        status = add_slot(&x, p, &b, &p->slots[i]);
    }
    free(x.columns);
    free(x.places);
    if (status != PILGRIM_OK)
        return status;
    struct column *fewer = realloc(p->columns, (p->column_count + (size_t)1) * sizeof *fewer);
    if (fewer)
        p->columns = fewer;
    return column_append(&p->members, (int64_t)place);
}
