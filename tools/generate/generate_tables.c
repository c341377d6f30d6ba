/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the generated program; see generate_tables.h. */
#include "generate_tables.h"

#include <inttypes.h>
#include <string.h>

enum { LINE_CHARS = 92, ONE_LINE = 16 };

static uint64_t written; /* numbers in all tables */
static unsigned uses;

void table_numbers(const struct proxy *p, struct text *line, const int64_t *values, const bool *has, uint64_t count,
                   const char *indent)
{
    if ((written += count) > TABLE_MAX)
        generate_fail("the trace is too irregular: tables would have more than %d numbers", TABLE_MAX);
    const size_t begin = line->length;
    size_t column = LINE_CHARS; /* the first number begins a line, if not all fit into one */
    text_put(line, "{");
    for (uint64_t i = 0; i < count; i++) {
        const char *number = !has || has[i] ? number_text(p, values[i]) : "0";
        if (column + strlen(number) + 2 > LINE_CHARS && (i || count > ONE_LINE)) {
            text_put(line, i ? ",\n%s" : "\n%s", indent);
            column = strlen(indent);
        } else if (i) {
            text_put(line, ", ");
        }
        text_put(line, "%s", number);
        column = i || count > ONE_LINE ? column + strlen(number) + 2 : line->length - begin;
    }
    text_put(line, "}");
}

bool table_is_large(const int64_t *values, const bool *has, uint64_t count)
{
    bool large = false;
    for (uint64_t i = 0; i < count && !large; i++)
        large = (!has || has[i]) && !number_is_name(values[i]) && (values[i] > INT32_MAX || values[i] < -INT32_MAX);
    return large;
}

/* ---- names ---- */

/* What an argument's name has in it, and how tables are called. */
static const struct {
    const char *part, *name;
} names[] = {{"request", "requests"},
             {"buf", "offsets"},
             {"addr", "offsets"},
             {"base", "offsets"},
             {"source", "peers"},
             {"dest", "peers"},
             {"target_rank", "peers"},
             {"root", "roots"},
             {"disp", "displacements"},
             {"count", "counts"},
             {"tag", "tags"},
             {"color", "colors"},
             {"trips", "trips"},
             {"kinds", "kinds"},
             {"ranks come", "takes_part"},
             {"", "values"}};

enum { NAMES = sizeof names / sizeof *names };

/* Returns how a table is called, without its number. */
static const char *table_name(const struct column_use *use)
{
    size_t i = 0;
    while (!strstr(use->argument ? use->argument : "", names[i].part))
        i++;
    return use->is_number && strcmp(names[i].name, "requests") != 0 ? "numbers" : names[i].name;
}

bool table_may_be(const char *name)
{
    for (size_t i = 0; i <= NAMES; i++) {
        const char *kind = i < NAMES ? names[i].name : "numbers";
        size_t length = strlen(kind);
        if (strncmp(name, kind, length) == 0 && name[length] == '_' &&
            strspn(name + length + 1, "0123456789") == strlen(name + length + 1))
            return true;
    }
    return false;
}

/* ---- tables ---- */

struct named_table {
    const char *content; /* type and numbers */
    const char *kind;    /* of its name; interned */
    const char *name;
};

const char *table_put(struct text *tables, const struct column_use *use, const char *type, const char *brackets,
                      struct text *content, const char *what)
{
    static struct named_table *made;
    static size_t count;
    const char *kind = table_name(use);
    const char *whole = text_format("%s%s = %s", type, brackets, text_of(content));
    unsigned number = 1;
    text_free(content);
    uses++;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(made[i].kind, kind) != 0)
            continue;
        number++;
        if (strcmp(made[i].content, whole) == 0)
            return made[i].name;
    }
    const char *name = text_format("%s_%u", kind, number);
    text_put(tables, "static const %s%s%s = %s; /* %s */\n", type, name, brackets, strchr(whole, '=') + 2, what);
    made = generate_grow(made, count, sizeof *made);
    made[count++] = (struct named_table){whole, kind, name};
    return name;
}

const char *table_of(const struct proxy *p, struct text *tables, const struct column_use *use, const int64_t *values,
                     const bool *has, uint64_t count, const char *what)
{
    struct text content = {0};
    table_numbers(p, &content, values, has, count, "    ");
    return table_put(tables, use, table_is_large(values, has, count) ? "long " : "int ", "[]", &content, what);
}

unsigned tables_used(void)
{
    return uses;
}
