/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests nested runs: however a sequence is joined, it comes back, and a periodic one stays small. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/nested_runs.h"
#include "trials.h"

enum { N = 4096 };

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

/* Expands the items before the end of *AT's block (or all) to TO. The expander is the test's own, recursive. */
static size_t expand(const struct nested_run *items, size_t count, int64_t *to, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].exponent & NESTED_RUN_BEGIN) {
            size_t size = (size_t)items[i].value;
            uint64_t times = items[i + size + 1].exponent & ~NESTED_RUN_END;
            ck_assert(items[i + size + 1].exponent & NESTED_RUN_END);
            for (uint64_t k = 0; k < times; k++)
                n += expand(&items[i + 1], size, to + n, room - n);
            i += size + 1;
        } else {
            for (uint64_t k = 0; k < items[i].exponent; k++) {
                ck_assert_uint_lt(n, room);
                to[n++] = items[i].value;
            }
        }
    }
    return n;
}

static size_t expand_all(const struct nested_runs *r, int64_t *to, size_t room)
{
    size_t n = expand(r->items, r->count, to, room);
    return n + expand(&r->open, r->open.exponent > 0, to + n, room - n);
}

/* Makes a sequence of nested periods with some noise. */
static size_t make(int64_t *values, size_t room)
{
    size_t n = 0;
    while (n < room && (n == 0 || draw(6))) {
        size_t start = n, length = 1 + draw(8);
        for (size_t i = 0; i < length && n < room; i++)
            for (uint64_t k = 1 + draw(4) * draw(3), v = draw(3); k && n < room; k--)
                values[n++] = (int64_t)v;
        for (unsigned level = 0; level < 3; level++) {
            size_t period = n - start;
            for (uint64_t copies = draw(5); copies && n + period <= room; copies--) {
                memcpy(&values[n], &values[start], period * sizeof *values);
                n += period;
            }
        }
    }
    return n;
}

static void append_range(struct nested_runs *r, const int64_t *values, size_t from, size_t to)
{
    while (from < to) {
        size_t end = from + 1;
        bool runs = draw(2);
        while (runs && end < to && values[end] == values[from])
            end++;
        ck_assert_int_eq(nested_runs_append(r, values[from], end - from), PILGRIM_OK);
        from = end;
    }
}

static void through_transport(struct nested_runs *r)
{
    struct bytes packed = {0}, again = {0};
    struct cursor in;
    nested_runs_pack(r, &packed);
    nested_runs_free(r);
    cursor_init(&in, packed.data, packed.length);
    ck_assert_int_eq(nested_runs_unpack(&in, r), PILGRIM_OK);
    ck_assert_uint_eq(cursor_left(&in), 0);
    nested_runs_pack(r, &again);
    ck_assert_uint_eq(again.length, packed.length);
    ck_assert_mem_eq(again.data, packed.data, packed.length);
    bytes_free(&packed);
    bytes_free(&again);
}

/* Joins the values of a range in the order of a random tree. */
static void build(struct nested_runs *r, const int64_t *values, size_t from, size_t to)
{
    if (to - from < 2 || !draw(3)) {
        append_range(r, values, from, to);
        return;
    }
    size_t cut = from + draw(to - from + 1);
    struct nested_runs right = {0};
    build(r, values, from, cut);
    build(&right, values, cut, to);
    if (draw(2))
        through_transport(&right);
    ck_assert_int_eq(nested_runs_join(r, &right), PILGRIM_OK);
    nested_runs_free(&right);
}

START_TEST(any_tree_gives_the_sequence)
{
    static int64_t values[N], back[N];
    for (int round = 0; round < (int)trials(6000); round++) {
        size_t n = make(values, 1 + draw(round % 50 ? 200 : N));
        struct nested_runs r = {0};
        build(&r, values, 0, n);
        ck_assert_uint_eq(expand_all(&r, back, N), n);
        ck_assert_mem_eq(back, values, n * sizeof *values);
        ck_assert_int_eq(nested_runs_close(&r), PILGRIM_OK);
        ck_assert_uint_eq(expand_all(&r, back, N), n);
        ck_assert_mem_eq(back, values, n * sizeof *values);
        nested_runs_free(&r);
    }
}
END_TEST

/* Equal sequences that were appended value by value give equal bytes, whatever runs they came in. */
START_TEST(appending_is_canonical)
{
    static int64_t values[N];
    for (int round = 0; round < (int)trials(2000); round++) {
        size_t n = make(values, 300);
        struct nested_runs a = {0}, b = {0};
        struct bytes x = {0}, y = {0};
        append_range(&a, values, 0, n);
        append_range(&b, values, 0, n);
        nested_runs_pack(&a, &x);
        nested_runs_pack(&b, &y);
        ck_assert_uint_eq(x.length, y.length);
        ck_assert_mem_eq(x.data, y.data, x.length);
        bytes_free(&x);
        bytes_free(&y);
        nested_runs_free(&a);
        nested_runs_free(&b);
    }
}
END_TEST

/* A torus of 101 x 101 x 103: differences of a neighbour's relative rank along each axis, from ranges of powers of two.
 */
static int64_t torus_value(uint64_t rank, unsigned axis)
{
    static const uint64_t sizes[] = {101, 101, 103};
    uint64_t stride = 1;
    for (unsigned i = 0; i < axis; i++)
        stride *= sizes[i];
    uint64_t at = rank / stride % sizes[axis];
    return (int64_t)(at + 1 < sizes[axis] ? stride : stride - stride * sizes[axis]);
}

static void torus_build(struct nested_runs *r, uint64_t from, uint64_t to, unsigned axis, size_t *largest)
{
    if (to - from == 1) {
        ck_assert_int_eq(nested_runs_append(r, torus_value(from + 1, axis) - torus_value(from, axis), 1), PILGRIM_OK);
        return;
    }
    uint64_t half = 1;
    while (half * 2 < to - from)
        half *= 2;
    struct nested_runs right = {0};
    torus_build(r, from, from + half, axis, largest);
    torus_build(&right, from + half, to, axis, largest);
    ck_assert_int_eq(nested_runs_join(r, &right), PILGRIM_OK);
    nested_runs_free(&right);
    if (r->count > *largest)
        *largest = r->count;
}

START_TEST(a_torus_is_small)
{
    for (unsigned axis = 0; axis < 3; axis++) {
        struct nested_runs r = {0};
        size_t largest = 0;
        torus_build(&r, 0, trials(101 * 101 * 103 - 1), axis, &largest);
        ck_assert_uint_le(largest, 40);
        ck_assert_uint_le(r.count, 16);
        nested_runs_free(&r);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nested runs");
    TCase *c = tcase_create("nested runs");
    tcase_set_timeout(c, 240);
    tcase_add_test(c, any_tree_gives_the_sequence);
    tcase_add_test(c, appending_is_canonical);
    tcase_add_test(c, a_torus_is_small);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
