/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws times from statistics; see drawn_times.h. */
#include "drawn_times.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"

/* The mean gap before calls of a class, behind calls of one class. */
struct drawn_gap {
    struct drawn_gap *next;
    uint64_t before;
    double ns;
};

struct drawn_class {
    bool known;
    double duration_ns, gap_scale;
    struct drawn_gap *gaps;
};

struct drawn_times {
    struct pilgrim_cursor *cursor; /* walks along, to tell the calls' classes */
    uint64_t seq;                  /* of the next call */
    size_t class_number;           /* of the next calls, ... */
    uint64_t left;                 /* ... so many of them */
    uint64_t before;               /* class of the last call */
    uint32_t segment;
    double ns; /* when the last call ended */
    struct drawn_class *classes;
    size_t count;
};

static void drop_classes(struct drawn_times *d)
{
    for (size_t i = 0; i < d->count; i++)
        for (struct drawn_gap *gap = d->classes[i].gaps, *next; gap; gap = next) {
            next = gap->next;
            free(gap);
        }
    free(d->classes);
    d->classes = NULL;
    d->count = 0;
}

/* The cursor has come into a segment. */
static bool begin_segment(struct drawn_times *d)
{
    struct pilgrim_thread_info info;
    drop_classes(d);
    pilgrim_thread_info(d->cursor, &info);
    d->classes = calloc(info.class_count + 1, sizeof *d->classes);
    d->count = d->classes ? info.class_count : 0;
    d->segment = pilgrim_cursor_segment(d->cursor);
    d->before = PILGRIM_NO_CALL;
    return d->classes != NULL;
}

/* Returns how many calls of a class the thread makes in the segment. */
static double class_calls(const struct pilgrim_cursor *cursor, uint64_t values)
{
    struct pilgrim_grammar *grammar;
    struct pilgrim_error error;
    if (pilgrim_grammar_open(cursor, values, &grammar, &error) != PILGRIM_OK)
        return 0;
    const double length = (double)pilgrim_grammar_length(grammar);
    pilgrim_grammar_close(grammar);
    return length;
}

/* Returns the mean of what is known, as a rank has it if it differs. */
static double own_share(double own_ns, double mean_ns, double calls)
{
    return mean_ns > 0 && calls > 0 ? own_ns / (mean_ns * calls) : 1;
}

static struct drawn_class *class_of(struct drawn_times *d)
{
    struct drawn_class *c = &d->classes[d->class_number];
    struct pilgrim_class_info info;
    struct pilgrim_statistic durations, gaps;
    struct pilgrim_rank_class own;
    if (c->known)
        return c;
    c->known = true;
    c->gap_scale = 1;
    if (pilgrim_class_info(d->cursor, d->class_number, &info) != PILGRIM_OK || info.body ||
        pilgrim_durations(d->cursor, d->class_number, PILGRIM_VALUE_GROUP, &durations) != PILGRIM_OK)
        return c;
    c->duration_ns = durations.mean_ns;
    if (pilgrim_rank_class(d->cursor, d->class_number, &own) != PILGRIM_OK || !own.rank_count)
        return c;
    const double calls = class_calls(d->cursor, info.values);
    if (own.has_durations)
        c->duration_ns *= own_share(own.durations_ns, durations.mean_ns, calls);
    if (own.has_gaps &&
        pilgrim_gaps(d->cursor, d->class_number, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &gaps) == PILGRIM_OK)
        c->gap_scale = own_share(own.gaps_ns, gaps.mean_ns, calls);
    return c;
}

static double gap_of(struct drawn_times *d, struct drawn_class *c)
{
    struct pilgrim_statistic s;
    for (const struct drawn_gap *gap = c->gaps; gap; gap = gap->next)
        if (gap->before == d->before)
            return gap->ns;
    if (pilgrim_gaps(d->cursor, d->class_number, PILGRIM_VALUE_GROUP, d->before, &s) != PILGRIM_OK || !s.count)
        if (pilgrim_gaps(d->cursor, d->class_number, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &s) != PILGRIM_OK)
            s = (struct pilgrim_statistic){0};
    const double ns = s.mean_ns * c->gap_scale;
    struct drawn_gap *gap = malloc(sizeof *gap);
    if (gap) { /* without memory it is looked up again */
        *gap = (struct drawn_gap){.next = c->gaps, .before = d->before, .ns = ns};
        c->gaps = gap;
    }
    return ns;
}

enum pilgrim_status drawn_times_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                     struct drawn_times **d, struct pilgrim_error *error)
{
    struct drawn_times *made = calloc(1, sizeof *made);
    *d = NULL;
    if (!made)
        return no_memory(error);
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &made->cursor, error);
    if (status == PILGRIM_OK && !begin_segment(made))
        status = no_memory(error);
    if (status == PILGRIM_OK)
        *d = made;
    else
        drawn_times_close(made);
    return status;
}

void drawn_times_close(struct drawn_times *d)
{
    if (!d)
        return;
    drop_classes(d);
    pilgrim_cursor_close(d->cursor);
    free(d);
}

/* Passes over what comes next. */
static enum pilgrim_status next_run(struct drawn_times *d, struct pilgrim_error *error)
{
    enum pilgrim_status status = pilgrim_cursor_pass(d->cursor, &d->class_number, &d->left, error);
    if (status == PILGRIM_OK && pilgrim_cursor_segment(d->cursor) != d->segment && !begin_segment(d))
        return no_memory(error);
    return status;
}

/* Goes over N calls of the run that is left, and returns how long the last one took. */
static double go_over(struct drawn_times *d, uint64_t n)
{
    struct drawn_class *c = class_of(d);
    const double duration = c->duration_ns;
    d->ns += gap_of(d, c) + duration;
    d->before = d->class_number;
    if (n > 1)
        d->ns += (double)(n - 1) * (gap_of(d, c) + duration);
    d->left -= n;
    d->seq += n;
    return duration;
}

enum pilgrim_status drawn_times_set(struct drawn_times *d, struct pilgrim_call *call, struct pilgrim_error *error)
{
    double duration = 0;
    while (d->seq <= call->seq) {
        while (!d->left) {
            const enum pilgrim_status status = next_run(d, error);
            if (status == PILGRIM_END) { /* the trace says more calls than it has */
                d->seq = call->seq + 1;
                d->left = 1;
                break;
            }
            if (status != PILGRIM_OK)
                return status;
        }
        if (d->seq > call->seq)
            break;
        const uint64_t wanted = call->seq - d->seq + 1;
        duration = go_over(d, wanted < d->left ? wanted : d->left);
    }
    call->timed = true;
    call->end_ns = (uint64_t)d->ns;
    call->start_ns = (uint64_t)(d->ns > duration ? d->ns - duration : 0);
    return PILGRIM_OK;
}
