/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws gaps from a profile; see replay_draws.h. */
#include "replay_draws.h"

#include <math.h>
#include <string.h>

enum {
    RUNS_COUNTED_MAX = 10000000,
    RANKS_ADDED_MAX = 4096 /* of more, rounded times are off to both sides */
};
static const double GOLDEN = 0.61803398874989485;

static double bucket_low(int k)
{
    return k == 0 ? 0 : (double)(UINT64_C(1) << (k - 1));
}

/* Returns the quantile U, from 0 to below 1: times are spread evenly in a bucket. */
static double quantile(const struct class_gap *gap, double u)
{
    double at = u * gap->counted, here = 0;
    int k = gap->lowest;
    for (; k < PILGRIM_BUCKETS - 1; k++) {
        here = (double)gap->statistic.histogram[k];
        if (at < here)
            break;
        at -= here;
    }
    return bucket_low(k) * (here > 0 ? 1 + at / here : 1);
}

/* Returns the mean of the N quantiles (i + 1/2) / N; 0: the histogram is empty. */
static double drawn_mean(const struct class_gap *gap)
{
    const double n = gap->gaps ? (double)gap->gaps : 1e9;
    double sum = 0, below = 0, first = 0;
    for (int k = gap->lowest; k < PILGRIM_BUCKETS - 1; k++) {
        const double here = (double)gap->statistic.histogram[k];
        const double end = ceil(n * (below + here) / gap->counted - 0.5); /* of the quantiles in this bucket */
        const double middle = (first + end) / 2 / n * gap->counted;
        if (here > 0 && end > first)
            sum += (end - first) * bucket_low(k) * (1 + (middle - below) / here);
        first = end;
        below += here;
    }
    return sum / n;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Learns how the gap is drawn. */
static void prepare(struct class_gap *gap)
{
    for (int k = PILGRIM_BUCKETS - 2; k >= 0; k--) {
        gap->counted += (double)gap->statistic.histogram[k];
        if (gap->statistic.histogram[k])
            gap->lowest = k;
    }
    gap->prepared = true;
    gap->step = (uint64_t)((double)gap->gaps * GOLDEN + 0.5);
    while (common_divisor(gap->step, gap->gaps) > 1)
        gap->step++;
    const double mean = gap->counted > 0 ? drawn_mean(gap) : 0;
    gap->scale = mean > 0 ? gap->statistic.mean_ns / mean : 0;
}

/* Returns which of the gap's quantiles comes next. If it is not known how many gaps there are, it is any. */
static double next_quantile(struct class_gap *gap)
{
    if (!gap->gaps) {
        const double u = (double)++gap->at * GOLDEN;
        return u - (double)(uint64_t)u;
    }
    gap->at = (gap->at + gap->step) % gap->gaps;
    return ((double)gap->at + 0.5) / (double)gap->gaps;
}

/* Returns by what the class of the next call differs on this rank. */
static double own_scale(struct replay_draws *d)
{
    struct class_gaps_class *c = class_gaps_class(&d->walk);
    if (!c)
        return 1;
    if (!c->known) {
        double unused;
        c->gap_scale = 1;
        if (d->alone)
            class_gaps_own(&d->walk, d->walk.class_number, &c->gap_scale, &unused);
        c->known = true;
    }
    return c->gap_scale;
}

/* Counts the gaps of each kind, in a trace of one segment. Returns their sum by what the profile has of them, ns; 0:
 * there are too many, or they cannot be read. */
static double count_gaps(struct replay_draws *d)
{
    struct class_gaps *walk = &d->walk;
    double sum = 0;
    enum pilgrim_status status;
    for (uint64_t runs = 0; (status = class_gaps_come(walk, NULL)) == PILGRIM_OK; runs++) {
        if (runs == RUNS_COUNTED_MAX)
            return 0;
        for (uint64_t n = 1; walk->left > 0; n = walk->left) { /* the first one, and those behind their own class */
            struct class_gap *gap = class_gaps_find(walk);
            if (!gap)
                return 0;
            if (walk->before != PILGRIM_NO_CALL)
                sum += (double)n * gap->statistic.mean_ns * own_scale(d);
            gap->gaps += n;
            class_gaps_go(walk, n);
        }
    }
    return status == PILGRIM_END ? sum : 0;
}

/* KEPT: how many gaps there are is known. */
static void prepare_all(struct replay_draws *d, bool kept)
{
    for (size_t i = 0; i < d->walk.count; i++)
        for (struct class_gap *gap = d->walk.classes[i].gaps; gap; gap = gap->next) {
            gap->gaps = kept ? gap->gaps : 0;
            prepare(gap);
        }
}

/* Returns by what the times between calls of all ranks are to be multiplied to be those of the classes: each rank's
 * are rounded to 3 %. */
static double rounded_off(const struct pilgrim_trace *trace)
{
    const uint32_t ranks = pilgrim_rank_count(trace);
    struct pilgrim_rank_profile rank;
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile class;
    double by_rank = 0, by_class = 0;
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t i = 0; i < ranks && ranks <= RANKS_ADDED_MAX && status == PILGRIM_OK; i++)
        if ((status = pilgrim_rank_profile(trace, i, &rank, NULL)) == PILGRIM_OK)
            by_rank += rank.ns[PILGRIM_COMPUTING];
    if (status != PILGRIM_OK || by_rank <= 0 || pilgrim_profile_open(trace, &profile, NULL) != PILGRIM_OK)
        return 1;
    while ((status = pilgrim_profile_next(profile, &class, NULL)) == PILGRIM_OK)
        by_class += class.gaps.total_ns;
    pilgrim_profile_close(profile);
    return status == PILGRIM_END ? by_class / by_rank : 1;
}

/* Returns when MPI_Init has ended on a rank, ns since its first thread's axis began, by the means of what is before. */
static double initialized_ns(const struct pilgrim_trace *trace, uint32_t rank)
{
    struct class_gaps walk;
    struct pilgrim_class_info info;
    struct pilgrim_statistic durations;
    double ns = 0;
    bool done = class_gaps_open(&walk, trace, rank, 0, NULL) != PILGRIM_OK;
    while (!done && class_gaps_come(&walk, NULL) == PILGRIM_OK) {
        const struct class_gap *gap = class_gaps_find(&walk);
        if (!gap || pilgrim_class_info(walk.cursor, walk.class_number, &info) != PILGRIM_OK ||
            pilgrim_durations(walk.cursor, walk.class_number, PILGRIM_VALUE_GROUP, &durations) != PILGRIM_OK)
            break;
        ns += gap->statistic.mean_ns + durations.mean_ns;
        done = strncmp(info.class_->function->name, "MPI_Init", 8) == 0;
        class_gaps_go(&walk, 1);
    }
    class_gaps_close(&walk);
    return ns;
}

bool draws_open(struct replay_draws *d, const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread)
{
    struct pilgrim_rank_profile own;
    *d = (struct replay_draws){.trace = trace, .share = 1, .alone = pilgrim_thread_count(trace, rank) == 1};
    if (class_gaps_open(&d->walk, trace, rank, thread, NULL) != PILGRIM_OK)
        return false;
    if (thread)
        d->begun_ns = initialized_ns(trace, rank);
    if (pilgrim_segment_count(trace) != 1) /* counts would be known of each segment only in it */
        return true;
    const double sum = count_gaps(d);
    if (sum > 0 && d->alone && pilgrim_rank_profile(trace, rank, &own, NULL) == PILGRIM_OK)
        d->share = own.ns[PILGRIM_COMPUTING] * rounded_off(trace) / sum;
    prepare_all(d, sum > 0);
    return draws_go_to(d, trace, 0);
}

void draws_close(struct replay_draws *d)
{
    class_gaps_close(&d->walk);
}

bool draws_go_to(struct replay_draws *d, const struct pilgrim_trace *trace, uint64_t seq)
{
    return class_gaps_go_to(&d->walk, trace, seq, NULL) == PILGRIM_OK;
}

/* Returns when a thread that is not the first makes its first call, ns behind MPI_Init. Threads of a rank that do the
 * same have one distribution; they begin in the order of their numbers. */
static double beginning(const struct replay_draws *d, struct class_gap *gap)
{
    gap->gaps = pilgrim_thread_count(d->trace, d->walk.rank) - 1;
    gap->counted = 0;
    prepare(gap);
    const double u = ((double)d->walk.thread - 0.5) / (double)gap->gaps;
    const double ns = gap->scale > 0 ? gap->scale * quantile(gap, u) : gap->statistic.mean_ns;
    return ns > d->begun_ns ? ns - d->begun_ns : 0;
}

double draws_next(struct replay_draws *d)
{
    if (class_gaps_come(&d->walk, NULL) != PILGRIM_OK)
        return 0;
    struct class_gap *gap = class_gaps_find(&d->walk);
    double ns = 0;
    if (gap && d->walk.thread && d->walk.before == PILGRIM_NO_CALL && d->walk.segment == 0)
        ns = beginning(d, gap);
    else if (gap) {
        if (!gap->prepared)
            prepare(gap);
        const double u = next_quantile(gap);
        ns = gap->scale > 0 ? gap->scale * quantile(gap, u) : gap->statistic.mean_ns;
        ns *= d->share * own_scale(d);
    }
    class_gaps_go(&d->walk, 1);
    return ns;
}
