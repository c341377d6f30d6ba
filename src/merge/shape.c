/* From keys to shapes, and shapes to other string tables; see base/value.h for the tokens. */
#include "merge/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/value.h"

enum { NESTING_MAX = 32, NO_VIEW = 0 };

struct splitter {
    struct cursor key;
    struct shape_names *names;
    struct intern *lists;
    struct bytes *shape;
    struct slots *slots;
    int32_t view;
    bool in_series;
};

static enum pilgrim_status split_value(struct splitter *s, unsigned depth);

static enum pilgrim_status split_values(struct splitter *s, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count; i++)
        TRY(split_value(s, depth + 1));
    return PILGRIM_OK;
}

static enum pilgrim_status split_name(struct splitter *s)
{
    const uint8_t *at = cursor_take(&s->key, 2);
    uint32_t name = at ? (uint32_t)(at[0] | at[1] << 8) : 0;
    if (!at || name >= s->names->count)
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
        struct slot slot = {.value = (int64_t)cursor_u64(&s->key), .view = s->view};
        if (tag == VALUE_RANK)
            slot.kind = SLOT_RANK;
        if (tag == VALUE_VIEW)
            s->view = slot.value >= 0 && slot.value <= INT32_MAX ? (int32_t)slot.value : -1;
        TRY(slots_add(s->slots, slot));
    }
    return s->key.status;
}

/* ---- arrays: alike values in a row ---- */

/* The values of an array that are alike so far; the first one's shape stands at the end of the output. */
struct alike {
    struct series series;
    size_t start; /* of that shape in the output */
    size_t size;
};

/* Their slots, and what is missing of their shape: the mark of a vector before it, or its repetitions. */
static enum pilgrim_status end_alike(struct splitter *s, struct alike *a)
{
    uint64_t count = a->series.count;
    struct bytes value = {0};
    bytes_put(&value, s->shape->data + a->start, a->size);
    s->shape->length = a->start;
    if (series_is_vector(&a->series)) {
        bytes_put_u8(s->shape, VALUE_VECTOR);
        bytes_put_varint(s->shape, count);
        count = 1;
    }
    for (; count > 0; count--)
        bytes_put(s->shape, value.data, value.length);
    enum pilgrim_status status = bytes_status(&value);
    bytes_free(&value);
    return status == PILGRIM_OK ? series_end(&a->series, s->slots) : status;
}

/* The value just split, whose shape and slots stand at the end: one more of A, or the first of another series. */
static enum pilgrim_status take_alike(struct splitter *s, struct alike *a, size_t shape_start, size_t slot_start)
{
    size_t size = s->shape->length - shape_start, width = s->slots->count - slot_start;
    bool fits = a->series.count && size == a->size && !memcmp(s->shape->data + a->start, s->shape->data + shape_start, size);
    if (fits)
        TRY(series_add(&a->series, s->slots->items + slot_start, &fits));
    if (fits) {
        s->shape->length = shape_start;
        s->slots->count = slot_start;
        return PILGRIM_OK;
    }
    struct slots own = {0};
    struct bytes shape = {0};
    enum pilgrim_status status = PILGRIM_OK;
    for (size_t i = slot_start; status == PILGRIM_OK && i < s->slots->count; i++)
        status = slots_add(&own, s->slots->items[i]);
    bytes_put(&shape, s->shape->data + shape_start, size);
    s->shape->length = shape_start;
    s->slots->count = slot_start;
    if (status == PILGRIM_OK && a->series.count)
        status = end_alike(s, a);
    a->series.width = width;
    a->start = s->shape->length;
    a->size = size;
    bytes_put(s->shape, shape.data, size);
    if (status == PILGRIM_OK)
        status = bytes_status(&shape);
    if (status == PILGRIM_OK)
        status = series_add(&a->series, own.items, &fits);
    slots_free(&own);
    bytes_free(&shape);
    return status;
}

static enum pilgrim_status split_series(struct splitter *s, uint32_t count, unsigned depth)
{
    struct alike a = {.series.lists = s->lists};
    enum pilgrim_status status = PILGRIM_OK;
    s->in_series = true;
    for (uint32_t i = 0; status == PILGRIM_OK && i < count; i++) {
        size_t shape_start = s->shape->length, slot_start = s->slots->count;
        status = split_value(s, depth + 1);
        if (status == PILGRIM_OK)
            status = bytes_status(s->shape);
        if (status == PILGRIM_OK)
            status = take_alike(s, &a, shape_start, slot_start);
    }
    s->in_series = false;
    if (status == PILGRIM_OK && a.series.count)
        status = end_alike(s, &a);
    series_free(&a.series);
    return status;
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
    case VALUE_ARRAY:
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
    case VALUE_VIEW:
        *children = 1;
        return PILGRIM_OK;
    default:
        return tag == 0 || tag >= VALUE_VECTOR ? PILGRIM_DAMAGED : PILGRIM_OK;
    }
}

static enum pilgrim_status split_value(struct splitter *s, unsigned depth)
{
    uint32_t children = 0;
    uint8_t tag = cursor_u8(&s->key);
    if (depth > NESTING_MAX)
        return PILGRIM_DAMAGED;
    bytes_put_u8(s->shape, tag);
    TRY(split_operands(s, tag, &children));
    TRY(split_slots(s, tag));
    if (tag == VALUE_ARRAY && children >= VECTOR_MIN && !s->in_series)
        return split_series(s, children, depth);
    return split_values(s, children, depth);
}

enum pilgrim_status shape_split(const uint8_t *key, size_t length, struct shape_names *names, struct intern *lists,
                                struct bytes *shape, struct slots *slots)
{
    struct splitter s = {.names = names, .lists = lists, .shape = shape, .slots = slots, .view = NO_VIEW};
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

/* One token of a shape: its tag, its operand, and how many values belong to it. */
struct token {
    size_t start;
    uint8_t tag;
    uint64_t operand; /* of a name */
    uint64_t children;
};

static enum pilgrim_status next_token(struct cursor *c, struct token *t)
{
    *t = (struct token){.start = c->position};
    t->tag = cursor_u8(c);
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
    case VALUE_VECTOR:
        cursor_varint(c);
        t->children = 1;
        break;
    case VALUE_STATUS:
        t->children = cursor_u8(c) & STATUS_ERROR ? 5 : 4;
        break;
    case VALUE_VIEW:
        t->children = 1;
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
        struct token t;
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

enum pilgrim_status shape_slots(const uint8_t *shape, size_t length, uint32_t *slots, bool *has_vector)
{
    struct cursor c;
    uint64_t total = 0, in_vector = 0; /* values of the vector that are still to come */
    cursor_init(&c, shape, length);
    *has_vector = false;
    while (cursor_left(&c) > 0) {
        struct token t;
        TRY(next_token(&c, &t));
        total += (uint64_t)value_slots(t.tag) * (in_vector ? 2 : 1);
        if (in_vector)
            in_vector += t.children - 1;
        if (t.tag == VALUE_VECTOR) {
            in_vector = 1;
            *has_vector = true;
        }
    }
    *slots = (uint32_t)total;
    return total > UINT32_MAX ? PILGRIM_LIMIT : PILGRIM_OK;
}
