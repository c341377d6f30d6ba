/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the generated program; see generate_tables.h. */
#include "generate_tables.h"

#include <inttypes.h>
#include <string.h>

static unsigned table_number;
static uint64_t written; /* numbers in all tables */
static unsigned uses;

void table_numbers(const struct proxy *p, struct text *line, const int64_t *values, const bool *has, uint64_t count,
                   const char *indent)
{
    if ((written += count) > TABLE_MAX)
        generate_fail("the trace is too irregular: tables would have more than %d numbers", TABLE_MAX);
    text_put(line, "{");
    if (count > 16)
        text_put(line, "\n%s", indent);
    for (uint64_t i = 0; i < count; i++) {
        text_put(line, "%s", !has || has[i] ? number_text(p, values[i]) : "0");
        if (i + 1 < count)
            text_put(line, (i + 1) % 16 ? ", " : ",\n%s", indent);
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

struct named_table {
    const char *content; /* type and numbers */
    const char *name;
};

const char *table_put(struct text *tables, const char *type, const char *brackets, struct text *content,
                      const char *what)
{
    static struct named_table *made;
    static size_t count;
    const char *whole = text_format("%s%s = %s", type, brackets, text_of(content));
    text_free(content);
    uses++;
    for (size_t i = 0; i < count; i++)
        if (strcmp(made[i].content, whole) == 0)
            return made[i].name;
    const char *name = text_format("values_%u", ++table_number);
    text_put(tables, "static const %s%s%s = %s; /* %s */\n", type, name, brackets, strchr(whole, '=') + 2, what);
    made = generate_grow(made, count, sizeof *made);
    made[count++] = (struct named_table){whole, name};
    return name;
}

const char *table_of(const struct proxy *p, struct text *tables, const int64_t *values, const bool *has, uint64_t count,
                     const char *what)
{
    struct text content = {0};
    table_numbers(p, &content, values, has, count, "    ");
    return table_put(tables, table_is_large(values, has, count) ? "long " : "int ", "[]", &content, what);
}

unsigned tables_used(void)
{
    return uses;
}
