/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes FlatBuffers; see flatbuffer.h. A table begins with the distance to its vtable, which is before it here; the
 * vtable says where each field is. A reference is the distance to what it refers to. */
#include "flatbuffer.h"

#include <stdlib.h>
#include <string.h>

/* Appends zeros until POSITION + LENGTH is a multiple of ALIGNMENT, and LENGTH more. Returns where the latter are. */
static size_t room(struct flatbuffer *f, size_t length, size_t alignment)
{
    const size_t at = (f->used + alignment - 1) / alignment * alignment;
    if (f->short_of_memory)
        return 0;
    if (at + length > f->capacity) {
        const size_t capacity = 2 * (at + length) + 1024;
        unsigned char *bytes = realloc(f->bytes, capacity);
        if (!bytes) {
            f->short_of_memory = true;
            return 0;
        }
        f->bytes = bytes;
        f->capacity = capacity;
    }
    memset(f->bytes + f->used, 0, at + length - f->used);
    f->used = at + length;
    return at;
}

void flat_number(struct flatbuffer *f, size_t position, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size && !f->short_of_memory; i++)
        f->bytes[position + i] = (unsigned char)(value >> 8 * i);
}

void flat_begin(struct flatbuffer *f)
{
    f->used = 0;
    room(f, 4, 8);
}

void flat_free(struct flatbuffer *f)
{
    free(f->bytes);
    *f = (struct flatbuffer){0};
}

struct flat_table flat_table(struct flatbuffer *f, const char *sizes)
{
    const size_t count = strlen(sizes), vtable = room(f, 4 + 2 * count, 2);
    const bool root = f->used == vtable + 4 + 2 * count && vtable == 4;
    struct flat_table t = {.at = room(f, 4, 8)};
    for (size_t i = 0; i < count; i++)
        if (sizes[i] != '-') {
            const size_t size = (size_t)(sizes[i] - '0');
            t.fields[i] = room(f, size, size);
            flat_number(f, vtable + 4 + 2 * i, t.fields[i] - t.at, 2);
        }
    flat_number(f, vtable, 4 + 2 * count, 2);
    flat_number(f, vtable + 2, f->used - t.at, 2);
    flat_number(f, t.at, t.at - vtable, 4);
    if (root)
        flat_number(f, 0, t.at, 4);
    return t;
}

void flat_set(struct flatbuffer *f, const struct flat_table *t, unsigned field, uint64_t value, size_t size)
{
    flat_number(f, t->fields[field], value, size);
}

void flat_refer(struct flatbuffer *f, size_t position, size_t to)
{
    flat_number(f, position, to - position, 4);
}

size_t flat_text(struct flatbuffer *f, const char *text)
{
    const size_t length = strlen(text), at = room(f, 4 + length + 1, 4);
    flat_number(f, at, length, 4);
    if (!f->short_of_memory)
        memcpy(f->bytes + at + 4, text, length);
    return at;
}

size_t flat_vector(struct flatbuffer *f, size_t count)
{
    const size_t at = room(f, 4 + 4 * count, 4);
    flat_number(f, at, count, 4);
    return at;
}

/* The structs are at a multiple of 8; their number is before them. */
size_t flat_structs(struct flatbuffer *f, size_t count, size_t size, size_t *first)
{
    size_t at = room(f, 4, 4);
    if ((at + 4) % 8)
        at = room(f, 4, 4);
    flat_number(f, at, count, 4);
    *first = room(f, count * size, 1);
    return at;
}

void flat_end(struct flatbuffer *f)
{
    room(f, 0, 8);
}
