/* SPDX-License-Identifier: BSD-3-Clause */
/* Array series: arrays of alike values, stored slot by slot as differences along the array (docs/FORMAT.md, section 5).
 */
#include "read/value/array_series.h"

#include <stdlib.h>

#include "base/value.h"

/* A slot of a series: its number in the last value that had it, and the differences to come. */
struct series_slot {
    uint64_t value;
    bool is_sequence; /* false: the number does not change */
    struct rules_cursor differences;
};

/* One of the shapes of the values of a series. */
struct series_shape {
    size_t tokens; /* where its tokens begin */
    size_t slot;   /* its first slot */
    bool met;
};

/* Returns the next difference. */
static uint64_t difference_next(struct evaluation *e, struct rules_cursor *differences)
{
    uint64_t code = 0;
    if (!rules_cursor_next(differences, &code))
        evaluation_fail(e, PILGRIM_DAMAGED, series_wrong_length);
    return (uint64_t)unzigzag(code);
}

int64_t series_slot(struct evaluation *e)
{
    struct series_slot *slot = &e->slots[e->slot++];
    if (slot->is_sequence && !e->first)
        slot->value += difference_next(e, &slot->differences);
    return (int64_t)slot->value;
}

/* The state of a series. */
struct array_series {
    size_t shape_count;
    struct series_shape *shapes;
    struct rules_cursor indices; /* differences from one shape number to the next */
    struct series_slot *slots;
    size_t slot_count, slot_capacity;
};

static void open_cursor(struct evaluation *e, struct rules_cursor *cursor, uint64_t sequence)
{
    const struct rules *rules = &e->shard->rules;
    if (evaluation_charge(e, rules_cursor_bytes(rules, sequence)) &&
        rules_cursor_init(cursor, rules, sequence) != PILGRIM_OK)
        evaluation_fail(e, PILGRIM_NOMEM, "not enough memory");
}

static void open_slot(struct evaluation *e, struct array_series *s)
{
    if (s->slot_count == s->slot_capacity) {
        size_t capacity = 2 * s->slot_capacity + 4;
        struct series_slot *slots = realloc(s->slots, capacity * sizeof *slots);
        if (!slots) {
            evaluation_fail(e, PILGRIM_NOMEM, "not enough memory");
            return;
        }
        s->slots = slots;
        s->slot_capacity = capacity;
    }
    struct series_slot *slot = &s->slots[s->slot_count++];
    *slot = (struct series_slot){.value = (uint64_t)evaluation_column(e, e->caller->rank)};
    uint64_t sequence = evaluation_differences(e);
    slot->is_sequence = sequence != 0;
    open_cursor(e, &slot->differences, sequence);
}

/* Passes the tokens of a value and opens its slots. */
static void open_value(struct evaluation *e, struct array_series *s)
{
    for (uint64_t left = 1; left > 0 && e->status == PILGRIM_OK; left--) {
        uint8_t tag = cursor_u8(&e->tokens);
        for (unsigned i = 0; i < value_slots(tag) && e->status == PILGRIM_OK; i++)
            open_slot(e, s);
        if (tag == VALUE_NAME || tag == VALUE_OBJECT)
            cursor_varint(&e->tokens);
        else if (tag == VALUE_STRING || tag == VALUE_SYMBOL)
            cursor_take(&e->tokens, (size_t)cursor_varint(&e->tokens));
        else if (tag == VALUE_ARRAY || tag == VALUE_FLAGS)
            left += cursor_varint(&e->tokens);
        else if (tag == VALUE_STATUS)
            left += cursor_u8(&e->tokens) & STATUS_ERROR ? 5 : 4;
        else if (tag == VALUE_RANK_BASE)
            left++;
    }
}

static void open_array_series(struct evaluation *e, struct array_series *s)
{
    s->shapes = evaluation_take(e, s->shape_count * sizeof *s->shapes);
    if (s->shapes && s->shape_count > 1)
        open_cursor(e, &s->indices, evaluation_differences(e));
    for (size_t i = 0; i < s->shape_count && e->status == PILGRIM_OK; i++) {
        s->shapes[i] = (struct series_shape){.tokens = e->tokens.position, .slot = s->slot_count};
        open_value(e, s);
    }
}

/* Frees the state, and checks that all sequences are used up. */
static void close_array_series(struct evaluation *e, struct array_series *s)
{
    uint64_t more = rules_cursor_skip(&s->indices, 1);
    for (size_t i = 0; i < s->slot_count; i++) {
        more += rules_cursor_skip(&s->slots[i].differences, 1);
        rules_cursor_free(&s->slots[i].differences);
    }
    rules_cursor_free(&s->indices);
    free(s->slots);
    if (more > 0)
        evaluation_fail(e, PILGRIM_DAMAGED, series_wrong_length);
}

/* Evaluates the values of a series one after another; each slot moves along its sequence. */
void evaluate_series(struct evaluation *e, struct pilgrim_value *v)
{
    size_t count = (size_t)cursor_varint(&e->tokens);
    struct array_series s = {.shape_count = (size_t)cursor_varint(&e->tokens)};
    struct pilgrim_value *items = evaluation_take(e, count * sizeof *items);
    uint64_t number = 0;
    if (items)
        open_array_series(e, &s);
    size_t end = e->tokens.position;
    v->items = items;
    v->count = items ? count : 0;
    e->slots = s.slots;
    e->in_series = true;
    for (size_t i = 0; i < v->count && e->status == PILGRIM_OK; i++) {
        if (i > 0 && s.shape_count > 1)
            number += difference_next(e, &s.indices);
        if (number >= s.shape_count) {
            evaluation_fail(e, PILGRIM_DAMAGED, "a value of a series with a shape that does not exist");
            break;
        }
        struct series_shape *shape = &s.shapes[number];
        e->tokens.position = shape->tokens;
        e->slot = shape->slot;
        e->first = !shape->met;
        shape->met = true;
        evaluate(e, &items[i]);
    }
    e->in_series = false;
    e->tokens.position = end;
    close_array_series(e, &s);
}
