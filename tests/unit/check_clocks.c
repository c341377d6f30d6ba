/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks of ranks and their common time axis: what is read from a trace, and what is computed from it. */
#include <check.h>
#include <string.h>

#include "base/value.h"
#include "merge/fragment.h"
#include "write/trace_writer.h"
#include "record/stream.h"
#include "random.h"
#include "read/file/load.h"

static const struct parameter_descriptor process_parameters[] = {
    {"views_rank", DIRECTION_IN}, {"views_size", DIRECTION_IN}, {"clock", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", process_parameters, 3, RETURNS_VALUE, ACTIVITY_OTHER},
    {"pilgrim_process", process_parameters, 2, RETURNS_VALUE, ACTIVITY_OTHER}};
enum { PROCESS, PROCESS_BEFORE, FUNCTION_COUNT, INTS_MAX = 9 };
static const struct vocabulary vocabulary = {functions, FUNCTION_COUNT, NULL, 0};

#define LIMIT (INT64_C(1) << 62)

/* What a rank says of its clock: INT_COUNT ints, with a bool in place of number ODD; none: nothing. */
struct said_clock {
    unsigned int_count;
    int64_t ints[INTS_MAX];
    int odd;
    bool null, before;
};

static void put_ints(struct bytes *key, unsigned count, const int64_t *v, int odd)
{
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, count);
    for (unsigned i = 0; i < count; i++) {
        bytes_put_u8(key, (int)i == odd ? VALUE_BOOL : VALUE_INT);
        bytes_put_u64(key, (uint64_t)v[i]);
    }
}

static struct stream *process_stream(int64_t rank, int64_t ranks, const struct said_clock *said)
{
    struct bytes key = {0};
    struct stream *s = stream_new(&vocabulary, NULL);
    uint32_t class;
    put_ints(&key, 1, &rank, -1);
    put_ints(&key, 1, &ranks, -1);
    if (said->null)
        bytes_put_u8(&key, VALUE_NONE);
    else if (!said->before)
        put_ints(&key, said->int_count, said->ints, said->odd);
    bytes_put_u8(&key, VALUE_NONE);
    if (!s || stream_class(s, said->before ? PROCESS_BEFORE : PROCESS, NULL, false, &class) != PILGRIM_OK ||
        stream_append(s, class, false, key.data, key.length, 0, 0) != PILGRIM_OK)
        ck_abort_msg("a call was not recorded");
    bytes_free(&key);
    return s;
}

static struct pilgrim_trace *load(const struct said_clock *said, uint32_t ranks)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct fragment *f = fragment_new(0);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct stream *process = process_stream(rank, ranks, &said[rank]);
        ck_assert_int_eq(fragment_add_rank(f, process, NULL, 0), PILGRIM_OK);
        stream_free(process);
    }
    ck_assert_int_eq(trace_write(f, false, &file), PILGRIM_OK);
    fragment_free(f);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    bytes_free(&file);
    return trace;
}

static struct pilgrim_clock clock_of(const struct said_clock *said)
{
    struct pilgrim_clock clock;
    struct pilgrim_error error;
    struct pilgrim_trace *trace = load(said, 1);
    ck_assert_int_eq(pilgrim_clock_of(trace, 0, &clock, &error), PILGRIM_OK);
    pilgrim_close(trace);
    return clock;
}

START_TEST(what_ranks_say)
{
    struct pilgrim_clock clock;
    struct pilgrim_error error;
    const struct said_clock said[] = {{.int_count = 6, .ints = {5, 0, 0, 1000005, 0, 0}, .odd = -1},
                                      {.int_count = 6, .ints = {7, -3, 9, 2000007, 400, 11}, .odd = -1},
                                      {.int_count = 3, .ints = {0, LIMIT - 1, 8}, .odd = -1},
                                      {.null = true}};
    struct pilgrim_trace *trace = load(said, 4);
    for (uint32_t rank = 0; rank < 4; rank++) {
        ck_assert_int_eq(pilgrim_clock_of(trace, rank, &clock, &error), PILGRIM_OK);
        ck_assert_uint_eq(clock.point_count, said[rank].int_count / 3);
        for (unsigned i = 0; i < clock.point_count; i++) {
            ck_assert_int_eq((int64_t)clock.points[i].time_ns, said[rank].ints[3 * i]);
            ck_assert_int_eq(clock.points[i].offset_ns, said[rank].ints[3 * i + 1]);
            ck_assert_int_eq((int64_t)clock.points[i].error_ns, said[rank].ints[3 * i + 2]);
        }
    }
    ck_assert_int_eq(pilgrim_clock_of(trace, 4, &clock, &error), PILGRIM_INVALID);
    pilgrim_close(trace);
}
END_TEST

static const struct said_clock wrong[] = {
    {.before = true},
    {.null = true},
    {.int_count = 0, .odd = -1},
    {.int_count = 2, .ints = {5, 6}, .odd = -1},
    {.int_count = 4, .ints = {5, 6, 7, 8}, .odd = -1},
    {.int_count = 9, .ints = {5, 6, 7, 100, 6, 7, 200, 6, 7}, .odd = -1},
    {.int_count = 3, .ints = {5, 1, 7}, .odd = 1},
    {.int_count = 6, .ints = {5, 6, 7, 100, 6, 1}, .odd = 5},
    {.int_count = 3, .ints = {-1, 6, 7}, .odd = -1},
    {.int_count = 3, .ints = {5, 6, -1}, .odd = -1},
    {.int_count = 3, .ints = {LIMIT, 6, 7}, .odd = -1},
    {.int_count = 3, .ints = {5, LIMIT, 7}, .odd = -1},
    {.int_count = 3, .ints = {5, -LIMIT, 7}, .odd = -1},
    {.int_count = 3, .ints = {5, 6, LIMIT}, .odd = -1},
    {.int_count = 6, .ints = {5, 6, 7, 5, 6, 7}, .odd = -1},
    {.int_count = 6, .ints = {5, 6, 7, 4, 6, 7}, .odd = -1},
    {.int_count = 6, .ints = {5, 6, 7, 105, 107, 7}, .odd = -1},
    {.int_count = 6, .ints = {5, 6, 7, 105, -95, 7}, .odd = -1},
    {.int_count = 6, .ints = {0, LIMIT - 1, 7, LIMIT - 1, 1 - LIMIT, 7}, .odd = -1},
    {.int_count = 6, .ints = {5, 6, 7, INT64_MAX, INT64_MIN, 7}, .odd = -1},
};

/* What cannot be is not known, and changes no time. */
START_TEST(wrong_ones)
{
    struct pilgrim_clock clock = clock_of(&wrong[_i]);
    struct pilgrim_call call = {.timed = true, .start_ns = 17, .end_ns = UINT64_C(1) << 40};
    ck_assert_uint_eq(clock.point_count, 0);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 12), UINT64_MAX);
    ck_assert(pilgrim_clock_drift(&clock) == 0);
    pilgrim_clock_apply(&clock, &call);
    ck_assert_uint_eq(call.start_ns, 17);
    ck_assert_uint_eq(call.end_ns, UINT64_C(1) << 40);
}
END_TEST

START_TEST(ends)
{
    /* 100 ns at the first, 300 at the second; a drift of 2 / 10. */
    struct pilgrim_clock clock =
        clock_of(&(struct said_clock){.int_count = 6, .ints = {1000, 100, 5, 2000, 300, 15}, .odd = -1});
    struct pilgrim_call call = {.start_ns = 1000, .end_ns = 2000};
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 1000), 1100);
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 2000), 2300);
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 1504), 1704);
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 0), 0);   /* -100 */
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 99), 18); /* 199 - 180.2, rounded down */
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 3000), 3500);
    ck_assert_uint_eq(pilgrim_clock_common(&clock, UINT64_MAX), INT64_MAX);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 1000), 6);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 2000), 16);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 1500), 11);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 3000), 36); /* 1 x 5 + 2 x 15 */
    ck_assert(pilgrim_clock_drift(&clock) == 0.2);
    pilgrim_clock_apply(&clock, &call);
    ck_assert(call.start_ns == 1000 && call.end_ns == 2000); /* it has no times */
    call.timed = true;
    pilgrim_clock_apply(&clock, &call);
    ck_assert(call.start_ns == 1100 && call.end_ns == 2300);
    clock = clock_of(&(struct said_clock){.int_count = 3, .ints = {1000, -400, 5}, .odd = -1});
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 1000), 600);
    ck_assert_uint_eq(pilgrim_clock_common(&clock, 300), 0);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 1000), 5);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 2001000), 1005);
    ck_assert_uint_eq(pilgrim_clock_error(&clock, 0), 6);
    ck_assert(pilgrim_clock_drift(&clock) == 0);
}
END_TEST

static int64_t random_bits(unsigned bits)
{
    uint64_t v = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return (int64_t)(v >> (64 - bits));
}

static int64_t random_signed(unsigned bits)
{
    int64_t v = random_bits(bits);
    return random_below(2) ? v : -v;
}

/* A clock that was measured twice within its errors is never further off than is said; before, between and after. */
START_TEST(within_error)
{
    random_state = (uint64_t)_i;
    for (int round = 0; round < 2000; round++) {
        int64_t t1 = random_bits(40), span = (1 << 22) + random_bits(1 + random_below(44)), true1 = random_signed(50);
        int64_t e1 = random_bits(1 + random_below(20)), e2 = random_bits(1 + random_below(20));
        int64_t rate = random_signed(20), unit = INT64_C(1) << 32; /* of 2^32 */
        int64_t true2 = true1 + (int64_t)((__int128)rate * span / unit);
        struct pilgrim_clock clock = {
            .point_count = 2,
            .points = {{(uint64_t)t1, true1 + random_below(2) * 2 * e1 - e1, (uint64_t)e1},
                       {(uint64_t)(t1 + span), true2 + random_below(2) * 2 * e2 - e2, (uint64_t)e2}}};
        for (int i = 0; i < 8; i++) {
            int64_t t = random_below(2) ? t1 + random_bits(45) % span : random_bits(46);
            __int128 true_time = (__int128)t + true1 + (__int128)rate * (t - t1) / unit;
            __int128 common = pilgrim_clock_common(&clock, (uint64_t)t);
            __int128 off = common > true_time ? common - true_time : true_time - common;
            /* 1: true2 is rounded, and what that makes of times further away. */
            __int128 slack = 2 + ((t > t1 ? t - t1 : t1 - t) + span - 1) / span;
            EXPECT(common == 0 || off <= pilgrim_clock_error(&clock, (uint64_t)t) + slack,
                   "at %lld: off by %lld, not %llu", (long long)t, (long long)off,
                   (unsigned long long)pilgrim_clock_error(&clock, (uint64_t)t));
        }
    }
}
END_TEST

/* Whatever is said, times keep their order. */
START_TEST(order)
{
    random_state = (uint64_t)_i;
    for (int round = 0; round < 2000; round++) {
        unsigned bits = 1 + random_below(61);
        struct said_clock said = {.int_count = 6, .odd = -1};
        said.ints[0] = random_bits(bits);
        said.ints[3] = said.ints[0] + 1 + random_bits(bits) / 2;
        said.ints[1] = random_signed(61);
        int64_t span = said.ints[3] - said.ints[0];
        said.ints[4] = said.ints[1] + (random_below(3)   ? random_signed(61) % (span + 1)
                                       : random_below(2) ? span
                                                         : -span);
        struct pilgrim_clock clock = {
            .point_count = 2,
            .points = {{(uint64_t)said.ints[0], said.ints[1], 0}, {(uint64_t)said.ints[3], said.ints[4], 0}}};
        for (int i = 0; i < 16; i++) {
            uint64_t a = (uint64_t)random_bits(1 + random_below(63)), b = a + random_below(i < 8 ? 3 : UINT32_MAX);
            EXPECT(pilgrim_clock_common(&clock, a) <= pilgrim_clock_common(&clock, b), "%llu and %llu change places",
                   (unsigned long long)a, (unsigned long long)b);
            EXPECT(pilgrim_clock_common(&clock, b) <= INT64_MAX, "beyond 2^63");
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clocks");
    TCase *tcase = tcase_create("clocks");
    tcase_add_test(tcase, what_ranks_say);
    tcase_add_loop_test(tcase, wrong_ones, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(tcase, ends);
    tcase_add_loop_test(tcase, within_error, 1, 9);
    tcase_add_loop_test(tcase, order, 1, 9);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
