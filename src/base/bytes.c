/* Byte buffers and bounds-checked cursors; see bytes.h. */
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

uint8_t *bytes_reserve(struct bytes *b, size_t count)
{
    if (b->failed || count > SIZE_MAX / 2 - b->length) {
        b->failed = true;
        return NULL;
    }
    if (count > b->capacity - b->length) {
        size_t capacity = b->capacity ? b->capacity : 64;
        while (capacity - b->length < count)
            capacity *= 2;
        uint8_t *data = realloc(b->data, capacity);
        if (!data) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->capacity = capacity;
    }
    return b->data + b->length;
}

void bytes_put(struct bytes *b, const void *data, size_t count)
{
    uint8_t *to = bytes_reserve(b, count);
    if (to && count) {
        memcpy(to, data, count);
        b->length += count;
    }
}

void bytes_put_u8(struct bytes *b, uint8_t value)
{
    bytes_put(b, &value, 1);
}

static void put_little_endian(struct bytes *b, uint64_t value, size_t count)
{
    uint8_t le[8];
    for (size_t i = 0; i < count; i++)
        le[i] = (uint8_t)(value >> (8 * i));
    bytes_put(b, le, count);
}

void bytes_put_u32(struct bytes *b, uint32_t value)
{
    put_little_endian(b, value, 4);
}

void bytes_put_u64(struct bytes *b, uint64_t value)
{
    put_little_endian(b, value, 8);
}

void bytes_put_varint(struct bytes *b, uint64_t value)
{
    uint8_t coded[10];
    size_t count = 0;
    while (value >= 0x80) {
        coded[count++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    coded[count++] = (uint8_t)value;
    bytes_put(b, coded, count);
}

void bytes_put_svarint(struct bytes *b, int64_t value)
{
    bytes_put_varint(b, zigzag(value));
}

enum pilgrim_status bytes_status(const struct bytes *b)
{
    return b->failed ? PILGRIM_NOMEM : PILGRIM_OK;
}

void cursor_init(struct cursor *c, const void *data, size_t length)
{
    *c = (struct cursor){.data = data, .length = length};
}

size_t cursor_left(const struct cursor *c)
{
    return c->status == PILGRIM_OK ? c->length - c->position : 0;
}

static void cursor_fail(struct cursor *c, enum pilgrim_status status)
{
    if (c->status == PILGRIM_OK)
        c->status = status;
}

const uint8_t *cursor_take(struct cursor *c, size_t count)
{
    if (c->status != PILGRIM_OK)
        return NULL;
    if (count > c->length - c->position) {
        cursor_fail(c, PILGRIM_TRUNCATED);
        return NULL;
    }
    const uint8_t *at = c->data + c->position;
    c->position += count;
    return at;
}

static uint64_t take_little_endian(struct cursor *c, size_t count)
{
    const uint8_t *at = cursor_take(c, count);
    uint64_t value = 0;
    for (size_t i = 0; at && i < count; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

uint32_t cursor_u32(struct cursor *c)
{
    return (uint32_t)take_little_endian(c, 4);
}

uint64_t cursor_u64(struct cursor *c)
{
    return take_little_endian(c, 8);
}

uint64_t cursor_long_varint(struct cursor *c)
{
    uint64_t value = 0;
    size_t start = c->position;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const uint8_t *at = cursor_take(c, 1);
        if (!at)
            return 0;
        if ((shift == 63 && *at > 1) || (shift > 0 && *at == 0))
            break; /* more than 64 bits, or not the shortest form */
        value |= (uint64_t)(*at & 0x7f) << shift;
        if (*at < 0x80)
            return value;
    }
    c->position = start;
    cursor_fail(c, PILGRIM_DAMAGED);
    return 0;
}

int64_t cursor_svarint(struct cursor *c)
{
    return unzigzag(cursor_varint(c));
}

size_t cursor_count(struct cursor *c, size_t minimum)
{
    uint64_t count = cursor_varint(c);
    if (count > cursor_left(c) / minimum) {
        cursor_fail(c, PILGRIM_DAMAGED);
        return 0;
    }
    return (size_t)count;
}

size_t cursor_index(struct cursor *c, size_t limit)
{
    uint64_t index = cursor_varint(c);
    if (c->status == PILGRIM_OK && index >= limit)
        cursor_fail(c, PILGRIM_DAMAGED);
    return c->status == PILGRIM_OK ? (size_t)index : 0;
}
