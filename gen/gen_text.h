/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings, files and templates of the generator. Everything is kept until the program ends: it runs for a moment. */
#ifndef GEN_TEXT_H
#define GEN_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A string that grows; `chars` is always terminated, NULL while empty. */
struct gen_text {
    char *chars;
    size_t length;
    size_t capacity;
};

void *gen_alloc(size_t size); /* zeroed; never NULL */
char *gen_copy(const char *s, size_t length);
char *gen_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ITEMS with room for one more: doubled when COUNT is a power of two. */
void *gen_grow(void *items, size_t count, size_t item_size);

void text_add(struct gen_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_string(struct gen_text *t, const char *s);
const char *text_string(const struct gen_text *t); /* "" while empty */

/* Prints "FILE:LINE: error: ..." (no line: 0) and exits with 1. */
_Noreturn void gen_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void gen_warn(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

char *gen_read_file(const char *path, size_t *length); /* fails with a message */
void gen_write_file(const char *folder, const char *name, const struct gen_text *t);

/* Whether S matches PATTERN: '*' is any characters, '|' separates alternatives. */
bool gen_matches(const char *pattern, const char *s);

/* Whether the identifier NAME occurs in TEXT, as a whole word. */
bool gen_mentions(const char *text, const char *name);

/* SOURCE with every FROM replaced by TO. */
char *gen_replace(const char *source, const char *from, const char *to);

/* A template's fields, ended by a NULL name. */
struct field {
    const char *name;
    const char *value;
};

/* Fills FOLDER/NAME: @field@ becomes its value. A line that holds nothing but a field takes the value's lines with
 * the line's own indentation, and disappears when the value is empty. */
void template_fill(struct gen_text *out, const char *folder, const char *name, const struct field *fields);

#endif
