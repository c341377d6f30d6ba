/* Statistics of times: every figure is that of the times themselves, whatever they are, in whatever order and by whatever way they were put
 * together; what has too many signatures or predecessors is told apart less, and nothing of it is lost. */
#include "timing/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { TIMES = 300, RANKS = 5 };

/* From 0 ns to 200 years, mostly alike. */
static uint64_t draw_ns(void)
{
    uint64_t bits = random_below(4) ? 10 + random_below(4) : random_below(64);
    uint64_t v = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return bits ? v >> (64 - bits) : 0;
}

static void require_figures(const struct distribution *d, const uint64_t *ns, const uint32_t *ranks, unsigned count)
{
    uint64_t counts[BUCKETS] = {0};
    long double sum = 0, squares = 0;
    for (unsigned i = 0; i < count; i++) {
        bool least = d->least == ns[i], most = d->most == ns[i];
        EXPECT(d->least <= ns[i] && d->most >= ns[i], "an extreme is none");
        EXPECT(!(least && ranks[i] < d->low_rank) && !(most && ranks[i] < d->high_rank), "not the first rank that has it");
        counts[bucket_of(ns[i])]++;
        sum += (long double)ns[i];
    }
    long double mean = sum / count;
    for (unsigned i = 0; i < count; i++)
        squares += ((long double)ns[i] - mean) * ((long double)ns[i] - mean);
    ck_assert_uint_eq(distribution_count(d), count);
    ck_assert_mem_eq(d->counts, counts, sizeof counts);
    ck_assert(distribution_mean(d) <= mean && distribution_mean(d) + 1 >= mean - mean * 1e-15L);
    long double variance = squares / count, deviation = (long double)distribution_deviation(d);
    ck_assert(deviation * deviation <= variance * (1 + 1e-12L) + 1 && (deviation + 2) * (deviation + 2) >= variance * (1 - 1e-12L));
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
            part.low_rank = part.high_rank = ranks[i];
            distribution_add(&part, ns[i]);
            distribution_merge(&all, &part);
        }
        require_figures(&all, ns, ranks, count);
    }
}
END_TEST

START_TEST(numbers_in_buckets)
{
    ck_assert_uint_eq(bucket_of(0), 0);
    ck_assert_uint_eq(bucket_of(DISTRIBUTION_NS_MAX), 63);
    for (unsigned k = 1; k < BUCKETS; k++) {
        uint64_t first = UINT64_C(1) << (k - 1), last = 2 * first - 1;
        ck_assert_uint_eq(bucket_of(first), k);
        ck_assert_uint_eq(bucket_of(last), k);
        ck_assert_uint_eq(bucket_ns(k, bucket_place(first, k)), first);
    }
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t ns = draw_ns() & DISTRIBUTION_NS_MAX, k = bucket_of(ns), back = bucket_ns((unsigned)k, bucket_place(ns, (unsigned)k));
        EXPECT(back <= ns && ns - back <= ns / 256, "%llu ns are not near %llu", (unsigned long long)ns, (unsigned long long)back);
    }
}
END_TEST

/* ---- cells ---- */

struct sample {
    uint32_t signature, predecessor, rank;
    uint64_t gap, duration;
};

static void add(struct statistics *s, const struct sample *x)
{
    struct statistics one = {0};
    struct statistics_cell *cell = statistics_cell(&one, x->signature, x->predecessor);
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

static void draw_samples(struct sample *samples, uint32_t signatures, uint32_t predecessors)
{
    for (unsigned i = 0; i < TIMES; i++) {
        uint32_t predecessor = random_below(predecessors + 1);
        samples[i] = (struct sample){random_below(signatures), predecessor ? predecessor - 1 : STATISTICS_FIRST, random_below(RANKS),
                                     draw_ns() & DISTRIBUTION_NS_MAX, draw_ns() & DISTRIBUTION_NS_MAX};
    }
}

/* All SAMPLES, in groups that are merged in an order of chance. */
static void merge_somehow(struct statistics *all, const struct sample *samples)
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

static uint64_t pairs_of(const struct sample *samples, bool signatures)
{
    uint64_t pairs = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        bool known = false;
        for (unsigned k = 0; k < i && !known; k++)
            known = samples[k].predecessor == samples[i].predecessor && (!signatures || samples[k].signature == samples[i].signature);
        pairs += !known;
    }
    return pairs;
}

static void require_cells(struct statistics *s, const struct sample *samples)
{
    bool each = pairs_of(samples, true) <= STATISTICS_CELLS, before = pairs_of(samples, false) <= STATISTICS_CELLS;
    uint64_t gaps = 0, durations = 0;
    ck_assert_int_eq(!s->one_signature, each);
    ck_assert_int_eq(!s->one_predecessor, before);
    ck_assert_uint_eq(s->count, each ? pairs_of(samples, true) : before ? pairs_of(samples, false) : 1);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct statistics_cell *cell = &s->cells[i];
        uint64_t counted = 0, sum = 0;
        for (unsigned k = 0; k < TIMES; k++)
            if ((!each || samples[k].signature == cell->signature) && (!before || samples[k].predecessor == cell->predecessor)) {
                counted++;
                sum += samples[k].gap;
            }
        ck_assert_uint_eq(distribution_count(&cell->gaps), counted);
        ck_assert_uint_eq((uint64_t)cell->gaps.total, sum);
        gaps += counted;
        durations += distribution_count(&cell->durations);
    }
    ck_assert_uint_eq(gaps, TIMES);
    ck_assert_uint_eq(durations, TIMES);
}

START_TEST(any_order_is_the_same)
{
    static const uint32_t kinds[][2] = {{1, 0}, {1, 3}, {3, 5}, {40, 0}, {7, 8}, {8, 8}, {100, 2}, {2, 63}, {1, 100}, {200, 200}};
    for (unsigned round = 0; round < 60; round++) {
        struct sample samples[TIMES];
        struct statistics one = {0}, other = {0};
        const uint32_t *kind = kinds[round % (sizeof kinds / sizeof kinds[0])];
        random_state = round;
        draw_samples(samples, kind[0], kind[1]);
        merge_somehow(&one, samples);
        merge_somehow(&other, samples);
        require_cells(&one, samples);
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
        struct sample samples[TIMES];
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
START_TEST(broken_ones)
{
    struct sample samples[TIMES];
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
    tcase_add_test(tests, numbers_in_buckets);
    tcase_add_test(tests, any_order_is_the_same);
    tcase_add_test(tests, signatures_are_renamed);
    tcase_add_test(tests, broken_ones);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
