/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads gen/overrides; see override_rows.h. A later row wins over an earlier one, so general rows come first and
 * exceptions after them. */
#include "override_rows.h"

#include <string.h>

#include "gen_text.h"

/* Returns the next word of *P, and moves *P behind it. */
static char *next_word(const char **p)
{
    *p += strspn(*p, " \t");
    size_t length = strcspn(*p, " \t");
    char *word = gen_copy(*p, length);
    *p += length;
    return word;
}

static const char *trim(const char *s, size_t length)
{
    while (length && strchr(" \t", *s)) {
        s++;
        length--;
    }
    while (length && strchr(" \t", s[length - 1]))
        length--;
    return gen_copy(s, length);
}

static void read_row(struct overrides *overrides, const char *text, int line)
{
    static const char *const known[] = {"length",    "when",     "sentinel", "in",      "out",   "word",
                                        "rank_base", "leave",    "poll",     "local",   "first", "through",
                                        "after",     "template", "not",      "fortran", "hot",   NULL};
    struct override row = {.line = line};
    const char *p = text;
    row.what = next_word(&p);
    row.functions = next_word(&p);
    row.parameters = next_word(&p);
    const char *hash = strstr(p, " # ");
    if (!hash)
        gen_fail(overrides->file, line, "no reason (' # ...') at the end of the row");
    row.value = trim(p, (size_t)(hash - p));
    row.reason = trim(hash + 3, strlen(hash + 3));
    size_t i = 0;
    while (known[i] && strcmp(known[i], row.what))
        i++;
    if (!known[i])
        gen_fail(overrides->file, line, "unknown word '%s'", row.what);
    if (!*row.parameters || !*row.reason)
        gen_fail(overrides->file, line, "expected: WHAT FUNCTIONS PARAMETERS VALUE # REASON");
    overrides->rows = gen_grow(overrides->rows, overrides->count, sizeof *overrides->rows);
    overrides->rows[overrides->count++] = row;
}

void overrides_read(struct overrides *overrides, const char *file)
{
    overrides->file = file;
    const char *p = gen_read_file(file, NULL);
    for (int line = 1; *p; line++) {
        size_t length = strcspn(p, "\n");
        const char *text = gen_copy(p, length);
        int first = line;
        p += length + (p[length] == '\n');
        for (; *p == ' '; line++) {
            length = strcspn(p, "\n");
            text = gen_format("%s %s", text, gen_copy(p + strspn(p, " "), length - strspn(p, " ")));
            p += length + (p[length] == '\n');
        }
        if (*text && *text != '#')
            read_row(overrides, text, first);
    }
}

const char *override_find(const struct overrides *overrides, const char *what, const char *function,
                          const char *parameter)
{
    for (size_t i = overrides->count; i-- > 0;) {
        const struct override *row = &overrides->rows[i];
        if (strcmp(row->what, what) || !gen_matches(row->functions, function) ||
            !gen_matches(row->parameters, parameter))
            continue;
        return row->value;
    }
    return NULL;
}

const char *override_next(const struct overrides *overrides, const char *what, const char *function, size_t *at)
{
    while (*at < overrides->count) {
        const struct override *row = &overrides->rows[(*at)++];
        if (strcmp(row->what, what) == 0 && gen_matches(row->functions, function))
            return row->value;
    }
    return NULL;
}
