/* Requests: names, FIFOs behind one handle, many in flight. */
#define _GNU_SOURCE 1
#include "objects/requests.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t null_handle = 0x2c000000;
static const struct view world = {.rank = 1, .size = 4};
static char released[64];

static void note(const char *name)
{
    snprintf(released, sizeof released, "%s", name);
}

static void setup(void)
{
    request_null_handle = null_handle;
    objects_release_hook = note;
    released[0] = 0;
}

static struct operation create(uint64_t handle, int64_t class_number)
{
    return request_created(handle, class_number, REQUEST_SEND, false, &world);
}

static struct operation find_one(uint64_t handle)
{
    struct operation o;
    requests_find(&handle, 1, 0, &o);
    return o;
}

static void expect(struct operation o, int64_t class_number, int64_t place)
{
    ck_assert(!o.null);
    ck_assert_int_eq(o.class_number, class_number);
    ck_assert_int_eq(o.place, place);
}

START_TEST(threads_take_their_own)
{
    enum { OTHER = 1 << REQUEST_THREAD_SHIFT };
    uint64_t handles[] = {100, 100, 100, 100};
    struct operation o[4];
    create(100, 7);
    create(100, OTHER | 7);
    create(100, 8);
    requests_find(handles, 1, 1, o);
    expect(o[0], OTHER | 7, 0);
    requests_find(handles, 4, 1, o); /* its own, those of others in their order, one of nobody */
    expect(o[0], OTHER | 7, 0);
    expect(o[1], 7, 0);
    expect(o[2], 8, 0);
    expect(o[3], -1, 0);
    requests_find(handles, 3, 0, o);
    expect(o[0], 7, 0);
    expect(o[1], 8, 0);
    expect(o[2], -1, 0);
    request_finished(&o[0], null_handle);
    request_finished(&o[2], null_handle);
    requests_find(handles, 2, 0, o);
    expect(o[0], 8, 0);
    expect(o[1], OTHER | 7, 0);
}
END_TEST

/* Thread 0 completes its operation; the library gives the handle away before thread 0 has returned from the call. */
START_TEST(a_handle_is_given_away_early)
{
    struct operation first, second, found;
    objects_set_threads(true);
    create(100, 7);
    requests_find(&(uint64_t){100}, 1, 0, &first);
    requests_complete(&first, 1, 0, true);
    create(100, (1 << REQUEST_THREAD_SHIFT) | 7);
    requests_find(&(uint64_t){100}, 1, 2, &second); /* a third thread was handed the second one */
    expect(second, (1 << REQUEST_THREAD_SHIFT) | 7, 0);
    requests_find(&(uint64_t){100}, 1, 0, &found);
    expect(found, 7, 0);
    requests_complete(&first, 1, 0, false); /* not completed: it can be found again */
    requests_find(&(uint64_t){100}, 1, 2, &found);
    expect(found, 7, 0);
    request_finished(&second, null_handle);
    request_finished(&first, null_handle);
    objects_set_threads(false);
}
END_TEST

START_TEST(names_are_class_and_smallest_free_place)
{
    expect(create(100, 7), 7, 0);
    expect(create(101, 7), 7, 1);
    expect(create(102, 9), 9, 0);
    expect(create(103, 7), 7, 2);
    struct operation o = find_one(101);
    expect(o, 7, 1);
    ck_assert_int_eq(o.view.rank, 1);
    request_finished(&o, 101); /* not complete */
    expect(find_one(101), 7, 1);
    ck_assert_str_eq(released, "");
    request_finished(&o, null_handle);
    ck_assert_str_eq(released, "request:7.1");
    expect(create(104, 7), 7, 1);
    expect(create(105, 7), 7, 3);
    expect(find_one(100), 7, 0);
    expect(find_one(103), 7, 2);
}
END_TEST

START_TEST(null_is_ignored)
{
    struct operation o = create(null_handle, 1);
    ck_assert(o.null);
    ck_assert(find_one(null_handle).null);
    request_finished(&o, null_handle);
    ck_assert_str_eq(released, "");
    expect(create(200, 1), 1, 0);
}
END_TEST

START_TEST(one_handle_for_several_operations)
{
    uint64_t handles[5] = {300, 301, 300, null_handle, 300};
    struct operation o[5];
    expect(create(300, 1), 1, 0);
    expect(create(300, 2), 2, 0);
    expect(create(301, 3), 3, 0);
    expect(create(300, 1), 1, 1);
    requests_find(handles, 5, 0, o);
    expect(o[0], 1, 0);
    expect(o[1], 3, 0);
    expect(o[2], 2, 0);
    ck_assert(o[3].null);
    expect(o[4], 1, 1);
    request_finished(&o[2], null_handle); /* from the middle */
    requests_find(handles, 3, 0, o);
    expect(o[0], 1, 0);
    expect(o[2], 1, 1);
    request_finished(&o[0], null_handle); /* the first */
    expect(find_one(300), 1, 1);
    expect(create(300, 4), 4, 0);
    requests_find(handles, 3, 0, o);
    expect(o[0], 1, 1);
    expect(o[2], 4, 0);
    request_finished(&o[2], null_handle); /* the last */
    request_finished(&o[0], null_handle);
    expect(create(300, 5), 5, 0);
    expect(find_one(300), 5, 0);
}
END_TEST

START_TEST(unknown_handles_have_a_pool_of_their_own)
{
    uint64_t twice[2] = {400, 400};
    struct operation o[2];
    expect(find_one(401), -1, 0);
    expect(find_one(401), -1, 0);
    expect(create(400, 6), 6, 0);
    requests_find(twice, 2, 0, o); /* one more than there are */
    expect(o[0], 6, 0);
    expect(o[1], -1, 1);
    request_finished(&o[0], null_handle);
    request_finished(&o[1], null_handle);
    ck_assert_str_eq(released, "request:-1.1");
    expect(find_one(402), -1, 1);
}
END_TEST

START_TEST(finished_twice_releases_one_of_the_others)
{
    create(500, 1);
    create(500, 2);
    struct operation a = find_one(500), b = find_one(500); /* as two threads that wait at the same time */
    request_finished(&a, null_handle);
    ck_assert_str_eq(released, "request:1.0");
    request_finished(&b, null_handle);
    ck_assert_str_eq(released, "request:2.0");
    released[0] = 0;
    request_finished(&b, null_handle);
    ck_assert_str_eq(released, "");
}
END_TEST

START_TEST(persistent_requests_are_active_between_start_and_completion)
{
    struct operation o = request_created(600, 1, REQUEST_RECV, true, &world);
    ck_assert(!o.active);
    ck_assert(o.persistent);
    ck_assert(!find_one(600).active);
    request_set_active(&o, true);
    ck_assert(find_one(600).active);
    request_set_active(&o, false);
    ck_assert(!find_one(600).active);
    request_finished(&o, 600);
    expect(find_one(600), 1, 0);
    request_finished(&o, null_handle);
    request_set_active(&o, true); /* gone: no effect */
    expect(create(600, 1), 1, 0);
    ck_assert(!find_one(600).persistent);
}
END_TEST

/* Each thread completes what it started: some with handles of its own, some with one that all share. */
static void *work(void *number)
{
    uint64_t own = 2000 + 100 * (uint64_t)(uintptr_t)number;
    int64_t wrong = 0;
    for (int i = 0; i < 5000; i++) {
        uint64_t handles[4] = {own, 800, own + 1, 800};
        struct operation o[4];
        for (int k = 0; k < 4; k++)
            create(handles[k], (int64_t)(uintptr_t)number);
        requests_find(handles, 4, 0, o);
        wrong += o[0].handle != own || o[2].handle != own + 1;
        wrong += o[0].class_number != (int64_t)(uintptr_t)number || o[0].place == o[2].place;
        wrong += o[1].live == o[3].live;
        for (int k = 0; k < 4; k++)
            request_finished(&o[k], null_handle);
    }
    return (void *)(uintptr_t)wrong;
}

START_TEST(threads_at_the_same_time)
{
    enum { THREADS = 4 };
    pthread_t t[THREADS];
    objects_release_hook = NULL;
    objects_set_threads(true);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&t[i], NULL, work, (void *)(uintptr_t)(i + 1)));
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        ck_assert(!pthread_join(t[i], &wrong));
        ck_assert_ptr_null(wrong);
    }
    objects_set_threads(false);
    for (int64_t i = 0; i < THREADS; i++) /* every place is free again, the shared handle's too */
        expect(create(900, i + 1), i + 1, 0);
    expect(find_one(800), -1, 0);
}
END_TEST

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* COUNT requests in flight, all behind one handle or each with its own, completed in one array, last first.
 * Returns the nanoseconds for one request. */
static double fly(int64_t count, bool same)
{
    uint64_t *handles = malloc((size_t)count * sizeof *handles);
    struct operation *o = malloc((size_t)count * sizeof *o);
    ck_assert_ptr_nonnull(handles);
    ck_assert_ptr_nonnull(o);
    double start = now_ns();
    for (int64_t i = 0; i < count; i++) {
        handles[i] = same ? 700 : 1000 + (uint64_t)i;
        create(handles[i], 8);
    }
    requests_find(handles, count, 0, o);
    int64_t right = 0; /* an assertion each would take longer than what is measured */
    for (int64_t i = 0; i < count; i++)
        right += o[i].class_number == 8 && o[i].place == i;
    for (int64_t i = count; i-- > 0;)
        request_finished(&o[i], null_handle);
    double took = (now_ns() - start) / (double)count;
    ck_assert_int_eq(right, count);
    expect(create(700, 8), 8, 0);
    struct operation last = find_one(700);
    request_finished(&last, null_handle);
    free(handles);
    free(o);
    return took;
}

START_TEST(many_in_flight_stay_linear)
{
    objects_release_hook = NULL;
    for (int same = 0; same < 2; same++) {
        fly(100000, same); /* memory is there afterwards */
        double few = fly(512, same), many = fly(100000, same);
        printf("%s: %.0f ns a request with 512 in flight, %.0f ns with 100000\n",
               same ? "one handle" : "own handles", few, many);
        /* Quadratic work would take 200 times as long; caches and noise may cost some. */
        ck_assert_msg(many < 20 * few + 200, "%.0f ns, then %.0f ns", few, many);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("requests");
    TCase *c = tcase_create("requests");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, NULL);
    tcase_add_test(c, threads_take_their_own);
    tcase_add_test(c, a_handle_is_given_away_early);
    tcase_add_test(c, names_are_class_and_smallest_free_place);
    tcase_add_test(c, null_is_ignored);
    tcase_add_test(c, one_handle_for_several_operations);
    tcase_add_test(c, unknown_handles_have_a_pool_of_their_own);
    tcase_add_test(c, finished_twice_releases_one_of_the_others);
    tcase_add_test(c, persistent_requests_are_active_between_start_and_completion);
    tcase_add_test(c, threads_at_the_same_time);
    tcase_add_test(c, many_in_flight_stay_linear);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
