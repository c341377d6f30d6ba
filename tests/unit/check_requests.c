/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: names, queues of operations that share a handle, threads, many requests at once; and random calls compared
 * with a simple model.
 *
 * One file, as all of it begins, finds and finishes operations through the same few functions. Each test needs a
 * process of its own. */
#define _GNU_SOURCE 1
#include "objects/thread_requests_inline.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4 };

static const uint64_t null_handle = 0x2c000000;
static const struct rank_base world = {.index = 3, .rank = 1, .size = 4};
static char released[64];
static struct thread_requests *books[THREADS];
static struct finding finding; /* of the newest call */

static void note(const char *name)
{
    snprintf(released, sizeof released, "%s", name);
}

static void setup(void)
{
    request_null_handle = null_handle;
    objects_release_hook = note;
    released[0] = 0;
    for (int i = 0; i < THREADS; i++)
        ck_assert_ptr_nonnull(books[i] = requests_new());
}

static int64_t class_of(int thread, int64_t class)
{
    return (int64_t)thread << REQUEST_THREAD_SHIFT | class;
}

/* Thread number THREAD begins one. */
static const struct operation *begin(int thread, uint64_t handle, int64_t class)
{
    return request_created(books[thread], handle, class_of(thread, class), REQUEST_SEND, false, &world, NULL);
}

static const struct operation *create(uint64_t handle, int64_t class)
{
    return begin(0, handle, class);
}

static void find_in(struct finding *f, int thread, const uint64_t *handles, int64_t count)
{
    ck_assert(finding_reserve(f, count));
    for (int64_t i = 0; i < count; i++)
        f->handles[i] = handles[i];
    requests_find(books[thread], f, count);
}

/* What a call of THREAD finds, in `finding`; the call goes on. */
static void find(int thread, const uint64_t *handles, int64_t count)
{
    find_in(&finding, thread, handles, count);
}

/* Operation I of those in F is over, after the call of THREAD that has found it. */
static void finish_in(struct finding *f, int thread, int64_t i, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        found_set_gone(&f->found[k], k == i);
    requests_finished(books[thread], f, count);
}

static const struct operation *found(int64_t i)
{
    return found_operation(&finding.found[i]);
}

static void expect(const struct operation *o, int64_t class_number, int64_t request_index)
{
    ck_assert_int_eq(operation_class(o), class_number);
    ck_assert_int_eq(o->request_index, request_index);
}

/* What a call of the first thread with HANDLE alone finds. */
static const struct operation *find_one(uint64_t handle)
{
    find(0, &handle, 1);
    requests_leave(books[0], &finding, 1);
    return found(0);
}

/* The same, which completes it. */
static void finish_one(uint64_t handle)
{
    find(0, &handle, 1);
    finish_in(&finding, 0, 0, 1);
}

START_TEST(threads_take_their_own)
{
    uint64_t handles[] = {100, 100, 100, 100};
    create(100, 7);
    begin(1, 100, 7);
    create(100, 8);
    find(1, handles, 1);
    expect(found(0), class_of(1, 7), 0);
    find(1, handles, 4); /* its own, those of others in their order, one of nobody */
    expect(found(0), class_of(1, 7), 0);
    expect(found(1), 7, 0);
    expect(found(2), 8, 0);
    expect(found(3), REQUEST_UNKNOWN, 0);
    find(0, handles, 4); /* which is the second thread's */
    expect(found(0), 7, 0);
    expect(found(1), 8, 0);
    expect(found(2), class_of(1, 7), 0);
    expect(found(3), REQUEST_UNKNOWN, 0);
    finish_in(&finding, 0, 0, 4);
    finish_in(&finding, 0, 3, 4);
    find(0, handles, 2);
    expect(found(0), 8, 0);
    expect(found(1), class_of(1, 7), 0);
}
END_TEST

/* Thread 0 completes its operation; the library gives the handle away before thread 0 has returned from the call. */
static void give_away_early(int giver)
{
    struct finding first = {0}, second = {0};
    const uint64_t handle[] = {100};
    objects_set_threads(true);
    begin(giver, 100, 7);
    find_in(&first, 0, handle, 1);
    expect(found_operation(&first.found[0]), class_of(giver, 7), 0);
    begin(1, 100, 7);
    find_in(&second, 2, handle, 1); /* a third thread was handed the second one */
    expect(found_operation(&second.found[0]), class_of(1, 7), giver == 1);
    find(0, handle, 1);
    expect(found(0), class_of(giver, 7), 0);
    requests_leave(books[0], &first, 1); /* not completed: it can be found again */
    requests_leave(books[2], &second, 1);
    find_in(&second, 3, handle, 1);
    expect(found_operation(&second.found[0]), class_of(giver, 7), 0);
    requests_leave(books[3], &second, 1);
    find_in(&second, 2, (uint64_t[]){100, 100}, 2);
    finish_in(&second, 2, 0, 2);
    finish_in(&second, 2, 1, 2);
    find_in(&second, 2, handle, 1);
    expect(found_operation(&second.found[0]), REQUEST_UNKNOWN, 0);
    finish_in(&second, 2, 0, 1);
    finding_free(&first);
    finding_free(&second);
    objects_set_threads(false);
}

START_TEST(a_handle_is_given_away_early)
{
    give_away_early(0);
    give_away_early(1);
}
END_TEST

START_TEST(what_is_being_completed_is_found_where_nothing_else_is)
{
    struct finding other = {0};
    objects_set_threads(true);
    create(100, 7);
    find(1, (uint64_t[]){100}, 1);
    expect(found(0), 7, 0);
    find_in(&other, 0, (uint64_t[]){100, 100}, 2);
    expect(found_operation(&other.found[0]), 7, 0);
    expect(found_operation(&other.found[1]), REQUEST_UNKNOWN, 0);
    find_in(&other, 2, (uint64_t[]){100, 100, 100}, 3);
    expect(found_operation(&other.found[0]), 7, 0);
    expect(found_operation(&other.found[1]), REQUEST_UNKNOWN, 1);
    expect(found_operation(&other.found[2]), REQUEST_UNKNOWN, 2);
    finding_free(&other);
    objects_set_threads(false);
}
END_TEST

/* Of an unknown one that another call is about to complete, the library may have given away the handle, and nobody saw
 * the call that got it. */
START_TEST(what_is_unknown_and_being_completed_is_found_by_nobody_else)
{
    struct finding other = {0};
    objects_set_threads(true);
    find(0, (uint64_t[]){100}, 1);
    expect(found(0), REQUEST_UNKNOWN, 0);
    find_in(&other, 1, (uint64_t[]){100}, 1);
    expect(found_operation(&other.found[0]), REQUEST_UNKNOWN, 1);
    finish_in(&finding, 0, 0, 1);
    ck_assert_str_eq(released, "request:-1.0");
    requests_leave(books[1], &other, 1);
    find(0, (uint64_t[]){100}, 1); /* in no call now */
    expect(found(0), REQUEST_UNKNOWN, 1);
    finding_free(&other);
    objects_set_threads(false);
}
END_TEST

/* The copy stays what it was when the operation's own thread uses its memory again. */
START_TEST(what_others_began_stays_readable)
{
    struct finding own = {0};
    const struct posting posted = {.count = 3, .source = 1, .tag = 9};
    objects_set_threads(true);
    request_created(books[0], 100, 7, REQUEST_RECV, false, &world, &posted);
    find(1, (uint64_t[]){100}, 1);
    find_in(&own, 0, (uint64_t[]){100}, 1);
    finish_in(&own, 0, 0, 1);
    request_created(books[0], 101, 8, REQUEST_SEND, true, &world, NULL);
    expect(found(0), 7, 0);
    ck_assert_int_eq(operation_kind(found(0)), REQUEST_RECV);
    ck_assert_int_eq(found(0)->posted.tag, 9);
    finish_in(&finding, 1, 0, 1); /* it is over already */
    expect(find_one(101), 8, 0);
    finding_free(&own);
    objects_set_threads(false);
}
END_TEST

START_TEST(names_are_class_and_smallest_free_place)
{
    expect(create(100, 7), 7, 0);
    expect(create(101, 7), 7, 1);
    expect(create(102, 9), 9, 0);
    expect(create(103, 7), 7, 2);
    expect(find_one(101), 7, 1);
    ck_assert_uint_eq(found(0)->base, 3);
    found_set_gone(&finding.found[0], false); /* not complete */
    requests_finished(books[0], &finding, 1);
    expect(find_one(101), 7, 1);
    ck_assert_str_eq(released, "");
    finish_one(101);
    ck_assert_str_eq(released, "request:7.1");
    expect(create(104, 7), 7, 1);
    expect(create(105, 7), 7, 3);
    expect(find_one(100), 7, 0);
    expect(find_one(103), 7, 2);
}
END_TEST

START_TEST(null_is_ignored)
{
    ck_assert(operation_is_null(create(null_handle, 1)));
    ck_assert(operation_is_null(find_one(null_handle)));
    finish_one(null_handle);
    ck_assert_str_eq(released, "");
    expect(create(200, 1), 1, 0);
    expect(create(0, 1), 1, 1); /* a handle as good as any */
    expect(find_one(0), 1, 1);
}
END_TEST

START_TEST(one_handle_for_several_operations)
{
    uint64_t handles[5] = {300, 301, 300, null_handle, 300};
    expect(create(300, 1), 1, 0);
    expect(create(300, 2), 2, 0);
    expect(create(301, 3), 3, 0);
    expect(create(300, 1), 1, 1);
    find(0, handles, 5);
    expect(found(0), 1, 0);
    expect(found(1), 3, 0);
    expect(found(2), 2, 0);
    ck_assert(operation_is_null(found(3)));
    expect(found(4), 1, 1);
    finish_in(&finding, 0, 2, 5); /* from the middle */
    find(0, handles, 3);
    expect(found(0), 1, 0);
    expect(found(2), 1, 1);
    finish_in(&finding, 0, 0, 3); /* the first */
    expect(find_one(300), 1, 1);
    expect(create(300, 4), 4, 0);
    find(0, handles, 3);
    expect(found(0), 1, 1);
    expect(found(2), 4, 0);
    finish_in(&finding, 0, 2, 3); /* the last */
    finish_in(&finding, 0, 0, 3);
    expect(create(300, 5), 5, 0);
    expect(find_one(300), 5, 0);
}
END_TEST

START_TEST(unknown_handles_have_a_pool_of_their_own)
{
    uint64_t twice[2] = {400, 400};
    expect(find_one(401), REQUEST_UNKNOWN, 0);
    expect(find_one(401), REQUEST_UNKNOWN, 0);
    expect(create(400, 6), 6, 0);
    find(0, twice, 2); /* one more than there are */
    expect(found(0), 6, 0);
    expect(found(1), REQUEST_UNKNOWN, 1);
    finish_in(&finding, 0, 0, 2);
    finish_in(&finding, 0, 1, 2);
    ck_assert_str_eq(released, "request:-1.1");
    expect(find_one(402), REQUEST_UNKNOWN, 1);
}
END_TEST

START_TEST(live_ones_are_counted)
{
    ck_assert(!requests_live());
    request_created(books[1], 100, REQUEST_UNKNOWN, REQUEST_SEND, false, &world, NULL);
    ck_assert(requests_live());
    finish_one(100);
    ck_assert(!requests_live());
    find_one(101); /* unknown so far */
    begin(2, 102, 4);
    finish_one(102);
    ck_assert(requests_live());
    finish_one(101);
    ck_assert(!requests_live());
}
END_TEST

START_TEST(finished_twice_releases_one_of_the_others)
{
    struct finding a = {0}, b = {0}; /* two threads that wait at the same time */
    create(500, 1);
    create(500, 2);
    find_in(&a, 0, (uint64_t[]){500}, 1);
    find_in(&b, 0, (uint64_t[]){500}, 1);
    finish_in(&a, 0, 0, 1);
    ck_assert_str_eq(released, "request:1.0");
    finish_in(&b, 0, 0, 1);
    ck_assert_str_eq(released, "request:2.0");
    released[0] = 0;
    finish_in(&b, 0, 0, 1); /* once is enough */
    finish_in(&a, 0, 0, 1);
    ck_assert_str_eq(released, "");
    find_in(&a, 0, (uint64_t[]){500}, 1);
    find_in(&b, 0, (uint64_t[]){500}, 1);
    finish_in(&a, 0, 0, 1);
    finish_in(&b, 0, 0, 1); /* there is none */
    finding_free(&a);
    finding_free(&b);
}
END_TEST

START_TEST(persistent_requests_are_active_between_start_and_completion)
{
    const struct operation *o = request_created(books[0], 600, 1, REQUEST_RECV, true, &world, NULL);
    ck_assert(!o->active);
    ck_assert(operation_is_persistent(o));
    ck_assert(!find_one(600)->active);
    request_set_active(&finding.found[0], true);
    ck_assert(find_one(600)->active);
    request_set_active(&finding.found[0], false);
    ck_assert(!find_one(600)->active);
    struct found_operation_bits before = finding.found[0];
    finish_one(600);
    create(601, 1);
    request_set_active(&before, false); /* gone: no effect */
    ck_assert(find_one(601)->active);
    ck_assert(!operation_is_persistent(find_one(601)));
}
END_TEST

/* ---- a model: all live operations in the order of their beginning ---- */

enum { LIVE_MAX = 6000, CLASSES = 5, CALL_MAX = 40 };

static struct requests_model {
    struct model_operation {
        uint64_t handle;
        int64_t class_number, request_index;
        int thread;
    } live[LIVE_MAX];
    int count;
    uint32_t state;
} model;

static unsigned draw(unsigned below)
{
    model.state = model.state * 1103515245u + 12345u;
    return (model.state >> 16) % below;
}

static int64_t model_index(int64_t class_number)
{
    static bool taken[LIVE_MAX + 1];
    int64_t request_index = 0;
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < model.count; i++)
        if (model.live[i].class_number == class_number)
            taken[model.live[i].request_index] = true;
    while (taken[request_index])
        request_index++;
    return request_index;
}

static const struct model_operation *model_begin(int thread, uint64_t handle, int64_t class_number)
{
    struct model_operation *o = &model.live[model.count];
    *o = (struct model_operation){handle, class_number, model_index(class_number), thread};
    model.count++;
    return o;
}

/* The K-th operation behind HANDLE, from 0, as THREAD sees them; -1: there is none. */
static int model_find(int thread, uint64_t handle, int k)
{
    for (int turn = -1; turn < THREADS; turn++) {
        int of = turn < 0 ? thread : turn;
        for (int i = 0; i < model.count && (turn < 0 || of != thread); i++)
            if (model.live[i].thread == of && model.live[i].handle == handle && k-- == 0)
                return i;
    }
    return -1;
}

static void model_end(int64_t class_number, int64_t request_index)
{
    int at = 0;
    while (model.live[at].class_number != class_number || model.live[at].request_index != request_index)
        at++;
    model.count--;
    memmove(&model.live[at], &model.live[at + 1], (size_t)(model.count - at) * sizeof model.live[0]);
}

/* One of few handles that many share, or of many that few do. */
static uint64_t any_handle(void)
{
    return draw(3) ? 1000 + draw(40) * 16 : 50000 + draw(3000) * 0x1000;
}

static void random_begin(void)
{
    int thread = (int)draw(THREADS);
    uint64_t handle = any_handle();
    int64_t class_number = draw(20) ? class_of(thread, draw(CLASSES)) : REQUEST_UNKNOWN;
    const struct operation *o = request_created(books[thread], handle, class_number, REQUEST_RECV, false, &world, NULL);
    const struct model_operation *m = model_begin(thread, handle, class_number);
    expect(o, m->class_number, m->request_index);
}

/* How often HANDLES has its element I before that. */
static int occurrences(const uint64_t *handles, int64_t i)
{
    int k = 0;
    for (int64_t j = 0; j < i; j++)
        k += handles[j] == handles[i];
    return k;
}

/* A call that finds some and completes some of these. */
static void random_call(void)
{
    int thread = (int)draw(THREADS);
    int64_t count = 1 + draw(draw(4) ? 3 : CALL_MAX);
    uint64_t handles[CALL_MAX] = {0};
    int64_t indices[CALL_MAX], classes[CALL_MAX];
    int at[CALL_MAX];
    for (int64_t i = 0; i < count; i++)
        handles[i] = i && !draw(3)             ? handles[i - 1]
                     : draw(10) && model.count ? model.live[draw((unsigned)model.count)].handle
                                               : any_handle();
    find(thread, handles, count);
    for (int64_t i = 0; i < count; i++)
        at[i] = model_find(thread, handles[i], occurrences(handles, i));
    for (int64_t i = 0; i < count; i++) {
        const struct model_operation *o =
            at[i] < 0 ? model_begin(thread, handles[i], REQUEST_UNKNOWN) : &model.live[at[i]];
        classes[i] = o->class_number;
        indices[i] = o->request_index;
    }
    for (int64_t i = 0; i < count; i++)
        expect(found(i), classes[i], indices[i]);
    for (int64_t i = 0; i < count; i++)
        found_set_gone(&finding.found[i], draw(2) != 0);
    requests_finished(books[thread], &finding, count);
    requests_leave(books[thread], &finding, count);
    for (int64_t i = 0; i < count; i++)
        if (found_has(&finding.found[i], FOUND_GONE))
            model_end(classes[i], indices[i]);
}

/* The number of a search comes again after 2^32 others. */
START_TEST(searches_may_be_many)
{
    uint64_t handles[] = {100, 100, 100};
    for (int64_t i = 0; i < 3; i++)
        create(100, 7);
    books[0]->searches = UINT32_MAX - 2;
    for (int round = 0; round < 5; round++) {
        find(0, handles, 3);
        for (int64_t i = 0; i < 3; i++)
            expect(found(i), 7, i);
    }
}
END_TEST

START_TEST(random_calls_name_what_the_model_names)
{
    objects_release_hook = NULL;
    objects_set_threads(_i & 1);
    model.count = 0;
    model.state = (uint32_t)_i + 1;
    for (int step = 0; step < 6000; step++)
        if (model.count < LIVE_MAX - CALL_MAX && draw(_i % 3 ? 2 : 20))
            random_begin();
        else
            random_call();
    objects_set_threads(false);
}
END_TEST

/* ---- threads at the same time ---- */

/* Each completes what it started: some with handles of its own, some with one that all share. */
static void *work(void *number)
{
    int thread = (int)(uintptr_t)number;
    uint64_t own = 2000 + 100 * (uint64_t)thread;
    struct finding f = {0};
    int64_t wrong = 0;
    for (int i = 0; i < 5000; i++) {
        uint64_t handles[4] = {own, 800, own + 1, 800};
        for (int k = 0; k < 4; k++)
            begin(thread, handles[k], thread);
        wrong += !finding_reserve(&f, 4);
        memcpy(f.handles, handles, sizeof handles);
        requests_find(books[thread], &f, 4);
        for (int k = 0; k < 4; k++) {
            wrong += operation_class(found_operation(&f.found[k])) != class_of(thread, thread);
            wrong += (found_operation(&f.found[k])->key ^ null_handle) != handles[k];
            found_set_gone(&f.found[k], true);
        }
        wrong += found_operation(&f.found[1]) == found_operation(&f.found[3]) ||
                 found_operation(&f.found[0])->request_index == found_operation(&f.found[2])->request_index;
        requests_finished(books[thread], &f, 4);
        requests_leave(books[thread], &f, 4);
    }
    finding_free(&f);
    return (void *)(uintptr_t)wrong;
}

static void run_threads(void *(*routine)(void *))
{
    pthread_t t[THREADS];
    objects_release_hook = NULL;
    objects_set_threads(true);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&t[i], NULL, routine, (void *)(uintptr_t)i));
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        ck_assert(!pthread_join(t[i], &wrong));
        ck_assert_ptr_null(wrong);
    }
    objects_set_threads(false);
    for (int i = 0; i < THREADS; i++) /* every place is free again, the shared handle's too */
        expect(begin(i, 900, i), class_of(i, i), 0);
    expect(find_one(800), REQUEST_UNKNOWN, 0);
}

START_TEST(threads_at_the_same_time)
{
    run_threads(work);
}
END_TEST

/* Each begins operations that the next one completes, by a handle that all share and by others that none do. */
static atomic_int begun[THREADS], done[THREADS];

static void *hand_on_from(int thread, bool ends)
{
    int before = (thread + THREADS - 1) % THREADS;
    struct finding f = {0};
    int64_t wrong = 0;
    for (int i = 0; i < 2000; i++) {
        begin(thread, 3000 + (uint64_t)thread, thread);
        begin(thread, 800, thread);
        atomic_store(&begun[thread], i + 1);
        wrong += ends && !requests_thread_ended(books[thread]);
        while (atomic_load(&begun[before]) <= i)
            sched_yield();
        wrong += !finding_reserve(&f, 2);
        f.handles[0] = 3000 + (uint64_t)before;
        f.handles[1] = 800;
        requests_find(books[thread], &f, 2);
        found_set_gone(&f.found[0], true);
        found_set_gone(&f.found[1], true);
        wrong += operation_class(found_operation(&f.found[0])) != class_of(before, before);
        wrong += operation_kind(found_operation(&f.found[1])) != REQUEST_SEND;
        requests_finished(books[thread], &f, 2);
        requests_leave(books[thread], &f, 2);
        atomic_store(&done[thread], i + 1);
        while (atomic_load(&done[(thread + 1) % THREADS]) <= i)
            sched_yield();
    }
    finding_free(&f);
    return (void *)(uintptr_t)wrong;
}

static void *hand_on(void *number)
{
    return hand_on_from((int)(uintptr_t)number, false);
}

static void *hand_on_and_end(void *number)
{
    return hand_on_from((int)(uintptr_t)number, true);
}

START_TEST(threads_complete_what_others_began)
{
    run_threads(hand_on);
}
END_TEST

START_TEST(threads_complete_what_ended_ones_began)
{
    run_threads(hand_on_and_end);
}
END_TEST

START_TEST(what_ended_threads_began_stays)
{
    uint64_t handles[] = {500, 800, 600};
    begin(1, 500, 2);
    begin(1, 800, 2);
    begin(1, 600, 3);
    find(0, handles, 3);
    ck_assert(requests_thread_ended(books[1]));
    ck_assert_uint_eq(books[1]->live, 0);
    finish_in(&finding, 0, 1, 3); /* of a call that was under way */
    requests_leave(books[0], &finding, 3);
    ck_assert_str_eq(released, "request:65538.1");
    begin(1, 500, 2); /* another thread with that book */
    expect(begin(1, 800, 2), class_of(1, 2), 1);
    find(1, handles, 1);
    expect(found(0), class_of(1, 2), 0);
    ck_assert(found_has(&finding.found[0], FOUND_OWN) && !found_operation(&finding.found[0])->moved);
    finish_in(&finding, 1, 0, 1);
    requests_leave(books[1], &finding, 1);
    ck_assert(requests_thread_ended(books[1]));
    expect(find_one(500), class_of(1, 2), 0);
    finish_one(500);
    finish_one(800);
    expect(find_one(600), class_of(1, 3), 0);
    finish_one(600);
    ck_assert(!requests_live());
}
END_TEST

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other processes are no matter */
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* COUNT requests in flight, all behind one handle or each with its own, completed one by one, last first. Returns the
 * nanoseconds for one request. */
static double fly(int64_t count, bool same)
{
    int64_t right = 0; /* an assertion each would take longer than what is measured */
    ck_assert(finding_reserve(&finding, count));
    double start = now_ns();
    for (int64_t i = 0; i < count; i++) {
        finding.handles[i] = same ? 700 : 1000 + (uint64_t)i * 0xb8;
        create(finding.handles[i], 8);
    }
    requests_find(books[0], &finding, count);
    for (int64_t i = 0; i < count; i++) {
        right += operation_class(found(i)) == 8 && found(i)->request_index == i;
        found_set_gone(&finding.found[i], true);
    }
    struct finding one = finding;
    for (int64_t i = count; i-- > 0;) {
        one.found = finding.found + i;
        requests_finished(books[0], &one, 1);
    }
    double took = (now_ns() - start) / (double)count;
    ck_assert_int_eq(right, count);
    expect(create(700, 8), 8, 0);
    finish_one(700);
    return took;
}

START_TEST(many_in_flight_stay_linear)
{
    objects_release_hook = NULL;
    for (int same = 0; same < 2; same++) {
        fly(100000, same); /* memory is there afterwards */
        double few = fly(512, same), many = fly(100000, same);
        printf("%s: %.0f ns a request with 512 in flight, %.0f ns with 100000\n", same ? "one handle" : "own handles",
               few, many);
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
    tcase_add_test(c, what_is_being_completed_is_found_where_nothing_else_is);
    tcase_add_test(c, what_is_unknown_and_being_completed_is_found_by_nobody_else);
    tcase_add_test(c, what_others_began_stays_readable);
    tcase_add_test(c, names_are_class_and_smallest_free_place);
    tcase_add_test(c, null_is_ignored);
    tcase_add_test(c, one_handle_for_several_operations);
    tcase_add_test(c, unknown_handles_have_a_pool_of_their_own);
    tcase_add_test(c, live_ones_are_counted);
    tcase_add_test(c, finished_twice_releases_one_of_the_others);
    tcase_add_test(c, persistent_requests_are_active_between_start_and_completion);
    tcase_add_test(c, searches_may_be_many);
    tcase_add_loop_test(c, random_calls_name_what_the_model_names, 0, 12);
    tcase_add_test(c, threads_at_the_same_time);
    tcase_add_test(c, threads_complete_what_others_began);
    tcase_add_test(c, threads_complete_what_ended_ones_began);
    tcase_add_test(c, what_ended_threads_began_stays);
    tcase_add_test(c, many_in_flight_stay_linear);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
