/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of times: every number equals the one computed from the times themselves, whatever the times, their order
 * and the way they were merged. Classes with too many signatures or predecessors have coarser statistics, and lose no
 * call. */
#include "record/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { TIMES = 300, RANKS = 5 };

/* Each call class of each thread has some. */
_Static_assert(sizeof(struct statistics_cell) <= 300, "a cell takes too much memory");

/* From 0 ns to 200 years, mostly alike. */
static uint64_t draw_ns(void)
{
    uint64_t bits = random_below(4) ? 10 + random_below(4) : random_below(64);
    uint64_t v = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return bits ? v >> (64 - bits) : 0;
}

static void require_figures(const struct distribution *d, const uint64_t *ns, const uint32_t *ranks, unsigned count)
{
    uint16_t counts[BUCKETS] = {0};
    long double sum = 0, squares = 0;
    bool least = false, most = false;
    for (unsigned i = 0; i < count; i++) {
        least |= d->least == ns[i];
        most |= d->most == ns[i] && d->high_rank == ranks[i];
        EXPECT(d->least <= ns[i] && d->most >= ns[i], "an extreme is none");
        EXPECT(d->most > ns[i] || d->high_rank <= ranks[i], "not the first rank that has it");
        counts[histogram_bucket(bucket_of(ns[i]))]++;
        sum += (long double)ns[i];
    }
    long double mean = sum / count;
    for (unsigned i = 0; i < count; i++)
        squares += ((long double)ns[i] - mean) * ((long double)ns[i] - mean);
    ck_assert(least && most);
    ck_assert_uint_eq(d->count, count);
    ck_assert_uint_eq(d->unit, 0);
    ck_assert_mem_eq(d->histogram, counts, sizeof counts);
    ck_assert(distribution_total(d) <= sum * (1 + 1e-15L) && distribution_total(d) >= sum * (1 - 1e-15L));
    ck_assert(distribution_mean(d) <= mean && distribution_mean(d) + 1 >= mean - mean * 1e-15L);
    long double variance = squares / count, deviation = (long double)distribution_deviation(d);
    ck_assert(deviation * deviation <= variance * (1 + 1e-12L) + 1 &&
              (deviation + 2) * (deviation + 2) >= variance * (1 - 1e-12L));
    ck_assert_uint_le(distribution_deviation(d), d->most);
}

START_TEST(figures_are_those_of_the_times)
{
    for (unsigned round = 0; round < 500; round++) {
        uint64_t ns[TIMES];
        uint32_t ranks[TIMES];
        struct distribution all, part;
        unsigned count = 1 + random_below(TIMES);
        bool equal = round % 7 == 0; /* also no deviation at all */
        distribution_init(&all);
        distribution_merge(&all, &all); /* an empty one changes nothing */
        random_state = round;
        for (unsigned i = 0; i < count; i++) {
            ns[i] = equal && i ? ns[0] : draw_ns();
            if (ns[i] > DISTRIBUTION_NS_MAX)
                ns[i] = DISTRIBUTION_NS_MAX;
            ranks[i] = random_below(RANKS);
            distribution_init(&part);
            part.high_rank = ranks[i];
            distribution_add(&part, ns[i]);
            distribution_merge(&all, &part);
        }
        require_figures(&all, ns, ranks, count);
    }
}
END_TEST

START_TEST(figures_of_times)
{
    ck_assert_uint_eq(bucket_of(0), 0);
    ck_assert_uint_eq(bucket_of(DISTRIBUTION_NS_MAX), 63);
    ck_assert_uint_eq(histogram_bucket(BUCKETS - 1), BUCKETS - 1);
    ck_assert_uint_eq(histogram_bucket(63), BUCKETS - 1);
    for (unsigned k = 1; k < 64; k++) {
        uint64_t first = UINT64_C(1) << (k - 1), last = 2 * first - 1;
        ck_assert_uint_eq(bucket_of(first), k);
        ck_assert_uint_eq(bucket_of(last), k);
        ck_assert_uint_eq(figure_of(first, 4), k << 4);
        ck_assert_uint_eq(figure_ns(k << 8, 8), first);
    }
    for (unsigned i = 0; i < 400000; i++) {
        unsigned precision = i % 2 ? 4 : 8;
        uint64_t ns = draw_ns() & DISTRIBUTION_NS_MAX, other = draw_ns() & DISTRIBUTION_NS_MAX;
        unsigned figure = figure_of(ns, precision);
        uint64_t back = figure_ns(figure, precision);
        EXPECT(back <= ns && ns - back <= ns >> precision, "%llu ns are not near %llu", (unsigned long long)ns,
               (unsigned long long)back);
        EXPECT(figure_of(back, precision) == figure, "not the least time that has the figure");
        EXPECT((ns <= other) <= (figure <= figure_of(other, precision)), "figures in another order");
        EXPECT(figure_of(ns, 8) >> 4 == figure_of(ns, 4), "one figure is no beginning of the other");
    }
}
END_TEST

/* ---- histograms ---- */

static double away(double a, double b)
{
    return a > b ? a - b : b - a;
}

/* The shares of COUNTED, of COUNT times, within a part in ONE_IN; what there was none of has none. */
static void require_shares(const struct distribution *d, const uint64_t *counted, uint64_t count, double one_in)
{
    double sum = 0;
    for (unsigned k = 0; k < BUCKETS; k++)
        sum += d->histogram[k];
    ck_assert_uint_eq(d->count, count);
    for (unsigned k = 0; k < BUCKETS; k++) {
        double expected = (double)counted[k] / (double)count, found = d->histogram[k] / sum;
        EXPECT((d->histogram[k] > 0) == (counted[k] > 0), "bucket %u has %u of %llu", k, d->histogram[k],
               (unsigned long long)counted[k]);
        EXPECT(away(expected, found) <= 1 / one_in, "bucket %u has %g in place of %g", k, found, expected);
    }
}

/* Times come in periods, and they are more than a histogram has room for. */
START_TEST(shares_of_many_periodic_times)
{
    static const unsigned periods[] = {2, 3, 4, 5, 7, 8, 10, 16, 31, 32, 64, 100, 128, 1000, 1024, 4096};
    for (unsigned i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        uint64_t ns[4096], counted[BUCKETS] = {0};
        const uint64_t count = 3000000;
        struct distribution d;
        random_state = i;
        for (unsigned k = 0; k < periods[i]; k++)
            ns[k] = UINT64_C(1) << (k % 2 ? random_below(6) : 20);
        distribution_init(&d);
        for (uint64_t k = 0; k < count; k++) {
            distribution_add(&d, ns[k % periods[i]]);
            counted[bucket_of(ns[k % periods[i]])]++;
        }
        require_shares(&d, counted, count, 200);
        ck_assert_uint_gt(d.unit, 3);
    }
}
END_TEST

/* What came once or twice before very many others is still there. */
START_TEST(few_among_many)
{
    struct distribution d;
    uint64_t counted[BUCKETS] = {[3] = 2, [11] = 20000000, [30] = 1};
    distribution_init(&d);
    for (uint64_t i = 0; i < counted[11]; i++) {
        if (i < counted[3])
            distribution_add(&d, 5);
        if (i == 100)
            distribution_add(&d, 1u << 29);
        distribution_add(&d, 1024);
    }
    require_shares(&d, counted, counted[3] + counted[11] + counted[30], 1000);
}
END_TEST

/* Large ones and small ones, in an order of chance. */
START_TEST(shares_of_merged_ones)
{
    for (unsigned round = 0; round < 200; round++) {
        struct distribution all, part;
        uint64_t counted[BUCKETS] = {0}, count = 0;
        random_state = round;
        distribution_init(&all);
        for (unsigned i = 0; i < 40; i++) {
            unsigned times = random_below(3) ? 1 + random_below(50) : 1 + random_below(20000),
                     bits = 1 + random_below(BUCKETS - 2);
            distribution_init(&part);
            for (unsigned k = 0; k < times; k++) {
                uint64_t t = UINT64_C(1) << (random_below(2) ? bits : 12);
                distribution_add(&part, t);
                counted[histogram_bucket(bucket_of(t))]++;
            }
            count += times;
            distribution_merge(&all, &part);
        }
        for (unsigned i = random_below(8); i > 0; i--) { /* many ranks that did the same */
            part = all;
            distribution_merge(&all, &part);
            count *= 2;
            for (unsigned k = 0; k < BUCKETS; k++)
                counted[k] *= 2;
        }
        require_shares(&all, counted, count, 200);
    }
}
END_TEST

/* ---- cells ---- */

struct time_sample {
    uint32_t signature, predecessor, rank;
    uint64_t gap, duration;
};

static void add(struct statistics *s, const struct time_sample *x)
{
    struct statistics one = {0};
    struct statistics_cell *cell = statistics_search_again(&one, x->signature, x->predecessor);
    EXPECT(cell, "no memory");
    distribution_add(&cell->gaps, x->gap);
    distribution_add(&cell->durations, x->duration);
    statistics_set_rank(&one, x->rank);
    if (statistics_merge(s, &one, NULL, 0) != PILGRIM_OK)
        ck_abort_msg("not merged");
    statistics_free(&one);
}

static struct bytes packed(struct statistics *s)
{
    struct bytes b = {0};
    statistics_pack(s, &b);
    ck_assert_int_eq(bytes_status(&b), PILGRIM_OK);
    return b;
}

static void require_packed(struct statistics *s, const struct bytes *expected)
{
    struct bytes b = packed(s);
    ck_assert_uint_eq(b.length, expected->length);
    ck_assert_mem_eq(b.data, expected->data, b.length);
    bytes_free(&b);
}

/* The totals leave out the gaps before a thread's first call. */
static void require_totals(const struct statistics *s, const struct time_sample *samples)
{
    double durations = 0, gaps = 0, all_durations = 0, all_gaps = 0;
    statistics_totals(s, &durations, &gaps);
    for (unsigned i = 0; i < TIMES; i++) {
        all_durations += (double)samples[i].duration;
        all_gaps += samples[i].predecessor != STATISTICS_FIRST ? (double)samples[i].gap : 0;
    }
    ck_assert(away(durations, all_durations) <= 1e-12 * all_durations && away(gaps, all_gaps) <= 1e-12 * all_gaps);
}

static void draw_samples(struct time_sample *samples, uint32_t signatures, uint32_t predecessors)
{
    for (unsigned i = 0; i < TIMES; i++) {
        uint32_t predecessor = random_below(predecessors + 1);
        samples[i] =
            (struct time_sample){random_below(signatures), predecessor ? predecessor - 1 : STATISTICS_FIRST,
                                 random_below(RANKS), draw_ns() & DISTRIBUTION_NS_MAX, draw_ns() & DISTRIBUTION_NS_MAX};
    }
}

/* All SAMPLES, in groups that are merged in an order of chance. */
static void merge_somehow(struct statistics *all, const struct time_sample *samples)
{
    struct statistics groups[4] = {{0}};
    uint32_t turn = random_below(TIMES);
    for (unsigned i = 0; i < TIMES; i++)
        add(&groups[random_below(4)], &samples[(i * 7 + turn) % TIMES]);
    for (unsigned i = 0; i < 4; i++) {
        unsigned k = (i + turn) % 4;
        struct bytes b = packed(&groups[k]);
        struct statistics back;
        struct cursor in;
        cursor_init(&in, b.data, b.length);
        ck_assert_int_eq(statistics_unpack(&in, &back), PILGRIM_OK);
        ck_assert_uint_eq(cursor_left(&in), 0);
        require_packed(&back, &b);
        ck_assert_int_eq(statistics_merge(all, &back, NULL, 0), PILGRIM_OK);
        bytes_free(&b);
        statistics_free(&back);
        statistics_free(&groups[k]);
    }
}

static uint64_t pairs_of(const struct time_sample *samples, bool signatures)
{
    uint64_t pairs = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        bool known = false;
        for (unsigned k = 0; k < i && !known; k++)
            known = samples[k].predecessor == samples[i].predecessor &&
                    (!signatures || samples[k].signature == samples[i].signature);
        pairs += !known;
    }
    return pairs;
}

static bool has_first(const struct time_sample *samples)
{
    for (unsigned i = 0; i < TIMES; i++)
        if (samples[i].predecessor == STATISTICS_FIRST)
            return true;
    return false;
}

/* Where predecessors are one, gaps before a thread's first call stay apart. */
static bool is_behind(const struct time_sample *sample, const struct statistics_cell *cell, bool before)
{
    return before ? sample->predecessor == cell->predecessor
                  : (sample->predecessor == STATISTICS_FIRST) == (cell->predecessor == STATISTICS_FIRST);
}

static void require_cells(struct statistics *s, const struct time_sample *samples)
{
    bool each = pairs_of(samples, true) <= STATISTICS_CELLS, before = pairs_of(samples, false) <= STATISTICS_CELLS;
    uint64_t gaps = 0, durations = 0;
    ck_assert_int_eq(!s->one_signature, each);
    ck_assert_int_eq(!s->one_predecessor, before);
    ck_assert_uint_eq(s->count, each     ? pairs_of(samples, true)
                                : before ? pairs_of(samples, false)
                                         : 1u + has_first(samples));
    for (uint32_t i = 0; i < s->count; i++) {
        const struct statistics_cell *cell = &s->cells[i];
        uint64_t counted = 0, sum = 0;
        for (unsigned k = 0; k < TIMES; k++)
            if ((!each || samples[k].signature == cell->signature) && is_behind(&samples[k], cell, before)) {
                counted++;
                sum += samples[k].gap;
            }
        ck_assert_uint_eq(cell->gaps.count, counted);
        ck_assert_uint_eq(cell->gaps.total[0], sum);
        gaps += counted;
        durations += cell->durations.count;
    }
    ck_assert_uint_eq(gaps, TIMES);
    ck_assert_uint_eq(durations, TIMES);
}

START_TEST(any_order_is_the_same)
{
    static const uint32_t kinds[][2] = {{1, 0}, {1, 3},   {3, 5},  {40, 0},  {7, 8},
                                        {8, 8}, {100, 2}, {2, 63}, {1, 100}, {200, 200}};
    for (unsigned round = 0; round < 60; round++) {
        struct time_sample samples[TIMES];
        struct statistics one = {0}, other = {0};
        const uint32_t *kind = kinds[round % (sizeof kinds / sizeof kinds[0])];
        random_state = round;
        draw_samples(samples, kind[0], kind[1]);
        merge_somehow(&one, samples);
        merge_somehow(&other, samples);
        require_cells(&one, samples);
        require_totals(&one, samples);
        struct bytes b = packed(&one);
        require_packed(&other, &b);
        bytes_free(&b);
        statistics_free(&one);
        statistics_free(&other);
    }
}
END_TEST

/* Signatures that get new names, several of them the same; one that gets none is not told apart from any. */
START_TEST(signatures_are_renamed)
{
    static const uint32_t names[] = {2, 0, 2, 1};
    for (unsigned nameless = 0; nameless < 2; nameless++) {
        struct statistics s = {0}, renamed = {0}, expected = {0};
        struct time_sample samples[TIMES];
        random_state = nameless;
        draw_samples(samples, 4, 2);
        for (unsigned i = 0; i < TIMES; i++) {
            add(&s, &samples[i]);
            samples[i].signature = nameless ? 0 : names[samples[i].signature];
            add(&expected, &samples[i]);
        }
        if (nameless)
            expected.one_signature = UINT32_MAX;
        ck_assert_int_eq(statistics_merge(&renamed, &s, names, nameless ? 3 : 4), PILGRIM_OK);
        struct bytes b = packed(&expected);
        require_packed(&renamed, &b);
        bytes_free(&b);
        statistics_free(&s);
        statistics_free(&renamed);
        statistics_free(&expected);
    }
}
END_TEST

/* What comes from another process may be broken: it is refused, or it is statistics. */
START_TEST(counts_do_not_wrap)
{
    struct distribution one, other;
    struct statistics empty = {0}, back;
    struct bytes b = {0};
    struct cursor in;
    distribution_init(&one);
    distribution_add(&one, 5);
    other = one;
    one.count = other.count = UINT64_C(1) << 63; /* as damaged fragments may have them */
    distribution_merge(&one, &other);
    ck_assert_uint_eq(one.count, UINT64_MAX);
    ck_assert_uint_eq(distribution_mean(&one), 0);
    ck_assert_ptr_nonnull(statistics_search(&empty, 0, 0)); /* a cell without a time */
    statistics_pack(&empty, &b);
    cursor_init(&in, b.data, b.length);
    ck_assert_int_eq(statistics_unpack(&in, &back), PILGRIM_DAMAGED);
    statistics_free(&back);
    statistics_free(&empty);
    bytes_free(&b);
}
END_TEST

START_TEST(broken_ones)
{
    struct time_sample samples[TIMES];
    struct statistics s = {0}, back;
    struct cursor in;
    unsigned refused = 0;
    draw_samples(samples, 3, 2);
    for (unsigned i = 0; i < TIMES; i++)
        add(&s, &samples[i]);
    struct bytes b = packed(&s);
    for (size_t i = 0; i < b.length; i++) {
        cursor_init(&in, b.data, i);
        EXPECT(statistics_unpack(&in, &back) != PILGRIM_OK, "%zu bytes of %zu", i, b.length);
        statistics_free(&back);
        for (unsigned change = 1; change < 256; change <<= 1) {
            b.data[i] ^= (uint8_t)change;
            cursor_init(&in, b.data, b.length);
            refused += statistics_unpack(&in, &back) != PILGRIM_OK;
            b.data[i] ^= (uint8_t)change;
            statistics_free(&back);
        }
    }
    ck_assert_uint_gt(refused, 0);
    bytes_free(&b);
    statistics_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("statistics");
    TCase *tests = tcase_create("statistics");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, figures_are_those_of_the_times);
    tcase_add_test(tests, figures_of_times);
    tcase_add_test(tests, shares_of_many_periodic_times);
    tcase_add_test(tests, few_among_many);
    tcase_add_test(tests, shares_of_merged_ones);
    tcase_add_test(tests, any_order_is_the_same);
    tcase_add_test(tests, signatures_are_renamed);
    tcase_add_test(tests, counts_do_not_wrap);
    tcase_add_test(tests, broken_ones);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
