/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests live requests against arrays that are searched. */
#include <check.h>
#include <stdlib.h>

#include "base/live_requests.h"
#include "random.h"

enum { CLASSES = 5, STEPS = 200000 };

/* A class's requests, the oldest first. */
struct live_list {
    int64_t indices[LIVE_INDICES];
    int64_t count;
};

static const int64_t numbers[CLASSES] = {0, 1, -1, 16, (int64_t)3 << 16};

static int64_t rank_in(const struct live_list *l, int64_t request_index)
{
    for (int64_t i = 0; i < l->count; i++)
        if (l->indices[i] == request_index)
            return i;
    return -1;
}

static int64_t free_in(const struct live_list *l)
{
    int64_t request_index = 0;
    while (request_index < LIVE_INDICES && rank_in(l, request_index) >= 0)
        request_index++;
    return request_index < LIVE_INDICES ? request_index : -1;
}

static void end_in(struct live_list *l, int64_t request_index)
{
    int64_t i = rank_in(l, request_index);
    if (i < 0)
        return;
    for (l->count--; i < l->count; i++)
        l->indices[i] = l->indices[i + 1];
}

static void begin_in(struct live_list *l, int64_t request_index)
{
    if (request_index < 0 || request_index >= LIVE_INDICES)
        return;
    end_in(l, request_index);
    l->indices[l->count++] = request_index;
}

/* _i: about how many requests are live. */
START_TEST(as_lists_are)
{
    static struct live_list lists[CLASSES];
    struct live_requests live = {0};
    for (size_t i = 0; i < CLASSES; i++)
        lists[i].count = 0;
    random_state = (uint64_t)_i + 1;
    for (size_t step = 0; step < STEPS / (size_t)_i; step++) {
        uint32_t k = random_below(CLASSES);
        struct live_list *l = &lists[k];
        int64_t request_index = (int64_t)random_below((uint32_t)_i) - (random_below(50) == 0 ? 1 : 0);
        EXPECT(live_request_index(&live, numbers[k]) == free_in(l), "step %zu", step);
        if (random_below(2) == 0 && free_in(l) >= 0)
            request_index = free_in(l);
        if (random_below(l->count < _i / 2 ? 3 : 2)) {
            EXPECT(live_begin(&live, numbers[k], request_index) == PILGRIM_OK, "step %zu", step);
            begin_in(l, request_index);
        } else {
            int64_t rank = l->count ? (int64_t)random_below((uint32_t)l->count) : 0;
            EXPECT(live_at(&live, numbers[k], rank) == (l->count ? l->indices[rank] : -1), "step %zu", step);
            if (random_below(2))
                request_index = l->count ? l->indices[random_below(2) ? rank : 0] : request_index;
            EXPECT(live_rank(&live, numbers[k], request_index) == rank_in(l, request_index), "step %zu", step);
            live_end(&live, numbers[k], request_index);
            end_in(l, request_index);
        }
        EXPECT(live_at(&live, numbers[k], l->count) == -1, "step %zu", step);
        EXPECT(live_at(&live, numbers[k], -1) == -1, "step %zu", step);
        if (random_below(1000) == 0) {
            live_restart(&live);
            for (size_t i = 0; i < CLASSES; i++)
                lists[i].count = 0;
        }
    }
    live_free(&live);
}
END_TEST

/* Requests beyond the limits are ignored, and change nothing for the others. */
START_TEST(limits)
{
    struct live_requests live = {0};
    ck_assert_int_eq(live_begin(&live, 7, LIVE_INDICES), PILGRIM_OK);
    ck_assert_int_eq(live_rank(&live, 7, LIVE_INDICES), -1);
    ck_assert_int_eq(live_begin(&live, 7, -1), PILGRIM_OK);
    ck_assert_uint_eq(live.count, 0);
    for (int64_t i = 0; i < LIVE_MAX; i++)
        ck_assert_int_eq(live_begin(&live, i / LIVE_INDICES, i % LIVE_INDICES), PILGRIM_OK);
    ck_assert_int_eq(live_request_index(&live, 0), -1);
    ck_assert_int_eq(live_begin(&live, 1000, 0), PILGRIM_OK);
    ck_assert_int_eq(live_rank(&live, 1000, 0), -1);
    ck_assert_int_eq(live_begin(&live, 0, 5), PILGRIM_OK); /* anew */
    ck_assert_int_eq(live_rank(&live, 0, 5), LIVE_INDICES - 1);
    live_end(&live, 0, 5);
    ck_assert_int_eq(live_begin(&live, 1000, 3), PILGRIM_OK);
    ck_assert_int_eq(live_rank(&live, 1000, 3), 0);
    live_free(&live);
    for (int64_t i = 0; i <= LIVE_CLASSES; i++) {
        ck_assert_int_eq(live_begin(&live, i, 1), PILGRIM_OK);
        ck_assert_int_eq(live_rank(&live, i, 1), i < LIVE_CLASSES ? 0 : -1);
        live_end(&live, i, 1);
    }
    ck_assert_uint_eq(live.index.count, LIVE_CLASSES);
    live_restart(&live); /* keeps memory for only a few classes */
    ck_assert_uint_eq(live.bytes, 0);
    ck_assert_int_eq(live_begin(&live, 1000, 3), PILGRIM_OK);
    live_restart(&live);
    ck_assert_int_eq(live_rank(&live, 1000, 3), -1);
    ck_assert_int_eq(live_begin(&live, 2000, 4), PILGRIM_OK);
    ck_assert_int_eq(live_request_index(&live, 2000), 0);
    live_free(&live);
    ck_assert_uint_eq(live.bytes, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("live");
    TCase *tests = tcase_create("live");
    tcase_set_timeout(tests, 60);
    static const int sizes[] = {1, 3, 20, 300, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        tcase_add_loop_test(tests, as_lists_are, sizes[i], sizes[i] + 1);
    tcase_add_test(tests, limits);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
