/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the programs of threads as loops with their trips (--loops); pilgrim-decode(1), LOOPS, explains the output. */
#include <stdio.h>
#include <string.h>

#include "decode_errors.h"
#include "print.h"
#include "analysis/program_tree.h"
#include "analysis/thread_loops.h"

void loops_calls(struct output *o, uint64_t least, uint64_t most, size_t threads)
{
    out_text(o, ": ");
    out_uint(o, least);
    if (most != least) {
        out_text(o, "..");
        out_uint(o, most);
    }
    out_text(o, most == 1 ? " call\n" : threads > 1 ? " calls each\n" : " calls\n");
}

void loops_counts(struct output *o, const struct nest_counts *c)
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

void loops_texts(struct output *o, const struct phase_texts *phases)
{
    for (size_t i = 0; i < phases->count; i++) {
        out_text(o, i > 0 ? ", " : "");
        out_json_string(o, phases->texts[i], strlen(phases->texts[i]));
    }
    out_text(o, phases->more ? ", ..." : "");
}

void loops_phase(struct output *o, const struct phase_texts *phases)
{
    out_text(o, "phase ");
    loops_texts(o, phases);
}

void loops_number(struct output *o, uint64_t first, uint64_t last)
{
    out_text(o, "loop ");
    out_uint(o, first);
    if (last != first) {
        out_text(o, "..");
        out_uint(o, last);
    }
    out_text(o, ": ");
}

/* Prints "in 1 of 5 iterations" if TIMES of AROUND are that, in small numbers. */
static bool out_fraction(struct output *o, uint64_t times, uint64_t around, const char *separator)
{
    enum { MOST = 20 };
    for (uint64_t of = 2; of <= MOST; of++) {
        uint64_t part = (uint64_t)((double)times / (double)around * (double)of + 0.5), left, right;
        if (part == 0 || __builtin_mul_overflow(part, around, &left) || __builtin_mul_overflow(times, of, &right) ||
            left != right)
            continue;
        out_text(o, separator);
        out_text(o, "in ");
        out_uint(o, part);
        out_text(o, " of ");
        out_uint(o, of);
        out_text(o, " iterations");
        return true;
    }
    return false;
}

void loops_share(struct output *o, uint64_t times, uint64_t around, const char **separator)
{
    if (times >= around)
        return;
    const char *before = *separator;
    *separator = ", ";
    if (out_fraction(o, times, around, before))
        return;
    double percent = 100 * (double)times / (double)around;
    char text[32];
    if (percent < 0.1)
        strcpy(text, "less than 0.1");
    else
        snprintf(text, sizeof text, percent < 10 || percent >= 99 ? "%.1f" : "%.0f", percent < 99.9 ? percent : 99.9);
    out_text(o, before);
    out_text(o, "in ");
    out_text(o, text);
    out_text(o, "% of the iterations");
}

void loops_time(struct output *o, double ns, double gap_ns, uint64_t calls, size_t threads, const char *separator)
{
    if (ns > 0) {
        out_text(o, separator);
        out_duration(o, ns / (double)threads);
        if (calls > threads) {
            out_text(o, " (");
            out_duration(o, ns / (double)calls);
            out_text(o, " each)");
        }
        separator = ", ";
    }
    if (gap_ns <= 0)
        return;
    out_text(o, separator);
    out_duration(o, gap_ns / (double)calls);
    out_text(o, calls > threads ? " before each" : " before it");
}

static void out_item(struct output *o, const struct shown_loops *s, size_t i, struct source_lines *lines)
{
    const struct nest_item *item = &s->items[i];
    const char *separator = "   ";
    for (uint32_t depth = 0; depth <= item->depth; depth++)
        out_text(o, "    ");
    if (item->is_loop) {
        loops_number(o, item->number, item->number_last);
        loops_counts(o, &item->counts);
    } else {
        if (s->phases && s->phases[i].count > 0)
            loops_phase(o, &s->phases[i]);
        else
            out_name(o, s->classes[i]->function->name);
        out_text(o, " at ");
        text_site(o, s->classes[i], UINT64_MAX, lines);
        if (item->counts.max > 1) {
            out_text(o, separator);
            loops_number(o, item->number, item->number_last);
            loops_counts(o, &item->counts);
            separator = ", ";
        }
    }
    if (item->loop != NEST_NONE)
        loops_share(o, item->counts.times, s->items[item->loop].counts.total, &separator);
    if (!item->is_loop)
        loops_time(o, s->ns[i], s->gap_ns[i], item->counts.total, s->thread_count, separator);
    out_char(o, '\n');
}

enum pilgrim_status loops_print(struct output *o, const struct loops_list *l, struct source_lines *lines,
                                const struct loops_options *options, struct pilgrim_error *error)
{
    const struct shown_loops *s;
    if (options->json || options->csv || options->paths || program_has_paths(l))
        return program_print(o, l, lines, options, error);
    for (size_t i = 0; (s = loops_list_shown(l, i)) && !o->error; i++) {
        if (i > 0)
            out_char(o, '\n');
        if (!threads_print(o, s->threads, s->thread_count))
            return no_memory(error);
        loops_calls(o, s->calls_min, s->calls_max, s->thread_count);
        for (size_t k = 0; k < s->count; k++)
            out_item(o, s, k, lines);
    }
    return PILGRIM_OK;
}
