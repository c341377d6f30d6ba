/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the clock: the choice, the rate, and times. clock.c is compiled in, to begin anew for each choice. */
#include "base/clock.c"

#include <check.h>

static uint64_t elapse(uint64_t ns)
{
    uint64_t began = monotonic_ns(), now;
    do
        now = monotonic_ns();
    while (now - began < ns);
    return now - began;
}

static void choose(enum clock_wish wish)
{
    clock_source = CLOCK_SOURCE_NONE;
    atomic_store(&clock_scale_count, 0);
    clock_scales[0] = (struct clock_scale){.rate = UINT64_C(1) << CLOCK_RATE_BITS};
    settled = false;
    clock_choose(wish);
}

START_TEST(off_reads_no_clock)
{
    choose(CLOCK_OFF);
    ck_assert_uint_eq(clock_now(), 0);
    ck_assert_str_eq(clock_name(), "off");
    clock_choose(CLOCK_MONOTONIC_NS); /* CLOCK_OFF is not a choice yet */
    ck_assert_str_eq(clock_name(), "monotonic");
    clock_choose(CLOCK_TSC); /* too late */
    ck_assert_str_eq(clock_name(), "monotonic");
}
END_TEST

START_TEST(monotonic_is_in_ns)
{
    choose(CLOCK_MONOTONIC_NS);
    uint64_t before = monotonic_ns(), now = clock_now(), after = monotonic_ns();
    ck_assert(before <= now && now <= after);
    ck_assert_uint_eq(clock_time_ns(now + 1000) - clock_time_ns(now), 1000);
}
END_TEST

/* The automatic choice is the counter only if it is steady. */
START_TEST(automatic_choice)
{
    choose(CLOCK_AUTO);
    bool counter = counter_readable() && counter_invariant() && counter_listed();
    ck_assert_str_eq(clock_name(), counter ? "tsc" : "monotonic");
    choose(CLOCK_TSC);
    ck_assert_str_eq(clock_name(), counter_readable() ? "tsc" : "monotonic");
}
END_TEST

START_TEST(readings_do_not_go_back)
{
    choose(CLOCK_AUTO);
    uint64_t before = clock_now();
    int back = 0;
    for (int i = 0; i < 1000000; i++) {
        uint64_t now = clock_now();
        back += now < before;
        before = now;
    }
    ck_assert_int_eq(back, 0);
}
END_TEST

/* Returns the error of a time that is from LEAST to MOST by the other clock: another process may have run between any
 * two readings. */
static double error_of(uint64_t measured, uint64_t least, uint64_t most)
{
    return measured < least  ? 1 - (double)measured / (double)least
           : measured > most ? (double)measured / (double)most - 1
                             : 0;
}

/* A conversion right after the choice waits for the rate, which rests on at least 1 ms and is right to a percent. */
START_TEST(rate_of_a_short_run)
{
    double best = 1;
    for (int i = 0; i < 20 && best > 0.01; i++) {
        choose(CLOCK_AUTO);
        const uint64_t before = monotonic_ns(), begun = clock_now(), from = monotonic_ns();
        (void)clock_time_ns(begun);
        ck_assert(clock_source != CLOCK_SOURCE_COUNTER || monotonic_ns() - first.ns >= RATE_NS_MIN);
        elapse(5000000);
        const uint64_t until = monotonic_ns(), ended = clock_now(), behind = monotonic_ns();
        const double error = error_of(clock_time_ns(ended) - clock_time_ns(begun), until - from, behind - before);
        best = error < best ? error : best;
    }
    ck_assert_msg(best <= 0.01, "%g", best);
}
END_TEST

/* A counter that stands still or goes back (the process was moved) still gives usable times. */
START_TEST(counter_that_went_back)
{
    choose(CLOCK_TSC);
    if (clock_source != CLOCK_SOURCE_COUNTER)
        return;
    first.ticks = UINT64_MAX - 100;
    ck_assert_uint_eq(clock_time_ns(UINT64_MAX - 23), 77);
    ck_assert_uint_eq(clock_time_ns(clock_now()), 0);
    clock_settle();
    ck_assert_uint_eq(clock_time_ns(UINT64_MAX - 23), 77);
}
END_TEST

START_TEST(times_are_those_of_the_other_clock)
{
    static const enum clock_wish wishes[] = {CLOCK_AUTO, CLOCK_TSC, CLOCK_MONOTONIC_NS};
    double best = 1;
    for (int i = 0; i < 20 && best > 0.002; i++) {
        choose(wishes[_i]);
        uint64_t first_time = clock_time_ns(clock_now()), ns = monotonic_ns() - first.ns;
        ck_assert_uint_le(first_time, ns + ns / 10);
        elapse(5000000);
        clock_settle();
        const uint64_t before = monotonic_ns(), begun = clock_now(), from = monotonic_ns();
        elapse(20000000);
        const uint64_t until = monotonic_ns(), ended = clock_now(), behind = monotonic_ns();
        const double error = error_of(clock_time_ns(ended) - clock_time_ns(begun), until - from, behind - before);
        best = error < best ? error : best;
    }
    ck_assert_msg(best <= 0.002, "%g", best);
}
END_TEST

/* Before and after clock_settle: a reading converted before keeps its time, and later readings have no earlier
 * times. */
/* Who knows an anchor tells times as the process itself does. */
START_TEST(an_anchor_tells_times)
{
    const enum clock_wish wishes[] = {CLOCK_TSC, CLOCK_MONOTONIC_NS};
    uint64_t ticks, ns, rate;
    for (int i = 0; i < 2; i++) {
        choose(wishes[i]);
        clock_settle();
        uint64_t before = monotonic_ns();
        clock_anchor(&ticks, &ns, &rate);
        ck_assert(rate > 0 && before <= ns && ns <= monotonic_ns());
        elapse(2000000);
        uint64_t later = clock_now(), told = (uint64_t)((unsigned __int128)(later - ticks) * rate >> CLOCK_RATE_BITS);
        uint64_t meant = clock_time_ns(later) - clock_time_ns(ticks);
        ck_assert_uint_ge(told + 2, meant);
        ck_assert_uint_le(told, meant + 2);
    }
    clock_source = CLOCK_SOURCE_NONE;
    clock_anchor(&ticks, &ns, &rate);
    ck_assert(!rate && !ticks);
}
END_TEST

START_TEST(times_stay)
{
    enum { COUNT = 1000 };
    uint64_t ticks[COUNT], times[COUNT];
    choose(CLOCK_AUTO);
    for (int i = 0; i < COUNT; i++) {
        ticks[i] = clock_now();
        times[i] = clock_time_ns(ticks[i]);
    }
    elapse(2000000);
    clock_settle();
    ck_assert_uint_eq(atomic_load(&clock_scale_count), clock_source == CLOCK_SOURCE_COUNTER ? 2 : 1);
    clock_settle();
    ck_assert_uint_le(atomic_load(&clock_scale_count), 2);
    for (int i = 0; i < COUNT; i++)
        ck_assert_uint_eq(clock_time_ns(ticks[i]), times[i]);
    uint64_t turn = clock_scales[atomic_load(&clock_scale_count) - 1].ticks, before = 0;
    for (uint64_t t = turn - 5000; t < turn + 5000; t++) {
        uint64_t time = clock_time_ns(t);
        ck_assert(time >= before && (t == turn - 5000 || time - before <= 64));
        before = time;
    }
}
END_TEST

/* If no time was converted before, all readings get one rate. */
START_TEST(settled_at_once)
{
    choose(CLOCK_AUTO);
    elapse(3000000);
    clock_settle();
    clock_settle();
    ck_assert_uint_eq(atomic_load(&clock_scale_count), 1);
    ck_assert(clock_time_ns(clock_now()) >= 3000000);
}
END_TEST

START_TEST(times_at_the_borders)
{
    choose(CLOCK_OFF);
    ck_assert_uint_eq(clock_time_ns(0), 0);
    ck_assert_uint_eq(clock_time_ns(77), 77);
    ck_assert_uint_eq(clock_time_ns(UINT64_MAX), CLOCK_TIME_MAX_NS);
    clock_settle();
    choose(CLOCK_MONOTONIC_NS);
    ck_assert_uint_eq(clock_time_ns(first.ticks - 1), 0);
    ck_assert_uint_eq(clock_time_ns(first.ticks), 0);
    ck_assert_uint_eq(clock_time_ns(first.ticks + 77), 77);
    ck_assert_uint_eq(clock_time_ns(first.ticks + 1000 * UINT64_C(86400000000000)), 1000 * UINT64_C(86400000000000));
    ck_assert_uint_eq(clock_time_ns(UINT64_MAX), CLOCK_TIME_MAX_NS);
    /* A slow counter, whose times exceed the largest time. */
    clock_scales[0] = (struct clock_scale){.ticks = 10, .ns = 5, .rate = UINT64_C(40) << CLOCK_RATE_BITS};
    ck_assert_uint_eq(clock_time_ns(12), 85);
    ck_assert_uint_eq(clock_time_ns(UINT64_MAX), CLOCK_TIME_MAX_NS);
    ck_assert_uint_eq(clock_time_ns(0), 5);
}
END_TEST

/* 4 ticks a ns: the conversion loses no bit. */
START_TEST(scaled_exactly)
{
    const struct clock_scale s = {.rate = (UINT64_C(1) << CLOCK_RATE_BITS) / 4};
    for (int i = 2; i < 64; i++)
        ck_assert_uint_eq(clock_scaled(&s, (UINT64_C(1) << i) + 3), (UINT64_C(1) << (i - 2)));
    ck_assert_uint_eq(clock_scaled(&s, 7), 1);
}
END_TEST

static uint64_t pieces;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* The quick conversion of a piece gives what the other gives, for readings in it, near its ends too; and none is in a
 * piece that is not. */
START_TEST(pieces_are_exact)
{
    clock_choose(CLOCK_OFF);
    (void)clock_time_ns(0); /* so that there are scales, which are replaced */
    uint64_t state = 1;
    for (int round = 0; round < 20000; round++) {
        const uint64_t begin = next_random(&state) >> (next_random(&state) % 63), gap = next_random(&state) >> 20;
        clock_scales[0] = (struct clock_scale){begin, next_random(&state) >> 10, next_random(&state) >> 15};
        clock_scales[1] =
            (struct clock_scale){begin + gap, clock_scaled(&clock_scales[0], begin + gap), next_random(&state) >> 17};
        atomic_store(&clock_scale_count, 2);
        const uint64_t readings[] = {begin,       begin + 1,         begin + gap - 1,
                                     begin + gap, begin + gap + 100, begin + (next_random(&state) >> 2)};
        for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++)
            for (size_t j = 0; j < sizeof readings / sizeof readings[0]; j++) {
                const struct clock_piece piece = clock_piece_of(readings[i]);
                const bool in_piece = readings[j] >= readings[i] && clock_piece_has(&piece, readings[j]);
                if (in_piece)
                    ck_assert_uint_eq(clock_piece_ns(&piece, readings[j]), clock_time_ns(readings[j]));
                pieces += in_piece;
            }
        const struct clock_piece before = clock_piece_of(begin - 1);
        ck_assert(begin == 0 || !clock_piece_has(&before, begin));
    }
    ck_assert_uint_gt(pieces, 100000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clock");
    TCase *tests = tcase_create("clock");
    tcase_add_test(tests, off_reads_no_clock);
    tcase_add_test(tests, monotonic_is_in_ns);
    tcase_add_test(tests, automatic_choice);
    tcase_add_test(tests, readings_do_not_go_back);
    tcase_add_test(tests, rate_of_a_short_run);
    tcase_add_test(tests, counter_that_went_back);
    tcase_add_loop_test(tests, times_are_those_of_the_other_clock, 0, 3);
    tcase_add_test(tests, times_stay);
    tcase_add_test(tests, an_anchor_tells_times);
    tcase_add_test(tests, settled_at_once);
    tcase_add_test(tests, times_at_the_borders);
    tcase_add_test(tests, scaled_exactly);
    tcase_add_test(tests, pieces_are_exact);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
