/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting between calls; see replay_gaps.h. */
#include "replay_gaps.h"

#include <stdlib.h>
#include <time.h>

enum { CALLS_ADDED_MAX = 10000000 };
static const double SLEEP_MIN_NS = 20000; /* shorter gaps are waited for in a loop */
static const double GOLDEN = 0.61803398874989485;

/* The gaps before calls of one class, behind calls of one class. */
struct replay_draw {
    struct replay_draw *next;
    uint64_t before;
    struct pilgrim_statistic statistic;
    double scale; /* so that the mean of what is drawn is that of the statistic */
    uint64_t drawn;
};

uint64_t replay_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static double bucket_low(int k)
{
    return k == 0 ? 0 : (double)(UINT64_C(1) << (k - 1));
}

static double bucket_high(int k)
{
    return k == 0 ? 0 : (double)(UINT64_C(1) << (k - 1)) * 2;
}

/* Returns the mean of what a uniform draw within buckets gives; 0 if the histogram is empty. */
static double histogram_mean(const struct pilgrim_statistic *s)
{
    double sum = 0, count = 0;
    for (int k = 0; k < PILGRIM_BUCKETS - 1; k++) {
        sum += (double)s->histogram[k] * (bucket_low(k) + bucket_high(k)) / 2;
        count += (double)s->histogram[k];
    }
    return count > 0 ? sum / count : 0;
}

/* Returns the next gap: the quantile of the next number of an evenly spread sequence. */
static double draw(struct replay_draw *d)
{
    if (!d->statistic.count)
        return 0;
    if (!(d->scale > 0))
        return d->statistic.mean_ns;
    double u = (double)++d->drawn * GOLDEN, count = 0;
    u -= (double)(uint64_t)u;
    for (int k = 0; k < PILGRIM_BUCKETS - 1; k++)
        count += (double)d->statistic.histogram[k];
    double at = u * count;
    for (int k = 0; k < PILGRIM_BUCKETS - 1; k++) {
        double here = (double)d->statistic.histogram[k];
        if (here > 0 && at < here)
            return d->scale * (bucket_low(k) + at / here * (bucket_high(k) - bucket_low(k)));
        at -= here;
    }
    return d->statistic.mean_ns;
}

static struct replay_draw *draw_of(struct replay_gaps *g)
{
    if (g->class_number >= g->draw_count)
        return NULL;
    struct replay_draw *d = g->draws[g->class_number];
    while (d && d->before != g->before)
        d = d->next;
    if (d)
        return d;
    d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->before = g->before;
    if (pilgrim_gaps(g->classes, g->class_number, PILGRIM_VALUE_GROUP, g->before, &d->statistic) != PILGRIM_OK ||
        !d->statistic.count)
        if (pilgrim_gaps(g->classes, g->class_number, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &d->statistic) !=
            PILGRIM_OK)
            d->statistic = (struct pilgrim_statistic){0};
    double mean = histogram_mean(&d->statistic);
    d->scale = mean > 0 ? d->statistic.mean_ns / mean : 0;
    d->next = g->draws[g->class_number];
    g->draws[g->class_number] = d;
    return d;
}

static void drop_draws(struct replay_gaps *g)
{
    for (size_t i = 0; i < g->draw_count; i++)
        for (struct replay_draw *d = g->draws[i], *next; d; d = next) {
            next = d->next;
            free(d);
        }
    free(g->draws);
    g->draws = NULL;
    g->draw_count = 0;
}

/* The cursor has come into a segment. */
static bool begin_segment(struct replay_gaps *g)
{
    struct pilgrim_thread_info info;
    drop_draws(g);
    pilgrim_thread_info(g->classes, &info);
    g->draws = calloc(info.class_count + 1, sizeof(struct replay_draw *));
    g->draw_count = g->draws ? info.class_count : 0;
    g->segment = pilgrim_cursor_segment(g->classes);
    g->before = PILGRIM_NO_CALL;
    return g->draws != NULL;
}

/* Returns how many calls of a class the thread makes in the segment. */
static uint64_t class_calls(const struct pilgrim_cursor *cursor, uint64_t values)
{
    struct pilgrim_grammar *grammar;
    if (pilgrim_grammar_open(cursor, values, &grammar, NULL) != PILGRIM_OK)
        return 0;
    uint64_t length = pilgrim_grammar_length(grammar);
    pilgrim_grammar_close(grammar);
    return length;
}

/* Returns what the gaps of the thread's calls would last by the means of their classes, ns, in the first segment. */
static double expected_ns(const struct pilgrim_cursor *cursor)
{
    struct pilgrim_thread_info info;
    double sum = 0;
    pilgrim_thread_info(cursor, &info);
    for (size_t i = 0; i < info.class_count; i++) {
        struct pilgrim_class_info class;
        struct pilgrim_statistic s;
        if (pilgrim_class_info(cursor, i, &class) != PILGRIM_OK || class.body ||
            pilgrim_gaps(cursor, i, PILGRIM_VALUE_GROUP, PILGRIM_ANY_CALL, &s) != PILGRIM_OK)
            continue;
        sum += s.mean_ns * (double)class_calls(cursor, class.values);
    }
    return sum;
}

/* Returns the sum of a thread's recorded gaps, ns; 0 if there are too many to add them up before the replay. */
static double recorded_ns(struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    uint64_t calls = 0, end_ns = UINT64_MAX;
    double sum = 0;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, NULL);
    if (status != PILGRIM_OK)
        return 0;
    while (calls++ < CALLS_ADDED_MAX && (status = pilgrim_cursor_next(cursor, &call, NULL)) == PILGRIM_OK) {
        if (call.timed && call.start_ns > end_ns)
            sum += (double)(call.start_ns - end_ns);
        if (call.timed)
            end_ns = call.end_ns;
    }
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? sum : 0;
}

/* Sets the share, if the rank's time between calls is known to be the thread's: it has one, in one segment. */
static void set_share(struct replay_gaps *g, struct pilgrim_trace *trace, uint32_t rank, double expected_ns)
{
    struct pilgrim_rank_profile own;
    if (expected_ns > 0 && pilgrim_rank_profile(trace, rank, &own, NULL) == PILGRIM_OK &&
        (g->profile || own.rank_count == 1)) /* a block's mean is not the sum of this rank's rounded gaps */
        g->share = own.ns[PILGRIM_COMPUTING] / expected_ns;
}

bool gaps_open(struct replay_gaps *g, const struct replay_options *options, struct pilgrim_trace *trace, uint32_t rank,
               uint32_t thread)
{
    *g = (struct replay_gaps){.options = options,
                              .share = 1,
                              .before = PILGRIM_NO_CALL,
                              .ended_ns = g->ended_ns,
                              .traced_end_ns = g->traced_end_ns};
    const char *timing = pilgrim_property(trace, "timing");
    const bool alone = pilgrim_thread_count(trace, rank) == 1 && pilgrim_segment_count(trace) == 1;
    g->profile = timing && timing[0] == 'a';
    if (options->compute == COMPUTE_NONE)
        return true;
    if (timing && timing[0] == 'b' && alone) /* equal gaps are rounded alike: up to half a bin in the sum */
        set_share(g, trace, rank, recorded_ns(trace, rank, thread));
    if (!g->profile)
        return true;
    if (pilgrim_cursor_open(trace, rank, thread, &g->classes, NULL) != PILGRIM_OK || !begin_segment(g))
        return false;
    if (alone)
        set_share(g, trace, rank, expected_ns(g->classes));
    return true;
}

bool gaps_go_to(struct replay_gaps *g, struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, uint64_t seq)
{
    g->traced_end_ns = UINT64_MAX; /* there is no gap before that call */
    if (!g->classes)
        return true;
    pilgrim_cursor_close(g->classes);
    g->classes = NULL;
    g->class_left = 0;
    return pilgrim_cursor_open(trace, rank, thread, &g->classes, NULL) == PILGRIM_OK && begin_segment(g) &&
           pilgrim_cursor_skip(g->classes, seq) == PILGRIM_OK;
}

void gaps_close(struct replay_gaps *g)
{
    drop_draws(g);
    pilgrim_cursor_close(g->classes);
    g->classes = NULL;
}

/* Moves to the class of the next call, and returns a gap before it. */
static double next_drawn(struct replay_gaps *g)
{
    size_t number = 0;
    while (!g->class_left) {
        if (pilgrim_cursor_pass(g->classes, &number, &g->class_left, NULL) != PILGRIM_OK)
            return 0;
        if (pilgrim_cursor_segment(g->classes) != g->segment && !begin_segment(g))
            return 0;
        g->class_number = number;
    }
    g->class_left--;
    struct replay_draw *d = draw_of(g);
    g->before = g->class_number;
    return d ? draw(d) * g->share : 0;
}

void gaps_wait(struct replay_gaps *g, const struct pilgrim_call *call)
{
    double gap = 0;
    if (g->options->compute == COMPUTE_NONE)
        return;
    if (g->profile)
        gap = next_drawn(g);
    else if (call->timed && call->start_ns > g->traced_end_ns)
        gap = (double)(call->start_ns - g->traced_end_ns) * g->share;
    if (call->timed)
        g->traced_end_ns = call->end_ns;
    if (!g->ended_ns || g->pressed)
        return;
    gap = gap / g->options->speed - g->late_ns;
    for (;;) {
        double left = gap - (double)(replay_now() - g->ended_ns);
        if (left <= 0) {
            g->late_ns = -left;
            return;
        }
        if (g->options->compute == COMPUTE_SLEEP && left > SLEEP_MIN_NS) {
            struct timespec t = {.tv_sec = (time_t)(left / 1e9)};
            t.tv_nsec = (long)(left - (double)t.tv_sec * 1e9);
            nanosleep(&t, NULL);
        }
    }
}

void gaps_ended(struct replay_gaps *g)
{
    if (g->options->compute != COMPUTE_NONE)
        g->ended_ns = replay_now();
}
