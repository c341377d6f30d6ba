/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte buffers and bounds-checked cursors; see bytes.h. */
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

void bytes_free(struct bytes *b)
{
    if (!b->borrowed)
        free(b->data);
    *b = (struct bytes){0};
}

uint8_t *bytes_grow(struct bytes *b, size_t count)
{
    if (b->failed || count > SIZE_MAX / 2 - b->length) {
        b->failed = true;
        return NULL;
    }
    size_t capacity = b->capacity ? b->capacity : 64;
    while (capacity - b->length < count)
        capacity *= 2;
    uint8_t *data = realloc(b->borrowed ? NULL : b->data, capacity);
    if (!data) {
        b->failed = true;
        return NULL;
    }
    if (b->borrowed && b->length)
        memcpy(data, b->data, b->length);
    b->data = data;
    b->borrowed = false;
    b->capacity = capacity;
    return b->data + b->length;
}

void bytes_put(struct bytes *b, const void *data, size_t count)
{
    uint8_t *to = count ? bytes_reserve(b, count) : NULL; /* an empty buffer has no address to add to */
    if (to) {
        memcpy(to, data, count);
        b->length += count;
    }
}

void bytes_put_u32(struct bytes *b, uint32_t value)
{
    uint8_t *to = bytes_reserve(b, 4);
    for (unsigned i = 0; to && i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
    b->length += to ? 4 : 0;
}

void bytes_put_u64(struct bytes *b, uint64_t value)
{
    uint8_t *to = bytes_reserve(b, 8);
    for (unsigned i = 0; to && i < 8; i++)
        to[i] = (uint8_t)(value >> (8 * i));
    b->length += to ? 8 : 0;
}

void bytes_put_long_varint(struct bytes *b, uint64_t value)
{
    size_t count = 1;
    for (uint64_t rest = value >> 7; rest; rest >>= 7)
        count++;
    uint8_t *to = bytes_reserve(b, count);
    if (!to)
        return;
    b->length += count;
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to = (uint8_t)value;
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
    static const uint8_t nothing; /* an address, because NULL + 0 is undefined */
    *c = (struct cursor){.data = data ? data : &nothing, .length = length};
}

void cursor_fail(struct cursor *c, enum pilgrim_status status)
{
    if (c->status == PILGRIM_OK)
        c->status = status;
}

uint64_t cursor_long_varint(struct cursor *c)
{
    uint64_t value = 0;
    size_t start = c->position;
    if (cursor_left(c) > 1 &&
        c->data[start + 1] - 1u < 0x7f) { /* a varint of two bytes; its first byte is 0x80 or more */
        c->position += 2;
        return (uint64_t)c->data[start + 1] << 7 | (c->data[start] & 0x7f);
    }
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
