/* SPDX-License-Identifier: BSD-3-Clause */
/* 10^10 calls are counted by reading some of them; more than 2^63 are refused when the trace is opened. */
#include "../../src/analysis/counted_calls.c"
#include "../../src/analysis/flat_grammar.c"
#include "../../src/analysis/repeats.c"
#include "built_trace.h"

enum { RANKS = 2 };

/* COUNT times the rule of SYMBOLS. */
static struct rules_symbol times(struct built *b, const struct rules_symbol *symbols, size_t symbol_count,
                                 uint64_t count)
{
    return (struct rules_symbol){
        .value = rules_start(put_rule(b, symbols, symbol_count)), .exponent = count, .is_rule = true};
}

/* A trace of ranks that call INNER times A, all of that MIDDLE times, then B; all of that OUTER times. */
static struct pilgrim_trace *open_nested(uint64_t outer, uint64_t middle, uint64_t inner, struct pilgrim_error *error)
{
    struct built b;
    built_begin(&b, RANKS, 0);
    const uint32_t column = put_column(&b, EXPRESSION_CONSTANT, 5);
    const uint32_t signature = put_signature(&b, put_shape(&b, int_tokens, sizeof int_tokens), 0, &column, 1);
    const struct rules_symbol a = {.value = 0, .exponent = inner}, one = {.value = 1, .exponent = 1};
    struct rules_symbol values = times(&b, &a, 1, middle), calls[] = {values, one};
    values = times(&b, &values, 1, outer);
    const struct rules_symbol all = times(&b, calls, 2, outer), of_b = {.value = 0, .exponent = outer};
    const uint64_t structure = put_rule(&b, &all, 1), of_a = put_rule(&b, &values, 1), b_only = put_rule(&b, &of_b, 1);
    uint32_t rows[2];
    for (size_t k = 0; k < 2; k++) {
        rows[k] = put_group_class(&b, 1 + (uint32_t)k, 0);
        put_value_group(&b, k ? b_only : of_a, &signature, 1);
    }
    put_group(&b, false, structure, rows, 2, put_counting(&b, RANKS));
    return built_open(&b, error);
}

/* Counts the calls of both ranks. Returns how many were read. */
static uint64_t count(const struct pilgrim_trace *trace, uint64_t *calls)
{
    struct counted_calls *c = counted_calls_new(trace);
    struct pilgrim_error error;
    struct pilgrim_call call;
    uint64_t stands_for, read = 0;
    *calls = 0;
    ck_assert_ptr_nonnull(c);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        enum pilgrim_status status = counted_calls_begin(c, rank, 0, COUNTED, &error);
        for (; status == PILGRIM_OK && read < 10000000; read++) {
            status = counted_calls_next(c, 0, &call, &stands_for, &error);
            *calls += status == PILGRIM_OK ? stands_for : 0;
        }
        ck_assert_int_eq(status, PILGRIM_END);
    }
    counted_calls_free(c);
    return read;
}

START_TEST(many_calls)
{
    static const uint64_t sizes[][3] = {{1, 1, UINT64_C(10000000000)}, /* one loop */
                                        {1000, 1, 10000000},           /* long loops in a loop */
                                        {UINT64_C(10000000000), 3, 5}, /* many short iterations */
                                        {UINT64_C(1000000000), 1, 10},
                                        {5, 1, 3}};
    struct pilgrim_error error;
    const uint64_t *n = sizes[_i];
    struct pilgrim_trace *trace = open_nested(n[0], n[1], n[2], &error);
    ck_assert_msg(trace != NULL, "%s", error.message);
    uint64_t calls, read = count(trace, &calls);
    ck_assert_uint_eq(calls, RANKS * n[0] * (n[1] * n[2] + 1));
    ck_assert_uint_lt(read, RANKS * 20 * 1000);
    pilgrim_close(trace);
}
END_TEST

/* Loops in a loop, each of them for itself, for as long as there is room. */
START_TEST(many_repeats)
{
    struct pilgrim_error error;
    const struct repeat *found;
    size_t found_count;
    struct pilgrim_trace *trace = open_nested(UINT64_C(1) << 40, 1, 5000, &error);
    ck_assert_msg(trace != NULL, "%s", error.message);
    struct repeats *r = repeats_new();
    struct pilgrim_cursor *cursor = open_cursor(trace, 0);
    ck_assert_int_eq(repeats_of(r, cursor, &found, &found_count, &error), PILGRIM_OK);
    ck_assert_uint_eq(found_count, REPEATS_COUNT_MAX);
    for (size_t i = 0; i < found_count; i++) {
        ck_assert_uint_eq(found[i].first, 5001 * i);
        ck_assert_uint_eq(found[i].period * found[i].periods, 5000);
    }
    pilgrim_cursor_close(cursor);
    repeats_free(r);
    pilgrim_close(trace);
}
END_TEST

START_TEST(too_many_calls)
{
    struct pilgrim_error error;
    ck_assert_ptr_null(open_nested(1, UINT64_C(10000000000), UINT64_C(10000000000), &error));
    ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
    ck_assert_ptr_null(open_nested(UINT64_C(10000000000), UINT64_C(10000000000), 1, &error));
    ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("repeats");
    TCase *tests = tcase_create("repeats");
    tcase_add_loop_test(tests, many_calls, 0, 5);
    tcase_add_test(tests, many_repeats);
    tcase_add_test(tests, too_many_calls);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
