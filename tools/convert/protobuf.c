/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes Protocol Buffers; see protobuf.h. */
#include "protobuf.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, VARINT_MAX = 10, LENGTH_BYTES = 4 };

static unsigned char *room(struct protobuf *p, size_t length)
{
    if (p->capacity - p->used < length) {
        size_t capacity = p->capacity ? 2 * p->capacity : 1024;
        while (capacity - p->used < length)
            capacity *= 2;
        unsigned char *bytes = realloc(p->bytes, capacity);
        if (!bytes) {
            p->short_of_memory = true;
            return NULL;
        }
        p->bytes = bytes;
        p->capacity = capacity;
    }
    return p->bytes + p->used;
}

static void put_varint(struct protobuf *p, uint64_t value)
{
    unsigned char *at = room(p, VARINT_MAX);
    if (!at)
        return;
    do {
        *at++ = (unsigned char)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);
        value >>= 7;
    } while (value);
    p->used = (size_t)(at - p->bytes);
}

static void put_key(struct protobuf *p, uint32_t field, unsigned wire)
{
    put_varint(p, (uint64_t)field << 3 | wire);
}

void protobuf_clear(struct protobuf *p)
{
    p->used = 0;
}

void protobuf_free(struct protobuf *p)
{
    free(p->bytes);
    *p = (struct protobuf){0};
}

void protobuf_uint(struct protobuf *p, uint32_t field, uint64_t value)
{
    put_key(p, field, WIRE_VARINT);
    put_varint(p, value);
}

void protobuf_int(struct protobuf *p, uint32_t field, int64_t value)
{
    protobuf_uint(p, field, (uint64_t)value);
}

void protobuf_fixed64(struct protobuf *p, uint32_t field, uint64_t value)
{
    put_key(p, field, WIRE_FIXED64);
    unsigned char *at = room(p, 8);
    for (int i = 0; at && i < 8; i++)
        at[i] = (unsigned char)(value >> 8 * i);
    p->used += at ? 8 : 0;
}

void protobuf_bytes(struct protobuf *p, uint32_t field, const void *bytes, size_t length)
{
    put_key(p, field, WIRE_LENGTH);
    put_varint(p, length);
    unsigned char *at = room(p, length);
    if (!at)
        return;
    memcpy(at, bytes, length);
    p->used += length;
}

void protobuf_text(struct protobuf *p, uint32_t field, const char *text)
{
    protobuf_bytes(p, field, text, strlen(text));
}

/* The length is put with LENGTH_BYTES bytes, whatever it is: the wire format allows that. */
size_t protobuf_open(struct protobuf *p, uint32_t field)
{
    put_key(p, field, WIRE_LENGTH);
    unsigned char *at = room(p, LENGTH_BYTES);
    if (!at)
        return p->used;
    p->used += LENGTH_BYTES;
    return p->used;
}

void protobuf_close(struct protobuf *p, size_t at)
{
    if (p->short_of_memory)
        return;
    size_t length = p->used - at;
    unsigned char *to = p->bytes + at - LENGTH_BYTES;
    if (length < 128) { /* most are short: one byte is enough */
        memmove(to + 1, to + LENGTH_BYTES, length);
        to[0] = (unsigned char)length;
        p->used -= LENGTH_BYTES - 1;
        return;
    }
    for (int i = 0; i < LENGTH_BYTES; i++, length >>= 7)
        to[i] = (unsigned char)((length & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}
