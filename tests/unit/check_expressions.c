/* SPDX-License-Identifier: BSD-3-Clause */
/* How a column is written that is no function of the rank: as the sequence of its differences if that is estimated to
 * take less than the list of its values by more than 4 bytes. Sizes are counted by hand here. The file has the kind of
 * each expression, so the tests read it there. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "rules/rulebook.h"
#include "write/expressions.h"

#define OK(call) ck_assert_int_eq(call, PILGRIM_OK)

/* Writes the column of COUNT values as the only expression. Returns its kind. */
static enum expression_kind kind_of(const int64_t *values, size_t count)
{
    struct expressions e = {.rulebook = rulebook_new(), .plain = true};
    struct column c = {0};
    struct bytes out = {0};
    struct cursor in;
    uint32_t number;
    ck_assert_ptr_nonnull(e.rulebook);
    column_begin(&c, values[0], (struct rank){.meaning = RANK_NOTHING});
    for (size_t i = 1; i < count; i++)
        OK(column_append(&c, values[i]));
    OK(expressions_add(&e, &c, &number));
    ck_assert_uint_eq(number, 0);
    OK(rulebook_finish_plain(e.rulebook));
    expressions_write(&e, &out);
    OK(bytes_status(&out));
    cursor_init(&in, out.data, out.length);
    ck_assert_uint_eq(cursor_varint(&in), 1);
    const enum expression_kind kind = (enum expression_kind)cursor_varint(&in);
    if (kind == EXPRESSION_LIST) {
        ck_assert_uint_eq(cursor_varint(&in), count);
        for (size_t i = 0; i < count; i++)
            ck_assert_int_eq(cursor_svarint(&in), values[i]);
        ck_assert_uint_eq(cursor_left(&in), 0);
    } else {
        ck_assert_int_eq(cursor_svarint(&in), values[0]);
    }
    column_free(&c);
    bytes_free(&out);
    expressions_free(&e);
    rulebook_free(e.rulebook);
    return kind;
}

/* BASE, BASE + STEP, BASE + 2 STEP, ...: a symbol of one to ten bytes, and one for how often it is there. */
static enum expression_kind kind_of_steps(int64_t base, int64_t step, size_t count)
{
    int64_t values[64];
    for (size_t i = 0; i < count; i++)
        values[i] = base + (int64_t)i * step;
    return kind_of(values, count);
}

/* The sequence takes 3 + 1 + 1 bytes, and the list 1 + COUNT. Coding gives the list 24. */
START_TEST(short_values)
{
    for (size_t count = 3; count <= 40; count++)
        ck_assert_int_eq(kind_of_steps(0, 1, count), 1 + count <= 5 + 24 ? EXPRESSION_LIST : EXPRESSION_SUMS);
}
END_TEST

/* How large the values are does not matter, as their differences are coded. The sequence takes 3 + 2 + 1 bytes, and the
 * list 1 + COUNT with differences of 50, and 2 COUNT with those of 5000, where the sequence takes 3 + 3 + 1. */
START_TEST(longer_values)
{
    for (size_t count = 3; count <= 40; count++) {
        ck_assert_int_eq(kind_of_steps(100000, 50, count), 1 + count <= 6 + 24 ? EXPRESSION_LIST : EXPRESSION_SUMS);
        ck_assert_int_eq(kind_of_steps(100000, 5000, count), 2 * count <= 7 + 24 ? EXPRESSION_LIST : EXPRESSION_SUMS);
    }
}
END_TEST

/* Differences that are all different: a symbol of two bytes for each. The list takes 1 + COUNT. */
START_TEST(values_without_order)
{
    static const int64_t values[] = {0, 60, -57, 41, -63, 12, 55, -20, 33, -48, 63, -1};
    for (size_t count = 3; count <= sizeof values / sizeof values[0]; count++)
        ck_assert_int_eq(kind_of(values, count), EXPRESSION_LIST);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expressions");
    TCase *tests = tcase_create("expressions");
    tcase_add_test(tests, short_values);
    tcase_add_test(tests, longer_values);
    tcase_add_test(tests, values_without_order);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
