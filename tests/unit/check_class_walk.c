/* SPDX-License-Identifier: BSD-3-Clause */
/* What a walk through a grammar gives a nest is what the calls give it one by one; and so are the loops of threads, the
 * places of calls in them, and the calls of chosen iterations. */
#include "../../src/analysis/thread_loops.c"
#include "looping_trace.h"

#include "pilgrim/reader.h"
#include "read/file/load.h"
#include "trials.h"

enum { ASKED = 40, WISHED = 3 };

/* One rank of a trace: its loops, and each call's iteration in each of them, found call by call. */
struct known {
    const struct pilgrim_trace *trace;
    uint32_t rank;
    struct loops_list *list;
    struct loop_classes seen;
    struct nest *nest;
    struct nest_item *items;
    size_t item_count, loop_count;
    size_t item_of[4096]; /* by loop */
    uint64_t calls;
    uint64_t *iterations; /* by call and loop */
};

/* Gives all calls to the nest, and notes iterations of loops if WHOLE is not NULL. */
static void give_each(struct known *k, struct nest *nest, const struct nest *whole)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    size_t class;
    uint64_t count, seq = 0;
    ck_assert_int_eq(pilgrim_cursor_open(k->trace, k->rank, 0, &cursor, &error), PILGRIM_OK);
    while (pilgrim_cursor_pass(cursor, &class, &count, &error) == PILGRIM_OK) {
        const size_t shown = k->seen.classes[k->seen.first[pilgrim_cursor_segment(cursor)] + class].shown_as;
        if (count == 0)
            (whole ? nest_count : nest_see)(nest, shown, 1);
        for (uint64_t i = 0; i < count; i++, seq++) {
            (whole ? nest_count : nest_see)(nest, shown, 1);
            for (size_t loop = 0; whole && k->iterations && loop < k->loop_count; loop++) {
                const struct nest_item *item = &k->items[k->item_of[loop]];
                k->iterations[seq * k->loop_count + loop] =
                    item->is_loop ? nest_iteration(nest, whole, item->region) : nest_run(nest, item->class);
            }
        }
    }
    k->calls = seq;
    pilgrim_cursor_close(cursor);
}

static struct nest *nest_of_each(struct known *k, const struct nest *whole)
{
    struct nest *nest = nest_new(k->seen.count);
    ck_assert_ptr_nonnull(nest);
    give_each(k, nest, NULL);
    ck_assert(nest_build(nest));
    give_each(k, nest, whole ? whole : nest);
    return nest;
}

static void learn(struct known *k, const struct pilgrim_trace *trace, uint32_t rank)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_error error;
    struct shown_loops s = {0};
    *k = (struct known){.trace = trace, .rank = rank, .list = loops_list_new(trace, false)};
    ck_assert_int_eq(pilgrim_cursor_open(trace, rank, 0, &cursor, &error), PILGRIM_OK);
    ck_assert_int_eq(loop_classes_read(&k->seen, &k->list->reader, rank, cursor, &error), PILGRIM_OK);
    pilgrim_cursor_close(cursor);
    k->nest = nest_of_each(k, NULL);
    ck_assert(nest_items(k->nest, &s.items, &s.count) && drop_stored(&s, k->seen.classes));
    number_loops(&s);
    k->items = s.items;
    k->item_count = s.count;
    for (size_t i = 0; i < s.count; i++)
        if (s.items[i].number) {
            k->item_of[s.items[i].number - 1] = i;
            k->loop_count++;
        }
    ck_assert_uint_lt(k->loop_count, sizeof k->item_of / sizeof *k->item_of);
    k->iterations = calloc(k->calls * k->loop_count + 1, sizeof *k->iterations);
    nest_free(nest_of_each(k, k->nest));
}

static void forget(struct known *k)
{
    nest_free(k->nest);
    loop_classes_free(&k->seen);
    loops_list_free(k->list);
    free(k->items);
    free(k->iterations);
}

static void compare_items(struct known *k)
{
    struct shown_loops s = {0};
    struct pilgrim_error error;
    struct nest *nest = nest_new(k->seen.count);
    uint64_t calls = 0;
    ck_assert_int_eq(find_items(k->list, k->rank, 0, &k->seen, nest, &s, &error), PILGRIM_OK);
    ck_assert_uint_eq(s.count, k->item_count);
    for (size_t i = 0; i < s.count; i++) {
        const struct nest_item *a = &s.items[i], *b = &k->items[i];
        ck_assert(a->is_loop == b->is_loop && a->depth == b->depth && a->loop == b->loop && a->number == b->number &&
                  a->leads_on == b->leads_on && (a->is_loop || a->class == b->class));
        ck_assert_uint_eq(a->counts.times, b->counts.times);
        ck_assert_uint_eq(a->counts.total, b->counts.total);
        ck_assert_uint_eq(a->counts.min, b->counts.min);
        ck_assert_uint_eq(a->counts.max, b->counts.max);
    }
    for (size_t i = 0; i < k->seen.count; i++)
        calls += k->seen.classes[i].calls;
    ck_assert_uint_eq(calls, k->calls);
    nest_free(nest);
    free(s.items);
}

/* The places of some calls, in their order. */
static void compare_places(struct known *k)
{
    struct loop_places *places;
    struct pilgrim_error error;
    uint64_t iteration;
    ck_assert_int_eq(loop_places_open(k->trace, k->rank, 0, &places, &error), PILGRIM_OK);
    ck_assert_uint_eq(loop_places_count(places), k->loop_count);
    for (uint64_t seq = draw() % 5; seq < k->calls; seq += 1 + draw() % (1 + k->calls / ASKED))
        for (size_t loop = 1; loop <= k->loop_count; loop++) {
            ck_assert_int_eq(loop_places_find(places, loop, seq, &iteration, &error), PILGRIM_OK);
            ck_assert_uint_eq(iteration, k->iterations[seq * k->loop_count + loop - 1]);
        }
    ck_assert_int_eq(loop_places_find(places, 0, k->calls, &iteration, &error), PILGRIM_END);
    loop_places_close(places);
}

static uint64_t some_from(void *context, uint64_t iteration)
{
    const uint64_t *ranges = context; /* first and last, one behind the other */
    for (size_t i = 0; i < WISHED; i++)
        if (iteration <= ranges[2 * i + 1])
            return iteration > ranges[2 * i] ? iteration : ranges[2 * i];
    return UINT64_MAX;
}

static bool is_among(const struct known *k, const struct loop_wish *wish, uint64_t seq)
{
    for (size_t i = 0; i < wish->count; i++) {
        const uint64_t iteration = k->iterations[seq * k->loop_count + wish->loops[i] - 1];
        if (iteration && some_from(wish->context, iteration) == iteration)
            return true;
    }
    return false;
}

/* The calls in some iterations of some loops. */
static void compare_wished(struct known *k)
{
    struct loop_places *places;
    struct pilgrim_error error;
    size_t loops[4096];
    uint64_t ranges[2 * WISHED], at = 0, found, first = 0;
    struct loop_wish wish = {loops, 0, ranges, some_from};
    enum pilgrim_status status;
    for (size_t loop = 1; loop <= k->loop_count; loop++)
        if (draw() % 3 == 0)
            loops[wish.count++] = loop;
    for (size_t i = 0; i < WISHED; i++) {
        ranges[2 * i] = first + 1 + draw() % 30;
        first = ranges[2 * i + 1] = ranges[2 * i] + draw() % 2;
    }
    ck_assert_int_eq(loop_places_open(k->trace, k->rank, 0, &places, &error), PILGRIM_OK);
    while ((status = loop_places_next(places, at, &wish, &found, &error)) == PILGRIM_OK) {
        for (; at < found; at++)
            ck_assert_msg(!is_among(k, &wish, at), "call %llu of %llu was passed", (unsigned long long)at,
                          (unsigned long long)k->calls);
        ck_assert(is_among(k, &wish, found));
        at = found + 1 + (draw() % 4 ? 0 : draw() % 20);
    }
    ck_assert_int_eq(status, PILGRIM_END);
    for (; at < k->calls; at++)
        ck_assert(!is_among(k, &wish, at));
    loop_places_close(places);
}

static void compare(const struct bytes *file)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    ck_assert_msg(trace_load(file->data, file->length, &trace, &error) == PILGRIM_OK, "%s", error.message);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace); rank += 5) {
        static struct known k;
        learn(&k, trace, rank);
        compare_items(&k);
        compare_places(&k);
        compare_wished(&k);
        compare_wished(&k);
        forget(&k);
    }
    pilgrim_close(trace);
}

START_TEST(random_programs)
{
    for (unsigned i = 0; i < trials(150); i++) {
        struct bytes file = {0};
        make_program(1 + (uint64_t)_i * 1000 + i, &file);
        compare(&file);
        bytes_free(&file);
    }
}
END_TEST

START_TEST(all_values)
{
    struct bytes file = {0};
    make_trace(&file);
    compare(&file);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("class_walk");
    TCase *tests = tcase_create("class_walk");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, random_programs, 0, 4);
    tcase_add_test(tests, all_values);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
