/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of keys; see shape.h, and base/value.h for the tokens of a key.
 *
 * The file has more than 400 lines: splitting a key and walking a shape know the same tokens, and must agree. */
#include "merge/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/value_run.h"
#include "base/try.h"
#include "base/value.h"
#include "format/trace_format.h"

enum { SERIES_SHAPES_MAX = 16 }; /* distinct shapes of an array's values; with more it is no array series */

/* A key while it is split. */
struct splitter {
    struct cursor key;
    struct shape_names *names;
    struct intern *stored_deltas;
    struct bytes *shape;
    struct slots *slots;
    int32_t base;
    bool no_series; /* arrays are written out: in an array series, and where the shape may have none */
};

static enum pilgrim_status split_value(struct splitter *s, unsigned depth);

/* A position in the values of an array, some of which are stored as a run (base/value_run.h). All zero: before the
 * first. */
struct shape_items {
    uint32_t run, done;      /* values in the current run; values of it that were read */
    size_t first, second;    /* offsets of the first two values in the key */
    struct cursor after_run; /* position after the run */
    struct run_steps steps;
    uint8_t value[RUN_VALUE_BYTES];
};

/* Prepares to read the next value of at most LEFT ones: S->key moves to it, or to the bytes that the run gives for it.
 */
static enum pilgrim_status item_begin(struct splitter *s, struct shape_items *i, uint32_t left)
{
    if (i->done < i->run) {
        if (i->done == 1)
            i->second = s->key.position;
        if (i->done > 1) {
            run_advance(i->value, &i->steps);
            cursor_init(&s->key, i->value, i->after_run.position - i->second);
        }
        return PILGRIM_OK;
    }
    i->run = i->done = 0;
    if (!cursor_left(&s->key) || s->key.data[s->key.position] != VALUE_SERIES)
        return PILGRIM_OK;
    (void)cursor_u8(&s->key);
    i->run = cursor_u32(&s->key);
    i->first = s->key.position;
    return s->key.status == PILGRIM_OK && i->run >= 2 && i->run <= left ? PILGRIM_OK : PILGRIM_DAMAGED;
}

/* Ends the reading of a value. */
static enum pilgrim_status item_end(struct splitter *s, struct shape_items *i)
{
    if (i->done >= i->run)
        return PILGRIM_OK;
    i->done++;
    if (i->done == 2) {
        size_t length = s->key.position - i->second;
        const uint8_t *second = s->key.data + i->second;
        if (i->second - i->first != length || !run_steps_between(s->key.data + i->first, second, length, &i->steps))
            return PILGRIM_DAMAGED;
        memcpy(i->value, second, length);
        i->after_run = s->key;
    }
    if (i->done == i->run)
        s->key = i->after_run;
    return PILGRIM_OK;
}

/* Splits the COUNT values of an array. */
static enum pilgrim_status split_items(struct splitter *s, uint32_t count, unsigned depth)
{
    struct shape_items items = {.run = 0};
    for (uint32_t i = 0; i < count; i++) {
        TRY(item_begin(s, &items, count - i));
        TRY(split_value(s, depth + 1));
        TRY(item_end(s, &items));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status split_values(struct splitter *s, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count; i++)
        TRY(split_value(s, depth + 1));
    return PILGRIM_OK;
}

static uint32_t take_u16(struct cursor *key)
{
    const uint8_t *at = cursor_take(key, 2);
    return at ? (uint32_t)(at[0] | at[1] << 8) : 0;
}

static enum pilgrim_status split_name(struct splitter *s)
{
    uint32_t name = take_u16(&s->key);
    if (s->key.status != PILGRIM_OK || name >= s->names->count)
        return PILGRIM_DAMAGED;
    if (s->names->strings[name] == UINT32_MAX) {
        s->names->missing = name;
        return PILGRIM_INVALID;
    }
    bytes_put_varint(s->shape, s->names->strings[name]);
    return PILGRIM_OK;
}

static enum pilgrim_status split_slots(struct splitter *s, uint8_t tag)
{
    for (unsigned i = 0; i < value_slots(tag); i++) {
        struct slot slot = {.value = (int64_t)cursor_u64(&s->key), .base = s->base};
        if (tag == VALUE_RANK)
            slot.kind = SLOT_RANK;
        if (tag == VALUE_TEXT && i == 0)
            slot = (struct slot){.kind = SLOT_DELTAS, .value = s->names->texts};
        if (tag == VALUE_RANK_BASE)
            s->base = slot.value >= 0 && slot.value <= INT32_MAX ? (int32_t)slot.value : -1;
        TRY(slots_add(s->slots, slot));
    }
    return s->key.status;
}

/* ---- arrays ---- */

/* The values of an array, sorted by their shapes. */
struct sorted {
    struct {
        struct bytes shape;
        struct slot_series values;
    } kinds[SERIES_SHAPES_MAX];
    uint32_t count;
    uint32_t last;              /* index in KINDS of the last value */
    struct nested_runs changes; /* of the index, from each value to the next */
};

static void sorted_free(struct sorted *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        bytes_free(&s->kinds[i].shape);
        slot_series_free(&s->kinds[i].values);
    }
    nested_runs_free(&s->changes);
}

/* Returns the index in KINDS for a value with this shape and WIDTH slots, or SERIES_SHAPES_MAX if there are too many
 * kinds. */
static uint32_t sorted_kind(struct sorted *s, const uint8_t *shape, size_t size, size_t width,
                            struct intern *stored_deltas)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->kinds[i].shape.length == size && !memcmp(s->kinds[i].shape.data, shape, size))
            return i;
    if (s->count == SERIES_SHAPES_MAX)
        return SERIES_SHAPES_MAX;
    bytes_put(&s->kinds[s->count].shape, shape, size);
    s->kinds[s->count].values = (struct slot_series){.width = width, .min = 1, .stored_deltas = stored_deltas};
    return s->count++;
}

/* Sorts the next value in. *FITS is false if the array cannot be an array series. What S has put out so far does not
 * change. */
static enum pilgrim_status sort_value(struct splitter *s, struct sorted *sorted, bool first, unsigned depth, bool *fits)
{
    size_t shape = s->shape->length, slots = s->slots->count;
    TRY(split_value(s, depth + 1));
    TRY(bytes_status(s->shape));
    uint32_t kind = sorted_kind(sorted, s->shape->data + shape, s->shape->length - shape, s->slots->count - slots,
                                s->stored_deltas);
    s->shape->length = shape;
    s->slots->count = slots;
    *fits = kind < SERIES_SHAPES_MAX;
    if (!*fits)
        return PILGRIM_OK;
    TRY(bytes_status(&sorted->kinds[kind].shape));
    if (!first)
        TRY(nested_runs_append(&sorted->changes, (int64_t)kind - sorted->last, 1));
    sorted->last = kind;
    return slot_series_add(&sorted->kinds[kind].values, s->slots->items ? s->slots->items + slots : NULL, fits);
}

/* Adds the values that are left of the run, in which each is of the shape of the last one. Sets *I to the last. */
static enum pilgrim_status sort_rest(struct splitter *s, struct sorted *sorted, struct shape_items *items, uint32_t *i)
{
    const uint32_t rest = items->run - items->done;
    if (items->done < 2 || !rest)
        return PILGRIM_OK;
    TRY(nested_runs_append(&sorted->changes, 0, rest));
    TRY(slot_series_go_on(&sorted->kinds[sorted->last].values, rest));
    s->key = items->after_run;
    items->done = items->run;
    *i += rest;
    return PILGRIM_OK;
}

static enum pilgrim_status put_sorted(struct splitter *s, uint32_t n, struct sorted *sorted)
{
    struct slot changes = {.kind = SLOT_DELTAS};
    bytes_put_u8(s->shape, VALUE_SERIES);
    bytes_put_varint(s->shape, n);
    bytes_put_varint(s->shape, sorted->count);
    if (sorted->count > 1) {
        TRY(stored_deltas_add(s->stored_deltas, &sorted->changes, &changes.value));
        TRY(slots_add(s->slots, changes));
    }
    for (uint32_t i = 0; i < sorted->count; i++) {
        bytes_put(s->shape, sorted->kinds[i].shape.data, sorted->kinds[i].shape.length);
        TRY(slot_series_end(&sorted->kinds[i].values, s->slots));
    }
    return PILGRIM_OK;
}

/* Splits an array of N values, whose tag and N have been read. */
static enum pilgrim_status split_array(struct splitter *s, uint32_t n, unsigned depth)
{
    bool fits = n >= SLOT_SERIES_MIN && !s->no_series;
    if (fits) {
        struct sorted sorted = {.count = 0};
        struct splitter before = *s;
        struct shape_items items = {.run = 0};
        enum pilgrim_status status = PILGRIM_OK;
        s->no_series = true;
        for (uint32_t i = 0; status == PILGRIM_OK && fits && i < n; i++) {
            status = item_begin(s, &items, n - i);
            if (status == PILGRIM_OK)
                status = sort_value(s, &sorted, i == 0, depth, &fits);
            if (status == PILGRIM_OK)
                status = item_end(s, &items);
            if (status == PILGRIM_OK && fits)
                status = sort_rest(s, &sorted, &items, &i);
        }
        s->no_series = false;
        if (status == PILGRIM_OK && fits)
            status = put_sorted(s, n, &sorted);
        sorted_free(&sorted);
        if (status != PILGRIM_OK || fits)
            return status;
        *s = before;
    }
    bytes_put_u8(s->shape, VALUE_ARRAY);
    bytes_put_varint(s->shape, n);
    return split_items(s, n, depth);
}

/* ---- values ---- */

static enum pilgrim_status split_operands(struct splitter *s, uint8_t tag, uint32_t *children)
{
    uint32_t length;
    const uint8_t *text;
    switch (tag) {
    case VALUE_NAME:
    case VALUE_OBJECT:
        return split_name(s);
    case VALUE_STRING:
    case VALUE_SYMBOL:
        length = cursor_u32(&s->key);
        text = cursor_take(&s->key, length);
        if (!text)
            return PILGRIM_DAMAGED;
        bytes_put_varint(s->shape, length);
        bytes_put(s->shape, text, length);
        return PILGRIM_OK;
    case VALUE_FLAGS:
        *children = cursor_u32(&s->key);
        bytes_put_varint(s->shape, *children);
        return PILGRIM_OK;
    case VALUE_STATUS: {
        uint8_t bits = cursor_u8(&s->key);
        bytes_put_u8(s->shape, bits);
        *children = bits & STATUS_ERROR ? 5 : 4;
        return PILGRIM_OK;
    }
    case VALUE_RANK_BASE:
        *children = 1;
        return PILGRIM_OK;
    case VALUE_REGISTER:
        *children = 1;
        bytes_put_varint(s->shape, take_u16(&s->key));
        return PILGRIM_OK;
    case VALUE_EDITED:
        bytes_put_varint(s->shape, take_u16(&s->key));
        *children = take_u16(&s->key);
        bytes_put_varint(s->shape, *children);
        *children *= 2;
        return PILGRIM_OK;
    case VALUE_COMPLETED:
        *children = 1;
        bytes_put_varint(s->shape, cursor_u8(&s->key));
        return PILGRIM_OK;
    case VALUE_POSTED:
        bytes_put_u8(s->shape, cursor_u8(&s->key));
        return PILGRIM_OK;
    default:
        return tag == 0 || tag == VALUE_SERIES || tag >= VALUE_TAG_COUNT ? PILGRIM_DAMAGED : PILGRIM_OK;
    }
}

static enum pilgrim_status split_value(struct splitter *s, unsigned depth)
{
    uint32_t children = 0;
    uint8_t tag = cursor_u8(&s->key);
    if (depth > VALUE_NESTING_MAX)
        return PILGRIM_DAMAGED;
    if (tag == VALUE_ARRAY)
        return split_array(s, cursor_u32(&s->key), depth);
    bytes_put_u8(s->shape, tag);
    TRY(split_operands(s, tag, &children));
    TRY(split_slots(s, tag));
    return split_values(s, children, depth);
}

/* True if KEY has a register, or an array with changes to one: its shape has no array series (docs/FORMAT.md, section
 * 5). */
static bool has_registers(const uint8_t *key, size_t length)
{
    struct cursor c;
    if (!memchr(key, VALUE_REGISTER, length) && !memchr(key, VALUE_EDITED, length))
        return false;
    cursor_init(&c, key, length);
    while (cursor_left(&c) > 0) {
        const uint8_t tag = cursor_u8(&c);
        if (tag == VALUE_REGISTER || tag == VALUE_EDITED)
            return true;
        const bool has_text = tag == VALUE_STRING || tag == VALUE_SYMBOL;
        size_t taken = value_slots(tag < VALUE_TAG_COUNT ? tag : 0) * sizeof(int64_t);
        taken += has_text ? cursor_u32(&c) : value_operands(tag);
        if (!cursor_take(&c, taken))
            return false;
    }
    return false;
}

enum pilgrim_status shape_split(const uint8_t *key, size_t length, struct shape_names *names,
                                struct intern *stored_deltas, struct bytes *shape, struct slots *slots)
{
    struct splitter s = {.names = names, .stored_deltas = stored_deltas, .shape = shape, .slots = slots};
    s.no_series = length > 0 && has_registers(key, length);
    cursor_init(&s.key, key, length);
    while (cursor_left(&s.key) > 0) {
        enum pilgrim_status status = split_value(&s, 1);
        if (s.key.status != PILGRIM_OK)
            return PILGRIM_DAMAGED;
        TRY(status);
    }
    return bytes_status(shape);
}

/* ---- shapes as they are ---- */

/* A token of a shape: its tag, its operand, and how many values follow that belong to it. */
struct shape_token {
    size_t start;
    uint8_t tag;
    uint64_t operand; /* of a name: its string */
    uint64_t children;
    uint64_t slots;
};

static enum pilgrim_status next_token(struct cursor *c, struct shape_token *t)
{
    *t = (struct shape_token){.start = c->position};
    t->tag = cursor_u8(c);
    t->slots = value_slots(t->tag);
    switch (t->tag) {
    case VALUE_NAME:
    case VALUE_OBJECT:
        t->operand = cursor_varint(c);
        break;
    case VALUE_STRING:
    case VALUE_SYMBOL:
        cursor_take(c, cursor_count(c, 1));
        break;
    case VALUE_ARRAY:
    case VALUE_FLAGS:
        t->children = cursor_varint(c);
        break;
    case VALUE_SERIES:
        cursor_varint(c);
        t->children = cursor_varint(c);
        t->slots = t->children > 1;
        break;
    case VALUE_STATUS:
        t->children = cursor_u8(c) & STATUS_ERROR ? 5 : 4;
        break;
    case VALUE_RANK_BASE:
        t->children = 1;
        break;
    case VALUE_REGISTER:
    case VALUE_COMPLETED:
        cursor_varint(c);
        t->children = 1;
        break;
    case VALUE_POSTED:
        cursor_u8(c);
        break;
    case VALUE_EDITED:
        cursor_varint(c);
        t->children = 2 * cursor_varint(c);
        break;
    default:
        if (t->tag == 0 || t->tag >= VALUE_TAG_COUNT)
            return PILGRIM_DAMAGED;
    }
    return c->status == PILGRIM_OK ? PILGRIM_OK : PILGRIM_DAMAGED;
}

enum pilgrim_status shape_rewrite(const uint8_t *shape, size_t length, const uint32_t *map, uint32_t count,
                                  struct bytes *out)
{
    struct cursor c;
    cursor_init(&c, shape, length);
    while (cursor_left(&c) > 0) {
        struct shape_token t;
        TRY(next_token(&c, &t));
        if (t.tag != VALUE_NAME && t.tag != VALUE_OBJECT) {
            bytes_put(out, shape + t.start, c.position - t.start);
            continue;
        }
        if (t.operand >= count)
            return PILGRIM_DAMAGED;
        bytes_put_u8(out, t.tag);
        bytes_put_varint(out, map[t.operand]);
    }
    return bytes_status(out);
}

/* Where a walk over the tokens of a shape is. */
struct slot_walk {
    uint64_t total;  /* slots so far */
    uint64_t inside; /* values of an array series that are still to come */
};

static void pass_token(struct slot_walk *w, const struct shape_token *t)
{
    w->total += t->slots * (w->inside ? 2 : 1);
    if (w->inside)
        w->inside += t->children - 1;
    if (t->tag == VALUE_SERIES)
        w->inside = t->children;
}

enum pilgrim_status shape_slots(const uint8_t *shape, size_t length, uint32_t *slots, bool *has_series)
{
    struct cursor c;
    struct slot_walk w = {0};
    cursor_init(&c, shape, length);
    *has_series = false;
    while (cursor_left(&c) > 0) {
        struct shape_token t;
        TRY(next_token(&c, &t));
        pass_token(&w, &t);
        *has_series |= t.tag == VALUE_SERIES;
    }
    *slots = (uint32_t)w.total;
    return w.total > UINT32_MAX ? PILGRIM_LIMIT : PILGRIM_OK;
}

enum pilgrim_status shape_requests(const uint8_t *shape, size_t length, struct shape_request *requests, uint32_t *count)
{
    struct cursor c;
    struct slot_walk w = {0};
    cursor_init(&c, shape, length);
    *count = 0;
    while (cursor_left(&c) > 0) {
        struct shape_token t;
        TRY(next_token(&c, &t));
        if ((t.tag == VALUE_BEGUN || t.tag == VALUE_LIVE) && !w.inside)
            requests[(*count)++] = (struct shape_request){(uint32_t)w.total, t.tag == VALUE_LIVE};
        pass_token(&w, &t);
        if (w.total > UINT32_MAX)
            return PILGRIM_LIMIT;
    }
    return PILGRIM_OK;
}

enum pilgrim_status shape_without_classes(const uint8_t *shape, size_t length, bool own, bool live_back,
                                          struct bytes *out)
{
    struct cursor c;
    struct slot_walk w = {0};
    cursor_init(&c, shape, length);
    while (cursor_left(&c) > 0) {
        struct shape_token t;
        uint8_t tag;
        TRY(next_token(&c, &t));
        tag = t.tag;
        if (own && tag == VALUE_BEGUN && !w.inside)
            tag = VALUE_OWN;
        else if (live_back && tag == VALUE_LIVE && !w.inside)
            tag = VALUE_LIVE_BACK;
        bytes_put_u8(out, tag);
        bytes_put(out, shape + t.start + 1, c.position - t.start - 1);
        pass_token(&w, &t);
    }
    return bytes_status(out);
}
