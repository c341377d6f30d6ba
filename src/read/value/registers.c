/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers, and copies of values; see registers.h. A copy is one piece of memory with all that belongs to the value.
 * The functions are recursive: values are nested at most VALUE_NESTING_MAX deep. */
#include "read/value/registers.h"

#include <stdlib.h>
#include <string.h>

#define ROUND_UP(bytes) (((bytes) + sizeof(struct pilgrim_value *) - 1) & ~(sizeof(struct pilgrim_value *) - 1))

struct register_value {
    struct pilgrim_value *value; /* NULL: the register is empty */
    size_t capacity;             /* bytes allocated */
};

static bool has_text(const struct pilgrim_value *v)
{
    return v->type == PILGRIM_STRING || v->type == PILGRIM_SYMBOL;
}

/* True if V has memory of its own. Most values are numbers or names in an array, and have none. */
static bool has_parts(const struct pilgrim_value *v)
{
    return v->count > 0 || has_text(v);
}

/* Returns the bytes of all that belongs to V, without V itself. */
static size_t parts_bytes(const struct pilgrim_value *v)
{
    size_t bytes = has_text(v) ? ROUND_UP(v->length + 1) : 0;
    bytes += v->count * sizeof *v;
    for (size_t i = 0; i < v->count; i++)
        if (has_parts(&v->items[i]))
            bytes += parts_bytes(&v->items[i]);
    return bytes;
}

size_t value_copy_bytes(const struct pilgrim_value *v)
{
    return sizeof *v + parts_bytes(v);
}

/* Copies all that belongs to V, a copy, to AT. Returns the end of it. */
static char *copy_parts(char *at, struct pilgrim_value *v)
{
    if (has_text(v)) {
        v->text = memcpy(at, v->text, v->length + 1);
        at += ROUND_UP(v->length + 1);
    }
    if (v->count == 0)
        return at;
    struct pilgrim_value *items = (struct pilgrim_value *)(void *)at;
    memcpy(items, v->items, v->count * sizeof *items);
    v->items = items;
    at += v->count * sizeof *items;
    for (size_t i = 0; i < v->count; i++)
        if (has_parts(&items[i]))
            at = copy_parts(at, &items[i]);
    return at;
}

struct pilgrim_value *value_copy(void *at, const struct pilgrim_value *v)
{
    struct pilgrim_value *copy = at;
    *copy = *v;
    copy_parts((char *)at + sizeof *copy, copy);
    return copy;
}

static enum pilgrim_status grow(struct registers *r, uint32_t count)
{
    if (count < 2 * r->count)
        count = 2 * r->count < REGISTERS_MAX ? 2 * r->count : REGISTERS_MAX;
    uint64_t more = (count - r->count) * sizeof *r->values;
    if (more > r->limit - r->bytes)
        return PILGRIM_LIMIT;
    struct register_value *values = realloc(r->values, count * sizeof *values);
    if (!values)
        return PILGRIM_NOMEM;
    memset(values + r->count, 0, (count - r->count) * sizeof *values);
    r->values = values;
    r->count = count;
    r->bytes += more;
    return PILGRIM_OK;
}

const struct pilgrim_value *registers_get(const struct registers *r, uint32_t number)
{
    return number < r->count ? r->values[number].value : NULL;
}

enum pilgrim_status registers_set(struct registers *r, uint32_t number, const struct pilgrim_value *value)
{
    size_t bytes = value_copy_bytes(value);
    enum pilgrim_status status = number < r->count ? PILGRIM_OK : grow(r, number + 1);
    if (status != PILGRIM_OK)
        return status;
    struct register_value *in = &r->values[number];
    if (bytes > in->capacity) {
        if (bytes - in->capacity > r->limit - r->bytes)
            return PILGRIM_LIMIT;
        void *room = malloc(bytes);
        if (!room)
            return PILGRIM_NOMEM;
        free(in->value);
        in->value = room;
        r->bytes += bytes - in->capacity;
        in->capacity = bytes;
    }
    value_copy(in->value, value);
    return PILGRIM_OK;
}

void registers_free(struct registers *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        free(r->values[i].value);
    free(r->values);
    *r = (struct registers){.limit = r->limit};
}
