/* Columns: whatever way a sequence is put together, its runs are the same and give the sequence back. */
#include <check.h>
#include <stdlib.h>

#include "merge/column.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void expand(const struct column *c, int64_t *to)
{
    const struct run *runs = column_runs(c);
    for (uint32_t i = 0; i < c->count; i++)
        for (uint64_t k = 0; k < runs[i].count; k++)
            *to++ = run_at(&runs[i], k);
}

START_TEST(joined_columns_are_canonical)
{
    enum { N = 40 };
    for (int round = 0; round < 20000; round++) {
        int64_t values[N], back[N];
        unsigned n = (unsigned)(draw() % N) + 1, cut = (unsigned)(draw() % (n + 1)), range = (unsigned)(draw() % 4) + 1;
        for (unsigned i = 0; i < n; i++)
            values[i] = draw() % 3 ? (int64_t)(draw() % range) : (i ? values[i - 1] + (int64_t)(draw() % range) : 5);
        struct column whole = {0}, a = {0}, b = {0};
        for (unsigned i = 0; i < n; i++) {
            ck_assert_int_eq(column_append(&whole, values[i]), PILGRIM_OK);
            ck_assert_int_eq(column_append(i < cut ? &a : &b, values[i] - (i < cut ? 0 : 7)), PILGRIM_OK);
        }
        ck_assert_int_eq(column_append_column(&a, &b, 7), PILGRIM_OK);
        ck_assert_uint_eq(column_length(&a), n);
        ck_assert_uint_eq(a.count, whole.count);
        expand(&a, back);
        ck_assert_mem_eq(back, values, n * sizeof *values);
        for (uint32_t i = 0; i < a.count; i++) {
            ck_assert_int_eq(column_runs(&a)[i].first, column_runs(&whole)[i].first);
            ck_assert_int_eq(column_runs(&a)[i].step, column_runs(&whole)[i].step);
            ck_assert_uint_eq(column_runs(&a)[i].count, column_runs(&whole)[i].count);
        }
        struct bytes packed = {0};
        struct column unpacked;
        struct cursor in;
        column_pack(&a, &packed);
        cursor_init(&in, packed.data, packed.length);
        ck_assert_int_eq(column_unpack(&in, &unpacked), PILGRIM_OK);
        expand(&unpacked, back);
        ck_assert_mem_eq(back, values, n * sizeof *values);
        bytes_free(&packed);
        column_free(&unpacked);
        column_free(&whole);
        column_free(&a);
        column_free(&b);
    }
}
END_TEST

START_TEST(extremes_wrap)
{
    const int64_t values[] = {INT64_MAX, INT64_MIN, INT64_MAX, 0, INT64_MIN, -1, 1};
    enum { N = sizeof values / sizeof values[0] };
    struct column c = {0};
    int64_t back[N];
    for (unsigned i = 0; i < N; i++)
        ck_assert_int_eq(column_append(&c, values[i]), PILGRIM_OK);
    expand(&c, back);
    ck_assert_mem_eq(back, values, sizeof values);
    column_free(&c);
}
END_TEST

static void assert_expression(const int64_t *values, unsigned n, const uint8_t *expected, size_t length)
{
    struct column c = {0}, ranks = {0};
    struct bytes out = {0};
    for (unsigned i = 0; i < n; i++) {
        ck_assert_int_eq(column_append(&c, values[i]), PILGRIM_OK);
        ck_assert_int_eq(column_append(&ranks, 3 + 2 * (int64_t)i), PILGRIM_OK);
    }
    column_write(&c, &ranks, &out);
    ck_assert_uint_eq(out.length, length);
    ck_assert_mem_eq(out.data, expected, length);
    bytes_free(&out);
    column_free(&c);
    column_free(&ranks);
}

START_TEST(expressions_are_the_shortest)
{
    assert_expression((int64_t[]){9, 9, 9, 9}, 4, (uint8_t[]){0, 18}, 2);
    assert_expression((int64_t[]){2, 4, 6, 8}, 4, (uint8_t[]){1, 1}, 2);              /* rank - 1 */
    assert_expression((int64_t[]){0, 1, 2, 3, 4}, 5, (uint8_t[]){2, 1, 0, 4, 2}, 5);  /* one run */
    assert_expression((int64_t[]){0, 5, 1}, 3, (uint8_t[]){3, 3, 0, 10, 7}, 5);       /* a list */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("column");
    TCase *tests = tcase_create("column");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, joined_columns_are_canonical);
    tcase_add_test(tests, extremes_wrap);
    tcase_add_test(tests, expressions_are_the_shortest);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
