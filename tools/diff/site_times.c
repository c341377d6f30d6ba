/* SPDX-License-Identifier: BSD-3-Clause */
/* Which times changed; see site_times.h.
 *
 * Welch's test compares the means of the profile. If both traces have exact times of calls, a rank test compares the
 * samples first: it finds a change also where a few calls took very long. Calls of the ranks of one iteration wait for
 * each other, so that they are one observation, not one for each rank. So many tests are made that a few of them would
 * find something in equal runs: the probability of one wrong row in all, not of each, is 1 %. Means in the trace are
 * rounded by up to 1 in 256, and deviations by 1 in 16; what that can explain is no change. */
#include "site_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis_errors.h"
#include "analysis/key_table.h"
#include "call_samples.h"
#include "rank_test.h"

#define WRONG_ROW      0.01        /* the probability */
#define MEAN_ROUNDING  (1.0 / 256) /* relative */
#define DEVIATION_MOST (1 + 1.0 / 16)
enum { CALLS_MIN = 8 }; /* of a rank, for a deviation or a rank to say something */

/* The times of a kind in both traces. */
struct kind_times {
    uint32_t kind;
    struct pilgrim_statistic durations[2], gaps[2];
};

struct kind_list {
    struct kind_times *kinds;
    size_t count, capacity;
    struct key_table index; /* of a kind */
};

static struct kind_times *find_times(struct kind_list *l, uint32_t kind)
{
    if (l->count == l->capacity) {
        size_t capacity = 2 * l->capacity + 32;
        struct kind_times *grown = realloc(l->kinds, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        l->kinds = grown;
        l->capacity = capacity;
    }
    uint64_t *index = key_table_put(&l->index, (struct key){{kind}}, l->count);
    if (index && *index == l->count) {
        memset(&l->kinds[l->count], 0, sizeof *l->kinds);
        l->kinds[l->count++].kind = kind;
    }
    return index ? &l->kinds[*index] : NULL;
}

static enum pilgrim_status read_profile(struct kind_list *l, const struct pilgrim_trace *trace, unsigned side,
                                        struct call_kinds *kinds, struct pilgrim_error *error)
{
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile class;
    enum pilgrim_status status = pilgrim_profile_open(trace, &profile, error);
    while (status == PILGRIM_OK && (status = pilgrim_profile_next(profile, &class, error)) == PILGRIM_OK) {
        uint32_t taken = call_kinds_take(kinds, side, class.class_, false);
        struct kind_times *times = taken == UINT32_MAX ? NULL : find_times(l, call_kinds_of(kinds, taken));
        if (!times) {
            status = no_memory(error);
            break;
        }
        pilgrim_statistic_add(&times->durations[side], &class.durations);
        pilgrim_statistic_add(&times->gaps[side], &class.gaps);
    }
    pilgrim_profile_close(profile);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Returns the z that a normal variate exceeds, in either direction, with probability P. */
static double normal_quantile(double p)
{
    double low = 0, high = 40;
    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) > p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same for Student's t with DF degrees of freedom (Abramowitz and Stegun, 26.7.5). */
static double student_quantile(double p, double df)
{
    double z = normal_quantile(p), z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * df) + (5 * z5 + 16 * z3 + 3 * z) / (96 * df * df) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * df * df * df);
}

/* True if A and B differ by more than noise, in one of TESTS tests. RANKS: by trace. */
static bool changed(const struct pilgrim_statistic *const times[2], const uint32_t ranks[2], double tests,
                    struct site_time *row)
{
    double variance[2], of_mean = 0, of_squares = 0;
    for (int side = 0; side < 2; side++) {
        double calls = floor((double)times[side]->count / ranks[side]);
        if (calls < CALLS_MIN || times[side]->brief)
            return false;
        variance[side] = pow(times[side]->deviation_ns * DEVIATION_MOST, 2) / calls;
        of_mean += variance[side];
        of_squares += variance[side] * variance[side] / (calls - 1);
        row->ns[side] = times[side]->mean_ns;
        row->total_ns[side] = times[side]->total_ns;
        row->calls[side] = times[side]->count;
    }
    double df = of_squares > 0 ? of_mean * of_mean / of_squares : 1e9, a = row->ns[0], b = row->ns[1];
    double rounding = (a + b) * MEAN_ROUNDING + 2; /* clocks count in ns at best */
    if (a <= 0 || b <= 0)
        return false;
    row->change = (b - a) / a;
    row->error = (student_quantile(0.05, df) * sqrt(of_mean) + rounding) / a;
    return fabs(b - a) > student_quantile(WRONG_ROW / tests, df) * sqrt(of_mean) + rounding;
}

/* True if the samples A and B differ by more than noise, in one of TESTS tests. */
static bool samples_changed(struct call_samples *const samples[2], double tests, struct site_time *row)
{
    static double means[2][SAMPLES_MAX];
    size_t counts[2];
    unsigned shift = samples[0]->shift > samples[1]->shift ? samples[0]->shift : samples[1]->shift;
    for (int side = 0; side < 2; side++) {
        samples_join(samples[side], shift);
        counts[side] = samples_means(samples[side], means[side]);
        if (counts[side] < CALLS_MIN)
            return false;
        row->calls[side] = samples[side]->total;
        row->total_ns[side] = samples[side]->total_ns;
    }
    const struct rank_test t = rank_test_do(means[0], counts[0], means[1], counts[1]);
    double a = t.median[0];
    if (a <= 0 || t.median[1] <= 0 || fabs(t.shift) <= 2 || fabs(t.z) <= normal_quantile(WRONG_ROW / tests))
        return false;
    row->of_medians = true;
    row->ns[0] = a;
    row->ns[1] = t.median[1];
    row->change = t.shift / a;
    row->error = (t.high - t.low) / 2 / a;
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct site_time *x = a, *y = b;
    double dx = fabs(x->total_ns[1] - x->total_ns[0]), dy = fabs(y->total_ns[1] - y->total_ns[0]);
    return dx > dy ? -1 : dx < dy;
}

/* The samples of both traces. */
struct both_samples {
    bool read;
    struct sampled_trace sides[2];
};

/* Tests the times of a kind, or the gaps before its calls. */
static bool kind_changed(const struct kind_times *k, bool gap, const struct both_samples *samples,
                         const uint32_t ranks[2], double tests, struct site_time *row)
{
    struct sampled_kind *sampled[2] = {NULL, NULL};
    const struct pilgrim_statistic *const times[2] = {gap ? &k->gaps[0] : &k->durations[0],
                                                      gap ? &k->gaps[1] : &k->durations[1]};
    for (int side = 0; side < 2 && samples->read; side++)
        sampled[side] = samples_of(&samples->sides[side], k->kind);
    if (sampled[0] && sampled[1]) {
        struct call_samples *const of[2] = {gap ? &sampled[0]->gaps : &sampled[0]->durations,
                                            gap ? &sampled[1]->gaps : &sampled[1]->durations};
        if (samples_changed(of, tests, row))
            return true;
    }
    return changed(times, ranks, tests, row);
}

static enum pilgrim_status find_changes(struct site_times *t, const struct kind_list *l,
                                        const struct both_samples *samples, const uint32_t ranks[2],
                                        struct pilgrim_error *error)
{
    double tests = (samples->read ? 4 : 2) * (double)(l->count + 1);
    t->rows = calloc(2 * l->count + 1, sizeof *t->rows);
    if (!t->rows)
        return no_memory(error);
    for (size_t i = 0; i < l->count; i++)
        for (int gap = 0; gap < 2; gap++) {
            struct site_time row = {.kind = l->kinds[i].kind, .is_gap = gap != 0};
            if (kind_changed(&l->kinds[i], gap, samples, ranks, tests, &row))
                t->rows[t->count++] = row;
        }
    qsort(t->rows, t->count, sizeof *t->rows, by_time);
    return PILGRIM_OK;
}

enum pilgrim_status site_times_compare(struct site_times *t, const struct pilgrim_trace *const traces[2],
                                       struct call_kinds *kinds, struct pilgrim_error *error)
{
    struct kind_list l = {0};
    const uint32_t ranks[2] = {pilgrim_rank_count(traces[0]), pilgrim_rank_count(traces[1])};
    enum pilgrim_status status = PILGRIM_OK;
    *t = (struct site_times){0};
    for (unsigned side = 0; side < 2 && status == PILGRIM_OK; side++)
        status = read_profile(&l, traces[side], side, kinds, error);
    struct both_samples samples = {.read = samples_are_in(traces[0]) && samples_are_in(traces[1])};
    for (unsigned side = 0; side < 2 && status == PILGRIM_OK && samples.read; side++)
        status = samples_read(&samples.sides[side], traces[side], side, kinds, error);
    if (status == PILGRIM_OK)
        status = find_changes(t, &l, &samples, ranks, error);
    samples_free(&samples.sides[0]);
    samples_free(&samples.sides[1]);
    free(l.kinds);
    key_table_clear(&l.index);
    return status;
}

void site_times_free(struct site_times *t)
{
    free(t->rows);
}
