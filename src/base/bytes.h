/* Byte buffers that grow, and bounds-checked reading of bytes that may be hostile.
 *
 * Integers are canonical LEB128 ("varint"): 7 bits a byte, least significant first, the high bit set on all
 * bytes but the last, no superfluous last byte of 0. Signed ones are zigzag coded first. See docs/FORMAT.md. */
#ifndef PILGRIM_BYTES_H
#define PILGRIM_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/status.h"

/* A growing buffer; all zero is an empty one. A failed growth sets `failed` and leaves the content as it was;
 * every later append is then refused, so that a writer checks once, at its end. */
struct bytes {
    uint8_t *data;
    size_t length;
    size_t capacity;
    bool failed;
};

void bytes_free(struct bytes *b);

/* Makes room for COUNT more bytes. Returns where they go, or NULL (b->failed is set). */
uint8_t *bytes_reserve(struct bytes *b, size_t count);

void bytes_put(struct bytes *b, const void *data, size_t count);
void bytes_put_u8(struct bytes *b, uint8_t value);
void bytes_put_u32(struct bytes *b, uint32_t value); /* 4 bytes, little-endian */
void bytes_put_u64(struct bytes *b, uint64_t value); /* 8 bytes, little-endian */
void bytes_put_varint(struct bytes *b, uint64_t value);
void bytes_put_svarint(struct bytes *b, int64_t value);

/* PILGRIM_NOMEM where an append failed, else PILGRIM_OK. */
enum pilgrim_status bytes_status(const struct bytes *b) PILGRIM_CHECKED;

/* Reads DATA (borrowed) from front to back. The first error sticks: all later reads give 0 and leave the
 * position, so that a parser may check `status` once for each record. */
struct cursor {
    const uint8_t *data;
    size_t length;
    size_t position;
    enum pilgrim_status status; /* PILGRIM_OK, PILGRIM_TRUNCATED or PILGRIM_DAMAGED */
};

void cursor_init(struct cursor *c, const void *data, size_t length);
size_t cursor_left(const struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
uint64_t cursor_long_varint(struct cursor *c); /* cursor_varint, whatever its length */
int64_t cursor_svarint(struct cursor *c);

/* The next COUNT bytes (borrowed from the cursor's data), or NULL with the status set. */
const uint8_t *cursor_take(struct cursor *c, size_t count);

/* Most bytes that are read are tags and small numbers. */
static inline uint8_t cursor_u8(struct cursor *c)
{
    const uint8_t *at = c->status == PILGRIM_OK && c->position < c->length ? c->data + c->position++ : cursor_take(c, 1);
    return at ? *at : 0;
}

/* One that is not canonical is PILGRIM_DAMAGED. */
static inline uint64_t cursor_varint(struct cursor *c)
{
    if (c->status == PILGRIM_OK && c->position < c->length && c->data[c->position] < 0x80)
        return c->data[c->position++];
    return cursor_long_varint(c);
}

/* A count of things that take at least MINIMUM bytes each (1 or more): PILGRIM_DAMAGED, and 0, where they
 * cannot fit in what is left. Call it before memory is taken for them. */
size_t cursor_count(struct cursor *c, size_t minimum);

/* An index below LIMIT, else PILGRIM_DAMAGED and 0. */
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
