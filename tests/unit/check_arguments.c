/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments of the reader's functions have a defined result: a NULL anywhere, an index that is out of range. */
#include <check.h>
#include <string.h>

#include "made_trace.h"
#include "pilgrim/reader.h"
#include "read/file/load.h"

static struct pilgrim_trace *trace;
static struct pilgrim_cursor *cursor;
static struct pilgrim_grammar *grammar;
static struct pilgrim_system *host_system;
static struct pilgrim_error error;

static void set_up(void)
{
    struct bytes file = {0};
    struct pilgrim_thread_info info;
    make_trace(&file);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    bytes_free(&file);
    ck_assert_int_eq(pilgrim_cursor_open(trace, 0, 0, &cursor, &error), PILGRIM_OK);
    pilgrim_thread_info(cursor, &info);
    ck_assert_int_eq(pilgrim_grammar_open(cursor, info.structure, &grammar, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_system_open(trace, &host_system, &error), PILGRIM_OK);
}

static void tear_down(void)
{
    pilgrim_system_close(host_system);
    pilgrim_grammar_close(grammar);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
}

/* EXPRESSION, which has `&error`, says so there, too. */
#define INVALID(expression)                                                                                            \
    do {                                                                                                               \
        error = (struct pilgrim_error){0};                                                                             \
        ck_assert_int_eq(expression, PILGRIM_INVALID);                                                                 \
        ck_assert_int_eq(error.status, PILGRIM_INVALID);                                                               \
        ck_assert_uint_gt(strlen(error.message), 0);                                                                   \
    } while (0)

#define REFUSED(expression) ck_assert_int_eq(expression, PILGRIM_INVALID)

START_TEST(null_of_traces)
{
    struct pilgrim_trace *t = trace;
    struct pilgrim_cursor *c = cursor;
    struct pilgrim_communicators *list;
    struct pilgrim_communicator communicator;
    struct pilgrim_clock clock;
    struct pilgrim_profile *profile;
    struct pilgrim_class_profile class_profile;
    struct pilgrim_rank_profile rank_profile;
    struct pilgrim_system *s = host_system;
    INVALID(pilgrim_open(NULL, &t, &error));
    ck_assert_ptr_null(t);
    INVALID(pilgrim_open("x", NULL, &error));
    REFUSED(pilgrim_open(NULL, NULL, NULL));
    INVALID(pilgrim_open_limited(NULL, 1, &t, &error));
    ck_assert_ptr_null(t);
    INVALID(pilgrim_open_limited("x", 1, NULL, &error));
    INVALID(pilgrim_cursor_open(NULL, 0, 0, &c, &error));
    ck_assert_ptr_null(c);
    INVALID(pilgrim_cursor_open(trace, 0, 0, NULL, &error));
    INVALID(pilgrim_clock_of(NULL, 0, &clock, &error));
    INVALID(pilgrim_clock_of(trace, 0, NULL, &error));
    INVALID(pilgrim_clock_of(trace, RANKS, &clock, &error));
    INVALID(pilgrim_communicators_open(NULL, 0, &list, &error));
    INVALID(pilgrim_communicators_open(trace, 0, NULL, &error));
    INVALID(pilgrim_communicators_open(trace, RANKS, &list, &error));
    ck_assert_ptr_null(list);
    INVALID(pilgrim_communicators_next(NULL, &communicator, &error));
    ck_assert_int_eq(pilgrim_communicators_open(trace, 0, &list, NULL), PILGRIM_OK);
    INVALID(pilgrim_communicators_next(list, NULL, &error));
    pilgrim_communicators_close(list);
    INVALID(pilgrim_profile_open(NULL, &profile, &error));
    INVALID(pilgrim_profile_open(trace, NULL, &error));
    INVALID(pilgrim_profile_next(NULL, &class_profile, &error));
    ck_assert_int_eq(pilgrim_profile_open(trace, &profile, NULL), PILGRIM_OK);
    INVALID(pilgrim_profile_next(profile, NULL, &error));
    pilgrim_profile_close(profile);
    INVALID(pilgrim_rank_profile(NULL, 0, &rank_profile, &error));
    INVALID(pilgrim_rank_profile(trace, 0, NULL, &error));
    INVALID(pilgrim_rank_profile(trace, RANKS, &rank_profile, &error));
    INVALID(pilgrim_system_open(NULL, &s, &error));
    ck_assert_ptr_null(s);
    INVALID(pilgrim_system_open(trace, NULL, &error));
    pilgrim_close(NULL);
    pilgrim_cursor_close(NULL);
    pilgrim_communicators_close(NULL);
    pilgrim_profile_close(NULL);
    pilgrim_system_close(NULL);
    pilgrim_grammar_close(NULL);
}
END_TEST

START_TEST(null_and_counts)
{
    const char *key, *value;
    ck_assert_uint_eq(pilgrim_rank_count(NULL), 0);
    ck_assert_uint_eq(pilgrim_segment_count(NULL), 0);
    ck_assert_uint_eq(pilgrim_thread_count(NULL, 0), 0);
    ck_assert_uint_eq(pilgrim_thread_count(trace, RANKS), 0);
    ck_assert_uint_eq(pilgrim_thread_count(trace, UINT32_MAX), 0);
    ck_assert_uint_eq(pilgrim_call_count(NULL, 0, 0), 0);
    ck_assert_uint_eq(pilgrim_call_count(trace, RANKS, 0), 0);
    ck_assert_uint_eq(pilgrim_call_count(trace, 0, UINT32_MAX), 0);
    const struct pilgrim_frame frame = {.module = "program"};
    uint64_t offset;
    ck_assert_ptr_null(pilgrim_frame_function(NULL, &frame, &offset));
    ck_assert_ptr_null(pilgrim_frame_function(trace, NULL, &offset));
    ck_assert_ptr_null(pilgrim_frame_function(trace, &frame, NULL));
    ck_assert_ptr_null(pilgrim_frame_function(trace, &(struct pilgrim_frame){0}, &offset));
    ck_assert_ptr_null(pilgrim_property(NULL, "library"));
    ck_assert_ptr_null(pilgrim_property(trace, NULL));
    ck_assert(!pilgrim_property_at(NULL, 0, &key, &value));
    ck_assert(!pilgrim_property_at(trace, 0, NULL, &value));
    ck_assert(!pilgrim_property_at(trace, 0, &key, NULL));
    ck_assert(!pilgrim_property_at(trace, SIZE_MAX, &key, &value));
    ck_assert_str_eq(pilgrim_activity_name(PILGRIM_ACTIVITIES), "");
    ck_assert_str_eq(pilgrim_activity_name((enum pilgrim_activity) - 1), "");
}
END_TEST

START_TEST(null_of_cursors)
{
    struct pilgrim_call call;
    struct pilgrim_thread_info info = {.class_count = 1};
    struct pilgrim_class_info class_info;
    struct pilgrim_trips trips;
    struct pilgrim_statistic statistic = {0};
    struct pilgrim_rank_class rank_class;
    struct pilgrim_grammar *g = grammar;
    size_t class_number;
    uint64_t count, before = PILGRIM_ANY_CALL;
    INVALID(pilgrim_cursor_next(NULL, &call, &error));
    INVALID(pilgrim_cursor_next(cursor, NULL, &error));
    INVALID(pilgrim_cursor_times(NULL, &error));
    INVALID(pilgrim_cursor_pass(NULL, &class_number, &count, &error));
    INVALID(pilgrim_cursor_pass(cursor, NULL, &count, &error));
    INVALID(pilgrim_cursor_pass(cursor, &class_number, NULL, &error));
    REFUSED(pilgrim_cursor_skip(NULL, 1));
    REFUSED(pilgrim_cursor_skip_repeats(NULL, 1));
    INVALID(pilgrim_cursor_next_segment(NULL, &error));
    ck_assert_uint_eq(pilgrim_cursor_segment(NULL), 0);
    ck_assert_uint_eq(pilgrim_cursor_segment_calls(NULL), 0);
    ck_assert_uint_eq(pilgrim_cursor_tables(NULL), UINT64_MAX);
    pilgrim_thread_info(cursor, NULL);
    pilgrim_thread_info(NULL, &info);
    ck_assert_uint_eq(info.class_count, 0);
    pilgrim_thread_info(cursor, &info);
    REFUSED(pilgrim_class_info(NULL, 0, &class_info));
    REFUSED(pilgrim_class_info(cursor, 0, NULL));
    REFUSED(pilgrim_class_info(cursor, info.class_count, &class_info));
    REFUSED(pilgrim_class_info(cursor, SIZE_MAX, &class_info));
    ck_assert_int_eq(pilgrim_class_info(cursor, 0, &class_info), PILGRIM_OK);
    INVALID(pilgrim_loop_trips(NULL, 0, &trips, &error));
    INVALID(pilgrim_loop_trips(cursor, 0, NULL, &error));
    INVALID(pilgrim_loop_trips(cursor, SIZE_MAX, &trips, &error));
    INVALID(pilgrim_signature(NULL, 0, 0, &call, &error));
    INVALID(pilgrim_signature(cursor, 0, 0, NULL, &error));
    INVALID(pilgrim_signature(cursor, 0, class_info.signature_count, &call, &error));
    INVALID(pilgrim_signature(cursor, info.class_count, 0, &call, &error));
    ck_assert_uint_eq(pilgrim_signature_run(NULL, 0, 0), 0);
    ck_assert_uint_eq(pilgrim_signature_run(cursor, info.class_count, 0), 0);
    ck_assert_uint_eq(pilgrim_signature_run(cursor, 0, UINT64_MAX), 0);
    ck_assert(!pilgrim_signature_varies(NULL, 0, 0));
    ck_assert(!pilgrim_signature_varies(cursor, SIZE_MAX, 0));
    ck_assert(!pilgrim_signature_uniform(NULL, 0, 0));
    ck_assert(!pilgrim_signature_uniform(cursor, SIZE_MAX, 0));
    ck_assert(!pilgrim_signature_uniform(cursor, 0, class_info.signature_count));
    ck_assert(!pilgrim_signature_uniform_apart(NULL, 0, 0));
    ck_assert(!pilgrim_signature_uniform_apart(cursor, SIZE_MAX, 0));
    ck_assert(!pilgrim_signature_uniform_apart(cursor, 0, class_info.signature_count));
    INVALID(pilgrim_grammar_open(NULL, info.structure, &g, &error));
    ck_assert_ptr_null(g);
    INVALID(pilgrim_grammar_open(cursor, info.structure, NULL, &error));
    INVALID(pilgrim_grammar_open(cursor, UINT64_MAX - 1, &g, &error));
    REFUSED(pilgrim_rank_class(NULL, 0, &rank_class));
    REFUSED(pilgrim_rank_class(cursor, 0, NULL));
    REFUSED(pilgrim_rank_class(cursor, info.class_count, &rank_class));
    REFUSED(pilgrim_durations(NULL, 0, 0, &statistic));
    REFUSED(pilgrim_durations(cursor, 0, 0, NULL));
    REFUSED(pilgrim_durations(cursor, info.class_count, 0, &statistic));
    REFUSED(pilgrim_durations(cursor, 0, class_info.signature_count, &statistic));
    REFUSED(pilgrim_gaps(NULL, 0, 0, PILGRIM_ANY_CALL, &statistic));
    REFUSED(pilgrim_gaps(cursor, 0, 0, PILGRIM_ANY_CALL, NULL));
    REFUSED(pilgrim_gaps(cursor, info.class_count, 0, PILGRIM_ANY_CALL, &statistic));
    ck_assert_int_eq(pilgrim_gaps(cursor, 0, 0, UINT64_MAX - 2, &statistic), PILGRIM_OK);
    ck_assert_uint_eq(statistic.count, 0);
    REFUSED(pilgrim_class_before(NULL, 0, 0, &before));
    REFUSED(pilgrim_class_before(cursor, 0, 0, NULL));
    REFUSED(pilgrim_class_before(cursor, info.class_count, 0, &before));
    before = UINT64_MAX - 2;
    ck_assert_int_eq(pilgrim_class_before(cursor, 0, 0, &before), PILGRIM_END);
    pilgrim_statistic_add(NULL, &statistic);
    statistic.count = 1;
    pilgrim_statistic_add(&statistic, NULL);
    ck_assert_uint_eq(statistic.count, 1);
    ck_assert_int_eq(pilgrim_cursor_next(cursor, &call, NULL), PILGRIM_OK); /* nothing of this has moved it */
    ck_assert_uint_eq(call.seq, 0);
}
END_TEST

START_TEST(null_of_grammars)
{
    uint32_t rules = pilgrim_grammar_rules(grammar);
    size_t symbols = pilgrim_grammar_symbols(grammar, 0);
    ck_assert_uint_eq(pilgrim_grammar_rules(NULL), 0);
    ck_assert_uint_eq(pilgrim_grammar_length(NULL), 0);
    ck_assert_uint_eq(pilgrim_grammar_symbols(NULL, 0), 0);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, rules), 0);
    ck_assert_uint_eq(pilgrim_grammar_symbols(grammar, UINT32_MAX), 0);
    ck_assert_uint_ge(pilgrim_grammar_symbol(grammar, 0, symbols - 1).exponent, 1);
    ck_assert_uint_eq(pilgrim_grammar_symbol(grammar, 0, symbols).exponent, 0);
    ck_assert_uint_eq(pilgrim_grammar_symbol(grammar, 0, SIZE_MAX).exponent, 0);
    ck_assert_uint_eq(pilgrim_grammar_symbol(grammar, rules, 0).exponent, 0);
    ck_assert_uint_eq(pilgrim_grammar_symbol(NULL, 0, 0).exponent, 0);
}
END_TEST

START_TEST(null_of_systems)
{
    struct pilgrim_host host;
    struct pilgrim_location location;
    uint32_t hosts = pilgrim_system_hosts(host_system), number;
    ck_assert_uint_eq(pilgrim_system_hosts(NULL), 0);
    REFUSED(pilgrim_system_host(NULL, 0, &host));
    REFUSED(pilgrim_system_host(host_system, 0, NULL));
    REFUSED(pilgrim_system_host(host_system, hosts, &host));
    REFUSED(pilgrim_system_host_named(NULL, "a", &number));
    REFUSED(pilgrim_system_host_named(host_system, NULL, &number));
    REFUSED(pilgrim_system_host_named(host_system, "a", NULL));
    REFUSED(pilgrim_system_location(NULL, 0, &location));
    REFUSED(pilgrim_system_location(host_system, 0, NULL));
    REFUSED(pilgrim_system_location(host_system, RANKS, &location));
    REFUSED(pilgrim_system_rank(NULL, 0, 0, &number));
    REFUSED(pilgrim_system_rank(host_system, 0, 0, NULL));
    REFUSED(pilgrim_system_rank(host_system, hosts, 0, &number));
    REFUSED(pilgrim_system_rank(host_system, 0, UINT32_MAX, &number));
}
END_TEST

/* A clock that the caller made himself: nothing is divided by 0, nothing overflows. */
START_TEST(clocks_that_contradict_themselves)
{
    const struct pilgrim_clock wrong[] = {
        {.point_count = 2, .points = {{5, 0, 0}, {5, 9, 0}}},
        {.point_count = 2, .points = {{9, 0, 0}, {5, 0, 0}}},
        {.point_count = 2, .points = {{0, INT64_MIN, UINT64_MAX}, {UINT64_MAX, INT64_MAX, UINT64_MAX}}},
        {.point_count = 1, .points = {{0, INT64_MAX, 0}}},
        {.point_count = 3, .points = {{0, 5, 0}, {1, 5, 0}}},
        {.point_count = UINT32_MAX},
    };
    struct pilgrim_call call = {.timed = true, .start_ns = 7, .end_ns = 8};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_uint_eq(pilgrim_clock_common(&wrong[i], 77), 77);
        ck_assert_uint_eq(pilgrim_clock_error(&wrong[i], 77), UINT64_MAX);
        ck_assert(pilgrim_clock_drift(&wrong[i]) == 0);
    }
    ck_assert_uint_eq(pilgrim_clock_common(NULL, 77), 77);
    ck_assert_uint_eq(pilgrim_clock_error(NULL, 77), UINT64_MAX);
    ck_assert(pilgrim_clock_drift(NULL) == 0);
    pilgrim_clock_apply(NULL, &call);
    pilgrim_clock_apply(&wrong[0], NULL);
    ck_assert_uint_eq(call.start_ns, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arguments");
    TCase *tests = tcase_create("arguments");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, null_of_traces);
    tcase_add_test(tests, null_and_counts);
    tcase_add_test(tests, null_of_cursors);
    tcase_add_test(tests, null_of_grammars);
    tcase_add_test(tests, null_of_systems);
    tcase_add_test(tests, clocks_that_contradict_themselves);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
