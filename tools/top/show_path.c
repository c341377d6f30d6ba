/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions around a call; see show.h. */
#include <stdio.h>
#include <string.h>

#include "show.h"

static bool same_frame(const struct code_frame *a, const struct code_frame *b)
{
    const char *x = a->module->python, *y = b->module->python;
    return a->offset == b->offset && !strcmp(a->module->name, b->module->name) && (x && y ? !strcmp(x, y) : x == y);
}

/* Returns how many callers, the innermost ones, the calls of all units of G have in common. */
static size_t common_callers(const struct group *g)
{
    const struct class_site *first = g->units[0]->class;
    size_t count = first->caller_count;
    for (size_t i = 1; i < g->count; i++) {
        const struct class_site *other = g->units[i]->class;
        size_t same = 0;
        while (same < count && same < other->caller_count && same_frame(&first->callers[same], &other->callers[same]))
            same++;
        count = same;
    }
    return count;
}

/* True if all units of G have the same caller count, COUNT. */
static bool have_callers(const struct group *g, size_t count)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->units[i]->class->caller_count != count)
            return false;
    return true;
}

/* Appends the functions of FRAME to the COUNT ones in FUNCTIONS. Returns how many there are now. */
static size_t add_functions(const struct show *s, const struct code_frame *frame, struct source_function *functions,
                            size_t count)
{
    struct source_function found[SOURCE_FUNCTIONS_MAX];
    const struct pilgrim_frame f = show_frame(frame);
    size_t more = s->lines ? source_lines_functions(s->lines, &f, found) : 0;
    if (!more) {
        more = 1;
        snprintf(found->name, sizeof found->name, "[%.200s]", f.module);
        snprintf(found->place, sizeof found->place, "%.200s+0x%llx", f.module, (unsigned long long)f.offset);
    }
    for (size_t i = 0; i < more && count < SHOWN_FUNCTIONS_MAX; i++) {
        bool repeats = found[i].name[0] == '[' && count && !strcmp(found[i].name, functions[count - 1].name);
        if (!repeats)
            functions[count++] = found[i];
    }
    return count;
}

size_t show_path(const struct show *s, const struct group *g, struct source_function *functions, bool *whole)
{
    const struct class_site *class = g->units[0]->class;
    bool known = false;
    size_t count = 0;
    if (!class || !class->has_site || !class->caller_count)
        return 0;
    size_t callers = common_callers(g);
    count = add_functions(s, &class->site, functions, 0);
    for (size_t i = 0; i < callers; i++)
        count = add_functions(s, &class->callers[i], functions, count);
    for (size_t i = 0; i < count; i++)
        known |= functions[i].name[0] != '[';
    *whole = have_callers(g, callers) && count < SHOWN_FUNCTIONS_MAX;
    return known ? count : 0;
}
