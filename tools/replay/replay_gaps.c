/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting between calls; see replay_gaps.h. */
#include "replay_gaps.h"

#include <stdlib.h>
#include <time.h>

enum { CALLS_ADDED_MAX = 10000000 };
static const double SLEEP_MIN_NS = 20000; /* shorter gaps are waited for in a loop */
static const double GOLDEN = 0.61803398874989485;

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
static double draw(struct class_gap *d)
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

/* Returns the gaps before the next call, with the scale that makes the mean of what is drawn that of the statistic. */
static struct class_gap *draw_of(struct replay_gaps *g)
{
    struct class_gap *d = class_gaps_find(&g->classes);
    if (d && d->drawn == 0 && d->scale == 0) {
        const double mean = histogram_mean(&d->statistic);
        d->scale = mean > 0 ? d->statistic.mean_ns / mean : 0;
    }
    return d;
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
        sum += s.mean_ns * (double)class_gaps_calls(cursor, class.values);
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
    *g = (struct replay_gaps){
        .options = options, .share = 1, .ended_ns = g->ended_ns, .traced_end_ns = g->traced_end_ns};
    const char *timing = pilgrim_property(trace, "timing");
    const bool alone = pilgrim_thread_count(trace, rank) == 1 && pilgrim_segment_count(trace) == 1;
    g->profile = timing && timing[0] == 'a';
    if (options->compute == COMPUTE_NONE)
        return true;
    if (timing && timing[0] == 'b' && alone) /* equal gaps are rounded alike: up to half a bin in the sum */
        set_share(g, trace, rank, recorded_ns(trace, rank, thread));
    if (!g->profile)
        return true;
    if (class_gaps_open(&g->classes, trace, rank, thread, NULL) != PILGRIM_OK)
        return false;
    if (alone)
        set_share(g, trace, rank, expected_ns(g->classes.cursor));
    return true;
}

bool gaps_go_to(struct replay_gaps *g, struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, uint64_t seq)
{
    g->traced_end_ns = UINT64_MAX; /* there is no gap before that call */
    if (!g->classes.cursor)
        return true;
    class_gaps_close(&g->classes);
    return class_gaps_open(&g->classes, trace, rank, thread, NULL) == PILGRIM_OK &&
           pilgrim_cursor_skip(g->classes.cursor, seq) == PILGRIM_OK;
}

void gaps_close(struct replay_gaps *g)
{
    class_gaps_close(&g->classes);
}

/* Moves to the class of the next call, and returns a gap before it. */
static double next_drawn(struct replay_gaps *g)
{
    if (class_gaps_come(&g->classes, NULL) != PILGRIM_OK)
        return 0;
    struct class_gap *d = draw_of(g);
    class_gaps_go(&g->classes, 1);
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
