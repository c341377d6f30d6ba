/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the generated program, and two calls as one. */
#include <string.h>

#include "generate.h"

enum { WIDTH = 100 };

/* Adds a line, which is broken behind commas. */
static void put_line(struct text *out, unsigned indent, const char *line, size_t length)
{
    unsigned column = 4 * indent, own = column + 8;
    text_put(out, "%*s", (int)column, "");
    while (length > 0) {
        size_t end = length, last = 0;
        bool quoted = false;
        for (size_t i = 0; i < length; i++) {
            quoted = quoted != (line[i] == '"' && (i == 0 || line[i - 1] != '\\'));
            if (!quoted && line[i] == ',' && i + 1 < length && line[i + 1] == ' ') {
                if (last && column + i > WIDTH)
                    break;
                last = i + 2;
            }
        }
        if (column + length > WIDTH && last)
            end = last;
        size_t shown = end;
        while (shown > 0 && line[shown - 1] == ' ')
            shown--;
        text_bytes(out, line, shown);
        line += end;
        length -= end;
        text_put(out, length ? "\n%*s" : "\n", length ? (int)own : 0, "");
        column = own;
    }
}

void put_lines(struct text *out, unsigned indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), spaces = strspn(text, " ");
        put_line(out, indent + (unsigned)spaces / 4, text + spaces, length - spaces);
        text += length + (text[length] == '\n');
    }
}

void put_indented(struct text *out, unsigned indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        text_put(out, "%*s", length ? (int)(4 * indent) : 0, "");
        text_bytes(out, text, length);
        text_put(out, "\n");
        text += length + (text[length] == '\n');
    }
}

/* ---- two calls as one ---- */

/* Returns the length of the argument at TEXT. */
static size_t argument_length(const char *text)
{
    size_t depth = 0, i = 0;
    for (bool quoted = false; text[i]; i++) {
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted)
            continue;
        if (depth == 0 && strchr(",)", text[i]))
            break;
        depth += strchr("([{", text[i]) != NULL;
        depth -= strchr(")]}", text[i]) != NULL;
    }
    return i;
}

const char *call_by_condition(const char *condition, const char *one, const char *other)
{
    const size_t name = strcspn(one, "(");
    const char *a = one + name, *b = other + name, *made = NULL;
    if (strncmp(one, other, name) != 0 || *a != '(' || *b != '(' || strchr(one, '\n') || strchr(other, '\n'))
        return NULL;
    do {
        const size_t i = argument_length(++a), k = argument_length(++b);
        if (i != k || strncmp(a, b, i) != 0) {
            if (made || strchr(condition, '?') || memchr(a, '?', i) || memchr(b, '?', k))
                return NULL;
            made = text_format("%.*s%s ? %.*s : %.*s%s", (int)(a - one), one, condition, (int)i, a, (int)k, b, a + i);
        }
        a += i;
        b += k;
    } while (*a == ',' && *b == ',');
    return strcmp(a, b) == 0 ? made : NULL;
}
