/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and texts of pilgrim-generate; see generate.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "generate.h"

_Noreturn void generate_fail(const char *format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    complain("%s", line);
    exit(1);
}

/* Blocks of memory, so that a leak checker finds all of it. */
static struct block {
    struct block *next;
} * blocks;
static char *left;
static size_t left_bytes;

void *generate_alloc(size_t bytes)
{
    enum { BLOCK = 1 << 16 };
    if (bytes > SIZE_MAX / 2)
        generate_fail("not enough memory");
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > left_bytes) {
        size_t room = bytes > BLOCK / 4 ? bytes : BLOCK;
        struct block *block = calloc(1, room + 16);
        if (!block)
            generate_fail("not enough memory");
        block->next = blocks;
        blocks = block;
        if (room == bytes)
            return (char *)block + 16;
        left = (char *)block + 16;
        left_bytes = room;
    }
    void *found = left;
    left += bytes;
    left_bytes -= bytes;
    return found;
}

void *generate_grow(void *array, size_t count, size_t element)
{
    if (count && (count < 8 || (count & (count - 1))))
        return array;
    size_t room = count ? 2 * count : 8;
    char *larger = generate_alloc(room * element);
    if (count)
        memcpy(larger, array, count * element);
    return larger;
}

void text_bytes(struct text *t, const char *bytes, size_t length)
{
    if (t->length + length + 1 > t->capacity) {
        size_t capacity = 2 * (t->length + length) + 64;
        char *larger = realloc(t->chars, capacity);
        if (!larger)
            generate_fail("not enough memory");
        t->chars = larger;
        t->capacity = capacity;
    }
    memcpy(t->chars + t->length, bytes, length);
    t->length += length;
    t->chars[t->length] = 0;
}

void text_put(struct text *t, const char *format, ...)
{
    char small[256];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(small, sizeof small, format, list);
    va_end(list);
    if (length >= 0 && (size_t)length < sizeof small) {
        text_bytes(t, small, (size_t)length);
    } else if (length >= 0) {
        char *large = malloc((size_t)length + 1);
        if (!large)
            generate_fail("not enough memory");
        vsnprintf(large, (size_t)length + 1, format, again);
        text_bytes(t, large, (size_t)length);
        free(large);
    }
    va_end(again);
}

const char *text_of(struct text *t)
{
    return t->chars ? t->chars : "";
}

void text_free(struct text *t)
{
    free(t->chars);
    *t = (struct text){0};
}

const char *text_format(const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *made = generate_alloc((size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0)
        vsnprintf(made, (size_t)length + 1, format, again);
    va_end(again);
    return made;
}

const char *text_bare(const char *text)
{
    size_t depth = 0, length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth == 0)
            return i + 1 == length ? text_format("%.*s", (int)length - 2, text + 1) : text;
        if (depth == 0)
            return text;
    }
    return text;
}

/* ---- equal texts are one ---- */

struct interned {
    struct interned *next;
    size_t length;
    char chars[];
};

const char *text_intern(const char *chars, size_t length)
{
    enum { BUCKETS = 1 << 14 };
    static struct interned *buckets[BUCKETS];
    uint64_t hash = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)chars[i]) * UINT64_C(1099511628211);
    struct interned **at = &buckets[(hash ^ hash >> 31) % BUCKETS];
    for (struct interned *i = *at; i; i = i->next)
        if (i->length == length && memcmp(i->chars, chars, length) == 0)
            return i->chars;
    struct interned *made = generate_alloc(sizeof *made + length + 1);
    made->next = *at;
    made->length = length;
    if (length)
        memcpy(made->chars, chars, length);
    *at = made;
    return made->chars;
}

const char *text_comment(const char *text)
{
    size_t length = strnlen(text, 200), used = 0;
    char *made = generate_alloc(length + 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool plain = c >= ' ' && c < 127 && c != '\\' && c != '?';
        bool ends = (c == '/' && used && made[used - 1] == '*') || (c == '*' && used && made[used - 1] == '/');
        made[used++] = plain && !ends ? (char)c : '_';
    }
    return made;
}
