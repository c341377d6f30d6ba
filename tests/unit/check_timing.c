/* Durations: aggregation, and the two-byte floats of the file. */
#include <check.h>
#include <stdlib.h>

#include "timing/timing.h"

START_TEST(codes_are_monotonic_and_close)
{
    uint16_t before = 0;
    for (uint64_t ns = 0; ns < 1u << 15; ns++) {
        uint16_t code = timing_code(ns);
        uint64_t back = timing_decode(code);
        ck_assert_uint_ge(code, before);
        ck_assert_uint_le(back, ns);
        ck_assert_uint_le((ns - back) * 128, ns);
        ck_assert_uint_eq(timing_code(back), code);
        before = code;
    }
}
END_TEST

START_TEST(codes_reach_the_largest)
{
    ck_assert_uint_eq(timing_code(UINT64_MAX), 7423);
    for (unsigned shift = 0; shift < 64; shift++) {
        uint64_t ns = (uint64_t)1 << shift;
        ck_assert_uint_eq(timing_decode(timing_code(ns)), ns);
    }
}
END_TEST

START_TEST(merging_is_appending)
{
    struct timing all, a, b;
    timing_init(&all);
    timing_init(&a);
    timing_init(&b);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t ns = i * i % 977;
        timing_append(&all, ns);
        timing_append(i % 3 ? &a : &b, ns);
    }
    timing_merge(&a, &b);
    ck_assert_mem_eq(&a, &all, sizeof a);
    ck_assert_uint_eq(all.count, 1000);
    ck_assert_uint_eq(all.min, 0);
    ck_assert_uint_eq(all.max, 976);
    timing_init(&b);
    timing_merge(&a, &b); /* an empty one changes nothing */
    ck_assert_mem_eq(&a, &all, sizeof a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("timing");
    TCase *tests = tcase_create("timing");
    tcase_add_test(tests, codes_are_monotonic_and_close);
    tcase_add_test(tests, codes_reach_the_largest);
    tcase_add_test(tests, merging_is_appending);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
