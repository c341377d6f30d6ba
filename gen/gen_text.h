/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings, files and templates of the generator. Nothing is freed before the program ends, because it runs only for a
 * moment. */
#ifndef GEN_TEXT_H
#define GEN_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A growing string. `chars` ends with 0; NULL while empty. */
struct gen_text {
    char *chars;
    size_t length;
    size_t capacity;
};

void *gen_alloc(size_t size); /* zeroed; never NULL */
char *gen_copy(const char *s, size_t length);
char *gen_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns ITEMS with room for one more item. The array doubles if COUNT is a power of two. */
void *gen_grow(void *items, size_t count, size_t item_size);

void text_add(struct gen_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_string(struct gen_text *t, const char *s);
const char *text_string(const struct gen_text *t); /* "" while empty */

/* Print "FILE:LINE: error: ..." or "... warning: ..." (LINE 0: without line). gen_fail exits with status 1. */
_Noreturn void gen_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void gen_warn(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

char *gen_read_file(const char *path, size_t *length); /* exits with a message if it cannot */
/* Writes FOLDER/NAME. Wraps long lines if NAME is that of a C file. Exits with a message if it cannot. */
void gen_write_file(const char *folder, const char *name, const struct gen_text *t);

/* True if S matches PATTERN: '*' stands for any characters, '|' separates alternatives. */
bool gen_matches(const char *pattern, const char *s);

/* True if the identifier NAME occurs in TEXT as a whole word. */
bool gen_mentions(const char *text, const char *name);

/* Returns SOURCE with every FROM replaced by TO. */
char *gen_replace(const char *source, const char *from, const char *to);

/* A template's field. The last field of an array has the name NULL. */
struct field {
    const char *name;
    const char *value;
};

/* Appends the template FOLDER/NAME to OUT, with each @field@ replaced by its value. If a line has only a field, all
 * lines of its value get the line's indentation; an empty value removes the line. */
void template_fill(struct gen_text *out, const char *folder, const char *name, const struct field *fields);

#endif
