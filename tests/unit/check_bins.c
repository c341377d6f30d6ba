/* SPDX-License-Identifier: BSD-3-Clause */
/* The bins of times, for writers and readers, compared with their definition in wide integers. */
#include "timing/bins.h"

#include "random.h"

static const uint32_t bases[] = {BINS_BASE_MIN, 1000,    10000,   100000,    200000,
                                 500000,        1000000, 3000000, 999999999, BINS_BASE_MAX};
enum { BASES = sizeof bases / sizeof *bases };

#define TIME_MAX INT64_MAX

/* B behind VALUE as the document says it; 0: there is none. */
static uint64_t defined_next(uint32_t base, uint64_t value)
{
    unsigned __int128 product = (unsigned __int128)value * ((uint64_t)base + 1000000) / 1000000;
    if (product < (unsigned __int128)value + 1)
        product = (unsigned __int128)value + 1;
    return product >> 63 ? 0 : (uint64_t)product;
}

START_TEST(series_is_as_defined)
{
    struct bins b;
    bins_init(&b, bases[_i]);
    ck_assert_int_eq(bins_reach(&b, TIME_MAX), PILGRIM_OK);
    uint64_t value = 0, bin = 0;
    for (uint64_t next = 1; next; bin++, value = next) {
        next = defined_next(b.base, value);
        EXPECT(bin < b.count && b.bounds[bin] == value, "%u: B at %llu is not %llu", b.base, (unsigned long long)bin,
               (unsigned long long)value);
        EXPECT(bins_index(&b, value) == bin, "%u: the place of %llu", b.base, (unsigned long long)value);
        uint64_t last = next ? next - 1 : TIME_MAX;
        EXPECT(bins_index(&b, last) == bin, "%u: the place of %llu", b.base, (unsigned long long)last);
        if (!next)
            break;
    }
    ck_assert_uint_eq(bin + 1, b.count);
    ck_assert_uint_eq(b.bounds[b.count], UINT64_MAX);
    bins_free(&b);
}
END_TEST

/* What is computed step by step is what is computed at once; no more is computed than is needed. */
START_TEST(series_grows)
{
    struct bins all, b;
    bins_init(&all, bases[_i]);
    bins_init(&b, bases[_i]);
    ck_assert_int_eq(bins_reach(&all, TIME_MAX), PILGRIM_OK);
    ck_assert_uint_eq(b.limit, 0);
    random_state = bases[_i];
    for (unsigned bits = 0; bits < 63; bits++) {
        uint64_t value = (UINT64_C(1) << bits) + random_below(1000) % (UINT64_C(1) << bits);
        ck_assert_int_eq(bins_reach(&b, value), PILGRIM_OK);
        ck_assert_uint_gt(b.limit, value);
        ck_assert(b.bounds[b.count - 1] > value || b.count == all.count);
        ck_assert(b.count < 2 || b.bounds[b.count - 2] <= value || b.count == all.count);
        ck_assert_uint_eq(bins_index(&b, value), bins_index(&all, value));
    }
    bins_free(&all);
    bins_free(&b);
}
END_TEST

START_TEST(readers_have_the_same_series)
{
    struct bins all;
    struct bin_bounds some;
    bins_init(&all, bases[_i]);
    bin_bounds_init(&some, bases[_i]);
    ck_assert_int_eq(bins_reach(&all, TIME_MAX), PILGRIM_OK);
    for (uint32_t bin = 0; bin < all.count; bin += 1 + random_below(all.count / 1000 + 1)) {
        ck_assert_int_eq(bin_bounds_reach(&some, bin), PILGRIM_OK);
        EXPECT(bin_bounds_at(&some, bin) == all.bounds[bin], "%u: B at %u", some.base, bin);
    }
    ck_assert_int_eq(bin_bounds_reach(&some, all.count - 1), PILGRIM_OK);
    ck_assert_uint_eq(bin_bounds_at(&some, all.count - 1), all.bounds[all.count - 1]);
    ck_assert_int_eq(bin_bounds_reach(&some, all.count), PILGRIM_DAMAGED);
    ck_assert_int_eq(bin_bounds_reach(&some, 0xffffff), PILGRIM_DAMAGED);
    /* A hostile file may ask for 64 of them. */
    ck_assert_uint_lt(some.capacity * sizeof *some.bounds, 400000);
    bins_free(&all);
    bin_bounds_free(&some);
}
END_TEST

/* One bin at most begins in a slot: a place is found at once; in the finest bases there are a few. */
START_TEST(slots_are_narrow)
{
    struct bins b;
    bins_init(&b, bases[_i]);
    ck_assert_int_eq(bins_reach(&b, TIME_MAX), PILGRIM_OK);
    uint32_t widest = 0;
    for (uint32_t slot = 0; slot + 1 < b.slot_count; slot++)
        widest = b.slots[slot + 1] - b.slots[slot] > widest ? b.slots[slot + 1] - b.slots[slot] : widest;
    ck_assert_uint_le(widest, b.base >= 1000 ? 1 : 16);
    bins_free(&b);
}
END_TEST

/* The most that may be missing is said, but for 1 ns of a long time. */
START_TEST(slack_is_as_defined)
{
    struct bins b;
    bins_init(&b, bases[_i]);
    random_state = bases[_i];
    for (unsigned i = 0; i < 63 * 1000; i++) {
        unsigned bits = i % 63;
        uint64_t unit = BINS_UNIT + (uint64_t)b.base,
                 value = (UINT64_C(1) << bits) + random_below(UINT32_MAX) % (UINT64_C(1) << bits);
        if (value > unit && random_below(2))
            value -= value % unit; /* the quotient is whole */
        uint64_t most = (uint64_t)((unsigned __int128)value * b.base / unit), slack = bins_slack(&b, value);
        EXPECT(slack == most || (value >> 34 && slack == most - 1), "%u: %llu for %llu", b.base,
               (unsigned long long)slack, (unsigned long long)value);
    }
    ck_assert_uint_eq(bins_slack(&b, 0), 0);
    ck_assert_uint_le(bins_slack(&b, TIME_MAX),
                      (uint64_t)((unsigned __int128)TIME_MAX * b.base / (BINS_UNIT + (uint64_t)b.base)));
    bins_free(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bins");
    TCase *tests = tcase_create("bins");
    tcase_add_loop_test(tests, series_is_as_defined, 0, BASES);
    tcase_add_loop_test(tests, series_grows, 0, BASES);
    tcase_add_loop_test(tests, readers_have_the_same_series, 0, BASES);
    tcase_add_loop_test(tests, slots_are_narrow, 0, BASES);
    tcase_add_loop_test(tests, slack_is_as_defined, 0, BASES);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
