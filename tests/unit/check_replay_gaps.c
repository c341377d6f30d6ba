/* SPDX-License-Identifier: BSD-3-Clause */
/* The gaps of a replay. Whatever the distribution and however few are drawn, their sum is that of the profile; a part
 * of them has its part of the sum. Gaps in a loop that polls are told from those of a program that works. A call that
 * is late does not take a long gap away. */
#include <check.h>

#include "../../src/analysis/class_gaps.c"
#include "../../src/analysis/polls.c"
#include "../../src/analysis/call_values.c"
#include "../../tools/replay/replay_draws.c"
#include "../../tools/replay/replay_polls.c"
#include "../../tools/replay/replay_gaps.c"
#include "random.h"

/* No buffer is used here. */
void warm_use(const struct replay_warm *w, const struct pilgrim_call *call, uint64_t end_ns)
{
    (void)w, (void)call, (void)end_ns;
    abort();
}

enum { TRIALS = 3000, MANY = 1000 };

static struct class_gap random_gap(uint64_t gaps)
{
    struct class_gap gap = {.gaps = gaps};
    const uint32_t buckets = 1 + random_below(6), lowest = random_below(30);
    gap.statistic.count = 1 + random_below(1000);
    gap.statistic.mean_ns = 1 + random_below(1000000);
    for (uint32_t k = 0; k < buckets; k++)
        gap.statistic.histogram[lowest + k] = random_below(4) * random_below(100);
    gap.statistic.histogram[lowest + random_below(6)] += 1;
    prepare(&gap);
    return gap;
}

static double drawn(struct class_gap *gap)
{
    const double u = next_quantile(gap);
    return gap->scale > 0 ? gap->scale * quantile(gap, u) : gap->statistic.mean_ns;
}

START_TEST(sums)
{
    for (unsigned i = 0; i < TRIALS; i++) {
        const uint64_t n = 1 + random_below(random_below(2) ? 8 : MANY);
        struct class_gap gap = random_gap(n);
        double sum = 0;
        for (uint64_t k = 0; k < n; k++)
            sum += drawn(&gap);
        ck_assert_double_eq_tol(sum / (double)n / gap.statistic.mean_ns, 1, 1e-9);
    }
}
END_TEST

START_TEST(parts)
{
    for (unsigned i = 0; i < 100; i++) {
        struct class_gap gap = random_gap(i % 2 ? 0 : MANY), again = gap; /* 0: it is not known how many */
        double all = 0, half = 0, most = 0;
        for (uint64_t k = 0; k < MANY; k++) {
            const double ns = drawn(&gap);
            all += ns;
            most = ns > most ? ns : most;
        }
        for (uint64_t k = 0; k < MANY / 2; k++)
            half += drawn(&again);
        ck_assert_double_le(half, all / 2 + 10 * most);
        ck_assert_double_ge(half, all / 2 - 10 * most);
    }
}
END_TEST

START_TEST(loops_that_poll)
{
    static const struct pilgrim_parameter parameters[] = {{"request", PILGRIM_INOUT}, {"flag", PILGRIM_OUT}};
    static const struct pilgrim_function function = {
        .name = "MPI_Test", .parameters = parameters, .parameter_count = 2};
    static const struct pilgrim_class waits = {.function = &function}, works = {.function = &function};
    static const struct pilgrim_value fails[2] = {{.type = PILGRIM_NONE}, {.type = PILGRIM_BOOL}};
    static const struct pilgrim_value succeeds[2] = {{.type = PILGRIM_NONE}, {.type = PILGRIM_BOOL, .integer = 1}};
    struct replay_polls p = {.classes = {{.class = &waits}, {.class = &works, .works = true}}, .count = 2};
    const struct pilgrim_call failed = {.class_ = &waits, .function = &function, .out = fails};
    const struct pilgrim_call succeeded = {.class_ = &waits, .function = &function, .out = succeeds};
    const struct pilgrim_call asked = {.class_ = &works, .function = &function, .out = fails};
    ck_assert(!polls_come(&p, &failed, 500)); /* the work before the loop */
    ck_assert(polls_come(&p, &failed, 10));
    ck_assert(polls_come(&p, &succeeded, 20));
    ck_assert_double_eq(polls_interval(&p, &succeeded), 15);
    ck_assert(!polls_come(&p, &succeeded, 500)); /* the next loop finds it at once */
    ck_assert(!polls_come(&p, &succeeded, 500));
    ck_assert_double_eq(polls_interval(&p, &succeeded), 15);
    ck_assert(!polls_come(&p, &asked, 500));
    ck_assert(!polls_come(&p, &asked, 500));
    ck_assert_double_eq(polls_interval(&p, &asked), 0);
}
END_TEST

START_TEST(late_ones)
{
    static const struct pilgrim_function function = {.name = "MPI_Barrier"};
    static const struct pilgrim_class class = {.function = &function};
    const struct replay_options options = {.speed = 1};
    struct replay_gaps g = {.options = &options, .share = 1, .late_ns = 1e9};
    struct pilgrim_call call = {.class_ = &class, .function = &function, .timed = true, .start_ns = 3000000};
    const uint64_t begin = g.ended_ns = replay_now();
    gaps_wait(&g, &call, NULL); /* 3 ms are recorded, and the call is a second late */
    ck_assert_uint_ge(replay_now() - begin, 2700000);
    ck_assert_double_ge(g.late_ns, 1e9 - 300001);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replay_gaps");
    TCase *tests = tcase_create("gaps");
    tcase_add_test(tests, sums);
    tcase_add_test(tests, parts);
    tcase_add_test(tests, loops_that_poll);
    tcase_add_test(tests, late_ones);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
