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

double class_gaps_own(const struct class_gaps *g, size_t class_number)
{
    struct pilgrim_class_info info;
    struct pilgrim_statistic gaps;
    struct pilgrim_rank_class own;
    if (pilgrim_rank_class(g->cursor, class_number, &own) != PILGRIM_OK || !own.rank_count || !own.has_gaps ||
        pilgrim_class_info(g->cursor, class_number, &info) != PILGRIM_OK ||
        pilgrim_gaps(g->cursor, class_number, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &gaps) != PILGRIM_OK)
        return 1;
    const double shared_ns = gaps.mean_ns * (double)class_gaps_calls(g->cursor, info.values);
    return shared_ns > 0 ? own.gaps_ns / shared_ns : 1;
}
