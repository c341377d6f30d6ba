/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte buffers that grow, and bounds-checked reading of untrusted bytes.
 *
 * Integers are canonical LEB128 ("varint"): 7 bits a byte, least significant first, with the high bit set on every byte
 * but the last, and without a superfluous last byte of 0. Signed integers are zigzag-coded first. See
 * docs/FORMAT.md. */
#ifndef PILGRIM_BYTES_H
#define PILGRIM_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

/* A buffer that grows. A buffer of zeros is empty. If it cannot grow, it keeps its content, sets `failed` and refuses
 * every later append. So a writer needs to check only once, at its end. */
struct bytes {
    uint8_t *data;
    size_t length;
    size_t capacity;
    bool failed;
    bool borrowed; /* `data` is not the buffer's: it is never freed, and a buffer that grows leaves it */
};

void bytes_free(struct bytes *b);

uint8_t *bytes_grow(struct bytes *b, size_t count); /* the slow path of bytes_reserve */

/* Makes room for COUNT more bytes. Returns the address where they go, or NULL and sets b->failed. */
static inline uint8_t *bytes_reserve(struct bytes *b, size_t count)
{
    return !b->failed && count <= b->capacity - b->length ? b->data + b->length : bytes_grow(b, count);
}

void bytes_put(struct bytes *b, const void *data, size_t count);
void bytes_put_u32(struct bytes *b, uint32_t value);         /* 4 bytes, little-endian */
void bytes_put_u64(struct bytes *b, uint64_t value);         /* 8 bytes, little-endian */
void bytes_put_long_varint(struct bytes *b, uint64_t value); /* the slow path of bytes_put_varint; takes any value */
void bytes_put_svarint(struct bytes *b, int64_t value);

/* Inline, because most of what is written are tags and small numbers. */
static inline void bytes_put_u8(struct bytes *b, uint8_t value)
{
    if (b->length < b->capacity && !b->failed)
        b->data[b->length++] = value;
    else
        bytes_put(b, &value, 1);
}

static inline void bytes_put_varint(struct bytes *b, uint64_t value)
{
    if (value < 0x80 && b->length < b->capacity && !b->failed)
        b->data[b->length++] = (uint8_t)value;
    else
        bytes_put_long_varint(b, value);
}

/* Returns PILGRIM_NOMEM if an append has failed, else PILGRIM_OK. */
enum pilgrim_status bytes_status(const struct bytes *b) PILGRIM_CHECKED;

/* Reads DATA, which is borrowed, from front to back. After the first error every read returns 0 and leaves the
 * position. So a parser needs to check `status` only once a record. */
struct cursor {
    const uint8_t *data;
    size_t length;
    size_t position;
    enum pilgrim_status status; /* PILGRIM_OK, PILGRIM_TRUNCATED or PILGRIM_DAMAGED */
};

void cursor_init(struct cursor *c, const void *data, size_t length);
uint64_t cursor_long_varint(struct cursor *c); /* the slow path of cursor_varint; reads any value */
int64_t cursor_svarint(struct cursor *c);
void cursor_fail(struct cursor *c, enum pilgrim_status status); /* does nothing after the first error */

static inline size_t cursor_left(const struct cursor *c)
{
    return c->status == PILGRIM_OK ? c->length - c->position : 0;
}

/* Returns the next COUNT bytes, borrowed from the cursor's data; or NULL, with the status set. */
static inline const uint8_t *cursor_take(struct cursor *c, size_t count)
{
    if (c->status != PILGRIM_OK || count > c->length - c->position) {
        cursor_fail(c, PILGRIM_TRUNCATED);
        return NULL;
    }
    const uint8_t *at = c->data + c->position;
    c->position += count;
    return at;
}

static inline uint32_t bytes_get_u32(const uint8_t *at) /* little-endian */
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
    const uint8_t *at = cursor_take(c, 4);
    return at ? bytes_get_u32(at) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
    const uint8_t *at = cursor_take(c, 8);
    return at ? (uint64_t)bytes_get_u32(at + 4) << 32 | bytes_get_u32(at) : 0;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    const uint8_t *at = cursor_take(c, 1);
    return at ? *at : 0;
}

/* Reads a varint. Most are small. A varint that is not canonical is PILGRIM_DAMAGED. */
static inline uint64_t cursor_varint(struct cursor *c)
{
    if (c->status == PILGRIM_OK && c->position < c->length && c->data[c->position] < 0x80)
        return c->data[c->position++];
    return cursor_long_varint(c);
}

/* Reads the number of items of at least MINIMUM bytes each (1 or more). Returns 0 and sets PILGRIM_DAMAGED if they do
 * not fit into the bytes left. Call it before allocating memory for them. */
size_t cursor_count(struct cursor *c, size_t minimum);

/* Reads an index below LIMIT. Another one gives 0 and PILGRIM_DAMAGED. */
size_t cursor_index(struct cursor *c, size_t limit);

static inline uint64_t zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
