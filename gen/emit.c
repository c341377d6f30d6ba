/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writers of wrappers and of the shadow share: conditions, recipes, declarations; see emit.h. */
#include "emit.h"

#include <string.h>

static bool one_line(const char *lines)
{
    const char *end = strchr(lines, '\n');
    return !end || !end[1];
}

static void add_lines(struct gen_text *out, const char *indent, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        text_add(out, "%s%.*s\n", indent, (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void emit_if(struct gen_text *out, const char *condition, const char *then, const char *otherwise)
{
    bool braces = !one_line(then) || (otherwise && !one_line(otherwise));
    text_add(out, "if (%s)%s\n", condition, braces ? " {" : "");
    add_lines(out, "    ", then);
    if (otherwise) {
        text_add(out, "%selse%s\n", braces ? "} " : "", braces ? " {" : "");
        add_lines(out, "    ", otherwise);
    }
    if (braces)
        text_add_string(out, "}\n");
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void emit_level(struct gen_text *out, const struct record_step *items, size_t count, const char *nothing,
                       int level)
{
    for (size_t i = 0, n; i < count; i += n) {
        const char *condition = level < 2 ? items[i].conditions[level] : NULL;
        for (n = 1; level < 2 && i + n < count && same(items[i + n].conditions[level], condition); n++) {
        }
        struct gen_text body = {0};
        if (level == 2)
            add_lines(&body, "", items[i].statements);
        else
            emit_level(&body, items + i, n, nothing, level + 1);
        if (!condition) {
            text_add_string(out, text_string(&body));
            continue;
        }
        char number[24];
        struct gen_text absent = {0};
        text_add(&absent, "%zu", n);
        strncpy(number, absent.chars, sizeof number - 1);
        number[sizeof number - 1] = 0;
        emit_if(out, condition, text_string(&body), gen_replace(nothing, "$n", number));
    }
}

void emit_items(struct gen_text *out, const struct record_step *items, size_t count, const char *nothing)
{
    emit_level(out, items, count, nothing, 0);
}

/* Returns the word for arrays of this type in names of put_ functions. */
static const char *element_word(const struct c_parameter *c)
{
    if (strstr(c->type, "MPI_Count") || strstr(c->type, "MPI_Offset"))
        return "count";
    return strstr(c->type, "MPI_Aint") ? "aint" : "int";
}

char *emit_recipe(const char *pattern, const struct parameter *p, const struct value *v, const char *value)
{
    char *s = gen_replace(pattern, "$v", value);
    s = gen_replace(s, "$k", v->word);
    if (!p)
        return s;
    const char *element = element_word(p->c);
    s = gen_replace(s, "$p", p->name);
    s = gen_replace(s, "$n", p->length ? p->length : "-1");
    s = gen_replace(s, "$t", element);
    s = gen_replace(s, "$a",
                    strcmp(element, "int") == 0     ? "ints"
                    : strcmp(element, "count") == 0 ? "large_addresses"
                                                    : "addresses");
    return gen_replace(s, "$h", strcmp(v->word, "KIND_INFO") == 0 ? "info" : "datatype");
}

char *emit_declaration(const struct c_parameter *c, const char *name)
{
    size_t length = strlen(c->type);
    return gen_format("%s%s%s%s", c->type, length && c->type[length - 1] == '*' ? "" : " ", name, c->array);
}
