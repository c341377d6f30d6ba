/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps before calls, from the profile; see class_gaps.h. */
#include "analysis/class_gaps.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"

static void drop_classes(struct class_gaps *g)
{
    for (size_t i = 0; i < g->count; i++)
        for (struct class_gap *gap = g->classes[i].gaps, *next; gap; gap = next) {
            next = gap->next;
            free(gap);
        }
    free(g->classes);
    g->classes = NULL;
    g->count = 0;
}

/* The cursor has come into a segment. */
static enum pilgrim_status begin_segment(struct class_gaps *g, struct pilgrim_error *error)
{
    struct pilgrim_thread_info info;
    drop_classes(g);
    pilgrim_thread_info(g->cursor, &info);
    g->classes = calloc(info.class_count + 1, sizeof *g->classes);
    g->count = g->classes ? info.class_count : 0;
    g->segment = pilgrim_cursor_segment(g->cursor);
    g->before = PILGRIM_NO_CALL;
    return g->classes ? PILGRIM_OK : no_memory(error);
}

enum pilgrim_status class_gaps_open(struct class_gaps *g, const struct pilgrim_trace *trace, uint32_t rank,
                                    uint32_t thread, struct pilgrim_error *error)
{
    *g = (struct class_gaps){.rank = rank, .thread = thread};
    const enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &g->cursor, error);
    return status == PILGRIM_OK ? begin_segment(g, error) : status;
}

void class_gaps_close(struct class_gaps *g)
{
    drop_classes(g);
    pilgrim_cursor_close(g->cursor);
    *g = (struct class_gaps){0};
}

enum pilgrim_status class_gaps_go_to(struct class_gaps *g, const struct pilgrim_trace *trace, uint64_t seq,
                                     struct pilgrim_error *error)
{
    pilgrim_cursor_close(g->cursor);
    g->left = 0;
    enum pilgrim_status status = pilgrim_cursor_open(trace, g->rank, g->thread, &g->cursor, error);
    if (status == PILGRIM_OK)
        status = pilgrim_cursor_skip(g->cursor, seq);
    if (status == PILGRIM_OK && pilgrim_segment_count(trace) > 1)
        status = begin_segment(g, error);
    g->before = PILGRIM_NO_CALL;
    return status;
}

enum pilgrim_status class_gaps_come(struct class_gaps *g, struct pilgrim_error *error)
{
    while (!g->left) {
        enum pilgrim_status status = pilgrim_cursor_pass(g->cursor, &g->class_number, &g->left, error);
        if (status == PILGRIM_OK && pilgrim_cursor_segment(g->cursor) != g->segment)
            status = begin_segment(g, error);
        if (status != PILGRIM_OK)
            return status;
    }
    return PILGRIM_OK;
}

struct class_gaps_class *class_gaps_class(struct class_gaps *g)
{
    return g->class_number < g->count ? &g->classes[g->class_number] : NULL;
}

struct class_gap *class_gaps_find(struct class_gaps *g)
{
    struct class_gaps_class *c = class_gaps_class(g);
    struct class_gap *gap = c ? c->gaps : NULL;
    while (gap && gap->before != g->before)
        gap = gap->next;
    if (gap || !c || !(gap = calloc(1, sizeof *gap)))
        return gap;
    struct pilgrim_statistic *s = &gap->statistic;
    if (pilgrim_gaps(g->cursor, g->class_number, PILGRIM_VALUE_GROUP, g->before, s) != PILGRIM_OK || !s->count)
        if (pilgrim_gaps(g->cursor, g->class_number, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, s) != PILGRIM_OK)
            *s = (struct pilgrim_statistic){0};
    gap->before = g->before;
    gap->next = c->gaps;
    c->gaps = gap;
    return gap;
}

void class_gaps_go(struct class_gaps *g, uint64_t n)
{
    g->before = g->class_number;
    g->left -= n < g->left ? n : g->left;
}

uint64_t class_gaps_calls(const struct pilgrim_cursor *cursor, uint64_t values)
{
    struct pilgrim_grammar *grammar;
    if (pilgrim_grammar_open(cursor, values, &grammar, NULL) != PILGRIM_OK)
        return 0;
    const uint64_t length = pilgrim_grammar_length(grammar);
    pilgrim_grammar_close(grammar);
    return length;
}

/* Returns how long calls of a class would take on the thread by their means, ns; or the GAPS before them. Where bodies
 * of loops are stored, a class has a number in each of them. */
static double by_means(const struct pilgrim_cursor *cursor, const struct pilgrim_class *class, bool gaps)
{
    struct pilgrim_thread_info thread;
    double sum = 0;
    pilgrim_thread_info(cursor, &thread);
    for (size_t i = 0; i < thread.class_count; i++) {
        struct pilgrim_class_info info;
        struct pilgrim_statistic s;
        if (pilgrim_class_info(cursor, i, &info) == PILGRIM_OK && !info.body && info.class_ == class &&
            (gaps ? pilgrim_gaps(cursor, i, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &s)
                  : pilgrim_durations(cursor, i, PILGRIM_VALUE_GROUP, &s)) == PILGRIM_OK)
            sum += s.mean_ns * (double)class_gaps_calls(cursor, info.values);
    }
    return sum;
}

void class_gaps_own(const struct class_gaps *g, size_t class_number, double *gap_scale, double *duration_scale)
{
    struct pilgrim_class_info info;
    struct pilgrim_rank_class own;
    *gap_scale = *duration_scale = 1;
    if (pilgrim_rank_class(g->cursor, class_number, &own) != PILGRIM_OK || !own.rank_count ||
        pilgrim_class_info(g->cursor, class_number, &info) != PILGRIM_OK)
        return;
    const double gaps = own.has_gaps ? by_means(g->cursor, info.class_, true) : 0;
    const double durations = own.has_durations ? by_means(g->cursor, info.class_, false) : 0;
    if (gaps > 0)
        *gap_scale = own.gaps_ns / gaps;
    if (durations > 0)
        *duration_scale = own.durations_ns / durations;
}
