/* --loops: the programs of threads as loops with their trips; see pilgrim-decode(1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "no_memory.h"
#include "print.h"
#include "thread_loops.h"

/* 4x; 12..97x, mean 41.2 */
static void out_counts(struct output *o, const struct nest_counts *c)
{
    out_uint(o, c->min);
    if (c->max != c->min) {
        out_text(o, "..");
        out_uint(o, c->max);
        out_text(o, "x, mean ");
        out_decimal(o, (double)c->total / (double)c->times);
    } else {
        out_char(o, 'x');
    }
}

/* In which part of the rounds of the loop around it an item comes, if not in all. */
static void out_share(struct output *o, const struct shown_loops *s, const struct nest_item *item, const char **separator)
{
    if (item->loop == NEST_NONE || item->counts.times >= s->items[item->loop].counts.total)
        return;
    double percent = 100 * (double)item->counts.times / (double)s->items[item->loop].counts.total;
    char text[32];
    if (percent < 0.1)
        strcpy(text, "less than 0.1");
    else
        snprintf(text, sizeof text, percent < 10 || percent >= 99 ? "%.1f" : "%.0f", percent < 99.9 ? percent : 99.9);
    out_text(o, *separator);
    out_text(o, "in ");
    out_text(o, text);
    out_text(o, "% of the rounds");
    *separator = ", ";
}

/* How long all calls take, of one thread of the mean; and each, and how long it is from the call before to each. */
static void out_time(struct output *o, const struct shown_loops *s, size_t i, const char *separator)
{
    if (s->ns[i] <= 0)
        return;
    out_text(o, separator);
    out_duration(o, s->ns[i] / (double)s->rank_count);
    if (s->items[i].counts.total > s->rank_count) {
        out_text(o, " (");
        out_duration(o, s->ns[i] / (double)s->items[i].counts.total);
        out_text(o, " each)");
    }
    if (s->gap_ns[i] <= 0)
        return;
    out_text(o, ", ");
    out_duration(o, s->gap_ns[i] / (double)s->items[i].counts.total);
    out_text(o, s->items[i].counts.total > s->rank_count ? " before each" : " before it");
}

static void out_item(struct output *o, const struct shown_loops *s, size_t i, struct source_lines *lines)
{
    const struct nest_item *item = &s->items[i];
    const char *separator = "   ";
    for (uint32_t depth = 0; depth <= item->depth; depth++)
        out_text(o, "    ");
    if (item->is_loop) {
        out_text(o, "loop ");
        out_counts(o, &item->counts);
    } else {
        out_text(o, s->classes[i]->function->name);
        out_text(o, " at ");
        text_site(o, s->classes[i], lines);
        if (item->counts.max > 1) {
            out_text(o, separator);
            out_counts(o, &item->counts);
            separator = ", ";
        }
    }
    out_share(o, s, item, &separator);
    if (!item->is_loop)
        out_time(o, s, i, separator);
    out_char(o, '\n');
}

/* "rank 3", "ranks 0-8 (9)" */
static bool out_ranks(struct output *o, const struct shown_loops *s)
{
    enum { DIGITS = 12 };
    char (*digits)[DIGITS] = malloc((s->rank_count + 1) * sizeof *digits);
    const char **names = malloc((s->rank_count + 1) * sizeof *names);
    char *folded = NULL;
    for (size_t i = 0; i < s->rank_count && digits && names; i++) {
        snprintf(digits[i], DIGITS, "%u", s->ranks[i]);
        names[i] = digits[i];
    }
    if (digits && names)
        folded = fold_names(names, s->rank_count);
    if (folded) {
        bool brackets = folded[0] == '[';
        out_text(o, s->rank_count == 1 ? "rank " : "ranks ");
        out_bytes(o, folded + brackets, strlen(folded) - 2 * brackets);
        if (s->rank_count > 1) {
            out_text(o, " (");
            out_uint(o, s->rank_count);
            out_char(o, ')');
        }
    }
    free(digits);
    free(names);
    bool good = folded != NULL;
    free(folded);
    return good;
}

enum pilgrim_status loops_print(struct output *o, const struct loops_list *l, struct source_lines *lines,
                                struct pilgrim_error *error)
{
    const struct shown_loops *s;
    for (size_t i = 0; (s = loops_shown(l, i)) && !o->error; i++) {
        if (i > 0)
            out_char(o, '\n');
        if (!out_ranks(o, s))
            return no_memory(error);
        out_text(o, ", thread ");
        out_uint(o, s->thread);
        out_text(o, ": ");
        out_uint(o, s->calls_min);
        if (s->calls_max != s->calls_min) {
            out_text(o, "..");
            out_uint(o, s->calls_max);
        }
        out_text(o, s->calls_max == 1 ? " call\n" : s->rank_count > 1 ? " calls each\n" : " calls\n");
        for (size_t k = 0; k < s->count; k++)
            out_item(o, s, k, lines);
    }
    return PILGRIM_OK;
}
