/* SPDX-License-Identifier: BSD-3-Clause */
/* Strings, files and templates of the generator; see gen_text.h. */
#include "gen_text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All memory stays reachable from here, so a leak checker reports nothing. */
struct memory_block {
    struct memory_block *next;
    max_align_t data[];
};

static struct memory_block *blocks;

void *gen_alloc(size_t size)
{
    struct memory_block *block = calloc(1, sizeof *block + size + 1);
    if (!block) {
        fputs("pilgrim-gen: out of memory\n", stderr);
        exit(1);
    }
    block->next = blocks;
    blocks = block;
    return block->data;
}

char *gen_copy(const char *s, size_t length)
{
    char *copy = gen_alloc(length + 1);
    if (length)
        memcpy(copy, s, length);
    return copy;
}

void *gen_grow(void *items, size_t count, size_t item_size)
{
    if (count & (count - 1))
        return items;
    void *grown = gen_alloc((count ? 2 * count : 1) * item_size);
    if (count)
        memcpy(grown, items, count * item_size);
    return grown;
}

static void text_add_bytes(struct gen_text *t, const char *s, size_t length)
{
    if (t->length + length + 1 > t->capacity) {
        size_t capacity = 2 * (t->length + length) + 64;
        char *grown = gen_alloc(capacity);
        if (t->length)
            memcpy(grown, t->chars, t->length);
        t->chars = grown;
        t->capacity = capacity;
    }
    if (length)
        memcpy(t->chars + t->length, s, length);
    t->length += length;
    t->chars[t->length] = 0;
}

static char *format_string(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *s = gen_alloc((size_t)length + 1);
    vsnprintf(s, (size_t)length + 1, format, arguments);
    return s;
}

char *gen_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *s = format_string(format, arguments);
    va_end(arguments);
    return s;
}

void text_add(struct gen_text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_add_string(t, format_string(format, arguments));
    va_end(arguments);
}

void text_add_string(struct gen_text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

const char *text_string(const struct gen_text *t)
{
    return t->chars ? t->chars : "";
}

static void print_message(const char *file, int line, const char *what, const char *format, va_list arguments)
{
    const char *message = format_string(format, arguments);
    if (line)
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, message);
    else
        fprintf(stderr, "%s: %s: %s\n", file, what, message);
}

void gen_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(file, line, "error", format, arguments);
    va_end(arguments);
    exit(1);
}

void gen_warn(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(file, line, "warning", format, arguments);
    va_end(arguments);
}

char *gen_read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        gen_fail(path, 0, "cannot be read");
    struct gen_text t = {0};
    char buffer[65536];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add_bytes(&t, buffer, got);
    if (ferror(file))
        gen_fail(path, 0, "cannot be read");
    fclose(file);
    if (!t.chars)
        text_add_string(&t, "");
    if (memchr(t.chars, 0, t.length))
        gen_fail(path, 0, "holds a zero byte, is not text");
    if (length)
        *length = t.length;
    return t.chars;
}

/* Returns the index after the last comma of LINE that is followed by a blank, lies between FROM and LIMIT, and is in no
 * string. FROM: there is none. */
static size_t find_break(const char *line, size_t from, size_t limit)
{
    size_t found = from;
    bool quoted = false;
    for (size_t i = from; i < limit; i++) {
        quoted ^= line[i] == '"' && (i == from || line[i - 1] != '\\');
        if (!quoted && line[i] == ',' && line[i + 1] == ' ')
            found = i + 1;
    }
    return found;
}

/* Returns S with its long lines of C broken after commas. What follows a break is aligned with the text after the
 * line's first bracket; if that is far to the right, it is indented by four columns. */
static struct gen_text wrap_lines(const char *s)
{
    enum { COLUMNS = 120 };
    struct gen_text out = {0};
    while (*s) {
        size_t length = strcspn(s, "\n"), open = strcspn(s, "({\n"), blanks = strspn(s, " "), from = 0;
        size_t indent = open < COLUMNS / 2 ? open + 1 : blanks + 4;
        while (*s != '#' && (from ? indent : 0) + length - from > COLUMNS) {
            size_t at = find_break(s, from, from + COLUMNS - (from ? indent : 0));
            if (at == from)
                break;
            text_add_bytes(&out, s + from, at - from);
            text_add(&out, "\n%*s", (int)indent, "");
            from = at + 1;
        }
        text_add_bytes(&out, s + from, length - from);
        text_add_string(&out, "\n");
        s += length + (s[length] == '\n');
    }
    return out;
}

void gen_write_file(const char *folder, const char *name, const struct gen_text *t)
{
    const char *path = gen_format("%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        gen_fail(path, 0, "cannot be written");
    size_t length = strlen(name);
    bool code = length > 2 && name[length - 2] == '.';
    struct gen_text wrapped = code ? wrap_lines(text_string(t)) : *t;
    size_t written = fwrite(text_string(&wrapped), 1, wrapped.length, file);
    if (fclose(file) || written != wrapped.length)
        gen_fail(path, 0, "cannot be written");
}

static bool matches_one(const char *pattern, const char *end, const char *s)
{
    for (; pattern < end; pattern++, s++) {
        if (*pattern == '*') {
            for (;; s++) {
                if (matches_one(pattern + 1, end, s))
                    return true;
                if (!*s)
                    return false;
            }
        }
        if (*pattern != *s)
            return false;
    }
    return !*s;
}

bool gen_matches(const char *pattern, const char *s)
{
    for (;;) {
        const char *end = strchr(pattern, '|');
        if (matches_one(pattern, end ? end : pattern + strlen(pattern), s))
            return true;
        if (!end)
            return false;
        pattern = end + 1;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool gen_mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = text; (p = strstr(p, name)); p += length)
        if ((p == text || !is_word(p[-1])) && !is_word(p[length]))
            return true;
    return false;
}

char *gen_replace(const char *source, const char *from, const char *to)
{
    struct gen_text t = {0};
    const char *found;
    while ((found = strstr(source, from))) {
        text_add_bytes(&t, source, (size_t)(found - source));
        text_add_string(&t, to);
        source = found + strlen(from);
    }
    text_add_string(&t, source);
    return t.chars;
}

static const char *field_value(const struct field *fields, const char *name, const char *file)
{
    for (const struct field *f = fields; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f->value ? f->value : "";
    gen_fail(file, 0, "unknown field @%s@", name);
}

/* Returns the name of the field that begins at P, and sets *AFTER to what follows it; NULL: no field begins there. */
static char *field_at(const char *p, const char **after)
{
    if (*p != '@')
        return NULL;
    const char *end = p + 1;
    while (is_word(*end))
        end++;
    if (*end != '@' || end == p + 1)
        return NULL;
    *after = end + 1;
    return gen_copy(p + 1, (size_t)(end - p - 1));
}

static void add_indented(struct gen_text *out, const char *indent, size_t indent_length, const char *value)
{
    while (*value) {
        size_t length = strcspn(value, "\n");
        if (length)
            text_add_bytes(out, indent, indent_length);
        text_add_bytes(out, value, length);
        text_add_string(out, "\n");
        value += length + (value[length] == '\n');
    }
}

void template_fill(struct gen_text *out, const char *folder, const char *name, const struct field *fields)
{
    const char *file = gen_format("%s/%s", folder, name);
    const char *p = gen_read_file(file, NULL);
    const char *after;
    char *field;
    while (*p) {
        size_t indent = strspn(p, " ");
        if ((field = field_at(p + indent, &after)) && *after == '\n') {
            add_indented(out, p, indent, field_value(fields, field, file));
            p = after + 1;
            continue;
        }
        for (; *p && *p != '\n'; p++) {
            if ((field = field_at(p, &after))) {
                text_add_string(out, field_value(fields, field, file));
                p = after - 1;
            } else {
                text_add_bytes(out, p, 1);
            }
        }
        if (*p) {
            text_add_string(out, "\n");
            p++;
        }
    }
}
