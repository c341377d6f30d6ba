/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that have ended are recorded as if they still lived: the trace has the same bytes, whatever the order in
 * which they end. */
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "record/ended_threads.h"
#include "merge/fragment.h"
#include "write/trace_writer.h"
#include "record/stream_times.h"
#include "random.h"
#include "trials.h"

static const struct parameter_descriptor parameters[] = {{"in", DIRECTION_IN}, {"out", DIRECTION_OUT}};
static const struct parameter_descriptor views[] = {{"views_rank", DIRECTION_IN}, {"views_size", DIRECTION_IN}};
static const struct function_descriptor functions[] = {
    {"pilgrim_process", views, 2, RETURNS_VALUE, ACTIVITY_OTHER},
    {"MPI_One", parameters, 2, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
    {"MPI_Two", parameters, 2, RETURNS_ERROR_CODE, ACTIVITY_POINT_TO_POINT},
};
static const char *const names[] = {"MPI_SUCCESS", "comm"};
static const struct vocabulary vocabulary = {functions, 3, names, 2};
static const char sites[64];
static const struct code_module module = {"program", {1, 2, 3, 4}, 4, NULL};

enum { RANKS = 2, VIEWS = 3, THREADS = 200, LONG = 5000, UNZIPPED = 3000, SERIES = 70 };

static size_t resolve(const void *site, struct code_frame *frames)
{
    size_t count = (size_t)((const char *)site - sites) % 3;
    for (size_t i = 0; i < count; i++)
        frames[i] = (struct code_frame){&module, (uint64_t)((const char *)site - sites) * 16 + i};
    return count;
}

static void put(struct bytes *b, uint8_t tag, int64_t slot)
{
    bytes_put_u8(b, tag);
    bytes_put_u64(b, (uint64_t)slot);
}

static void put_name(struct bytes *b)
{
    bytes_put_u8(b, VALUE_NAME);
    bytes_put(b, (uint8_t[]){0, 0}, 2);
}

/* What a thread is to do: threads of one KIND make the same calls, but for what VARIES says. */
struct plan {
    uint32_t number, kind, varies, calls;
};

static void put_array(struct bytes *b, uint32_t count, int64_t value, bool uneven)
{
    bytes_put_u8(b, VALUE_ARRAY);
    bytes_put_u32(b, count);
    for (uint32_t i = 0; i < count; i++)
        put(b, VALUE_INT, value + (uneven && i % 7 == 3 ? (int64_t)random_below(3) : i));
}

static void put_value(struct bytes *b, const struct plan *plan, uint32_t call, unsigned form)
{
    int64_t number = plan->number, value = plan->varies & 1   ? number * 3
                                           : plan->varies & 2 ? (int64_t)random_below(5)
                                                              : 7;
    switch (form % 8) {
    case 0:
        bytes_put_u8(b, VALUE_RANK_BASE);
        bytes_put_u64(b, plan->varies & 8 ? (uint64_t)number % (VIEWS + 1) : 1);
        put(b, VALUE_RANK, value % 4);
        break;
    case 1:
        put(b, VALUE_REQUEST, number << VALUE_THREAD_SHIFT | call % 3);
        bytes_put_u64(b, call % 2);
        break;
    case 2:
        put(b, VALUE_REQUEST, (number ? number - 1 : 0) << VALUE_THREAD_SHIFT | 2);
        bytes_put_u64(b, 0);
        break;
    case 3:
        bytes_put_u8(b, VALUE_STRING);
        bytes_put_u32(b, 3);
        bytes_put(b, plan->varies & 4 && number % 2 ? "odd" : "all", 3);
        break;
    case 4:
        put_array(b, plan->kind % 5 == 1 ? SERIES : 3, value, plan->varies & 4);
        break;
    case 5:
        put(b, VALUE_RANK, value % 4);
        break;
    default:
        put(b, VALUE_INT, plan->calls == UNZIPPED ? (int64_t)random_below(1u << 30) : call % 5 ? value : 2 * value);
    }
}

static struct stream *used; /* of a thread that has ended, or NULL */

/* The same each time, in a stream that is new or USED. */
static struct stream *stream_of(const struct plan *plan, bool timed)
{
    const struct stream_times times = {.kind = TIMES_NONE};
    struct stream *s = used ? used : stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    uint64_t now = 1000 * plan->number;
    bool was_used = used;
    used = NULL;
    random_state = plan->number;
    if (timed && !was_used)
        ck_assert_int_eq(stream_keep_times(s, &times), PILGRIM_OK);
    for (uint32_t i = 0; i < plan->calls; i++) {
        uint32_t class, what = plan->kind + i % (1 + plan->kind % 4);
        bool failed = what % 3 == 0 && i % 4 > 1;
        put_value(&key, plan, i, what);
        put_value(&key, plan, i, what / 2 + failed);
        put_name(&key);
        EXPECT(stream_class(s, 1 + what % 2, sites + what % 7, what % 5 == 0, &class) == PILGRIM_OK, "no class");
        EXPECT(stream_append(s, class, failed, key.data, key.length, now, now + i % 50) == PILGRIM_OK, "no call");
        now += 100 + i % 7;
        key.length = 0;
    }
    bytes_free(&key);
    return s;
}

static void make_plans(struct plan *plans, uint32_t seed)
{
    random_state = seed;
    uint32_t kinds = 1 + random_below(12);
    for (uint32_t i = 0; i < THREADS; i++) {
        plans[i] = (struct plan){.number = i, .kind = random_below(kinds), .calls = 1 + random_below(3) * 6};
        plans[i].varies = seed % 16;
        if (i % 40 == 5)
            plans[i].calls = 0;
        if (i % 60 == 7)
            plans[i].calls = LONG;
        if (i % 90 == 11)
            plans[i].calls = UNZIPPED;
        if (i % 50 == 13)
            plans[i].calls = 70 + random_below(300);
    }
}

static struct stream *process_of(unsigned rank)
{
    struct stream *s = stream_new(&vocabulary, resolve);
    struct bytes key = {0};
    uint32_t class;
    for (int i = 0; i < 2; i++) {
        bytes_put_u8(&key, VALUE_ARRAY);
        bytes_put_u32(&key, VIEWS);
        for (int view = 0; view < VIEWS; view++)
            put(&key, VALUE_INT, i ? RANKS + view : (int)rank);
    }
    put_name(&key);
    ck_assert_int_eq(stream_class(s, 0, NULL, false, &class), PILGRIM_OK);
    ck_assert_int_eq(stream_append(s, class, false, key.data, key.length, 0, 0), PILGRIM_OK);
    bytes_free(&key);
    return s;
}

/* What is in which order at the end of a thread. REACH: how far threads that end may be apart. */
static void draw_order(uint32_t *order, uint32_t reach)
{
    for (uint32_t i = 0; i < THREADS; i++)
        order[i] = i;
    for (uint32_t i = 0; i + 1 < THREADS; i++) {
        uint32_t other = i + random_below(reach < THREADS - i ? reach : THREADS - i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* The fragment of RANK. SHARE: one thread in so many lives on; 1: all do. */
static struct fragment *fragment_of(unsigned rank, const struct plan *plans, const uint32_t *order, uint32_t share,
                                    bool timed)
{
    const struct stream *threads[THREADS] = {NULL};
    struct stream *process = process_of(rank);
    struct ended_threads *ended = ended_new(&vocabulary);
    struct fragment *f = fragment_new(rank);
    for (uint32_t i = 0; i < THREADS; i++) {
        const struct plan *plan = &plans[order[i]];
        struct stream *s = stream_of(plan, timed);
        if (plan->number % share == 0) {
            ck_assert_int_eq(stream_flush_times(s), PILGRIM_OK);
            threads[plan->number] = s;
            continue;
        }
        if (plan->calls)
            ck_assert_int_eq(ended_add(ended, plan->number, &s), PILGRIM_OK);
        if (s)
            stream_restart(s);
        stream_free(used);
        used = s;
    }
    stream_free(used);
    used = NULL;
    ck_assert_int_eq(fragment_add_rank_so_far(f, process, NULL, threads, THREADS, ended), PILGRIM_OK);
    for (uint32_t i = 0; i < THREADS; i++)
        stream_free((struct stream *)(uintptr_t)threads[i]);
    stream_free(process);
    ended_free(ended);
    return f;
}

static void trace_of(const struct plan *plans, const uint32_t *order, uint32_t share, bool timed, struct bytes *out)
{
    struct fragment *f = fragment_of(0, plans, order, share, timed),
                    *other = fragment_of(1, plans, order, share, timed);
    ck_assert_int_eq(fragment_merge(f, other), PILGRIM_OK);
    ck_assert_int_eq(trace_write(f, timed, out), PILGRIM_OK);
    fragment_free(other);
    fragment_free(f);
}

START_TEST(ended_threads_are_where_they_were)
{
    static struct plan plans[THREADS];
    uint32_t order[THREADS];
    struct bytes all = {0}, ended = {0};
    bool timed = _i % 2;
    make_plans(plans, (uint32_t)_i);
    random_state = (uint32_t)_i;
    draw_order(order, 1);
    trace_of(plans, order, 1, timed, &all);
    random_state = (uint32_t)_i;
    draw_order(order, _i % 3 == 0 ? 1 : _i % 3 == 1 ? 20 : THREADS);
    trace_of(plans, order, _i % 5 == 4 ? THREADS : 17, timed, &ended);
    ck_assert_uint_eq(all.length, ended.length);
    ck_assert(!memcmp(all.data, ended.data, all.length));
    bytes_free(&all);
    bytes_free(&ended);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ended");
    TCase *tc = tcase_create("ended");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, ended_threads_are_where_they_were, 0, 12 + (int)trials(144));
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
