/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests columns: however they are joined, the values come back; and a function of the rank is known exactly as long as
 * it gives every value. */
#include <check.h>
#include <stdlib.h>

#include "sequence/column.h"
#include "trials.h"

enum { N = 60 };

static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

struct column_member {
    int64_t value;
    struct rank rank;
};

static int64_t modulo(int64_t a, int64_t n)
{
    return (a % n + n) % n;
}

/* Returns the value of an expression (docs/FORMAT.md, section 4). */
static int64_t evaluate(unsigned kind, int64_t c, int64_t n, int64_t x)
{
    switch (kind) {
    case EXPRESSION_CONSTANT:
        return c;
    case EXPRESSION_PLUS:
        return x + c;
    case EXPRESSION_MINUS:
        return c - x;
    case EXPRESSION_MINUS_TWICE:
        return c - 2 * x;
    case EXPRESSION_XOR_RELATIVE:
        return (x ^ c) - x;
    case EXPRESSION_XOR:
        return x ^ c;
    default:
        return modulo(x + c, n);
    }
}

static bool gives(const struct column_member *m, unsigned kind, int64_t c, int64_t n)
{
    int64_t value = evaluate(kind, c, n, m->rank.x);
    if (m->rank.meaning == RANK_RELATIVE && kind != EXPRESSION_CONSTANT)
        return modulo(value - m->value, m->rank.n) == 0;
    return value == m->value;
}

/* Returns the number of smallest magnitude that is VALUE modulo N. */
static int64_t relative(int64_t value, int64_t n)
{
    value = modulo(value, n);
    return value > n / 2 ? value - n : value;
}

/* Makes members of increasing ranks, with values that some expression gives, or nearly gives. */
static unsigned make(struct column_member *members)
{
    unsigned count = 1 + (unsigned)draw(N), kind = (unsigned)draw(7);
    bool rank_slot = draw(2);
    int64_t size = 128, c = (int64_t)draw(32), n = 40, world = 0;
    for (unsigned i = 0; i < count; i++) {
        world += 1 + (int64_t)draw(2);
        struct column_member *m = &members[i];
        m->rank =
            (struct rank){.meaning = rank_slot ? RANK_RELATIVE : RANK_WORLD, .x = world, .n = rank_slot ? size : 0};
        m->value = evaluate(kind, c, n, world);
        if (rank_slot)
            m->value = relative(m->value, size);
        if (!draw(150))
            m->value++;
    }
    return count;
}

static void begin(struct column *c, const struct column_member *m)
{
    column_begin(c, m->value, m->rank);
}

static void build(struct column *c, const struct column_member *members, unsigned count)
{
    if (count == 1) {
        begin(c, members);
        return;
    }
    unsigned cut = 1 + (unsigned)draw(count - 1);
    struct column right = {0}, copy;
    build(c, members, cut);
    build(&right, members + cut, count - cut);
    if (draw(2)) {
        struct bytes packed = {0};
        struct cursor in;
        column_pack(&right, &packed);
        column_free(&right);
        cursor_init(&in, packed.data, packed.length);
        ck_assert_int_eq(column_unpack(&in, &right), PILGRIM_OK);
        ck_assert_uint_eq(cursor_left(&in), 0);
        bytes_free(&packed);
    }
    ck_assert_int_eq(column_copy(&copy, &right), PILGRIM_OK);
    ck_assert_int_eq(column_join(c, &copy, 0), PILGRIM_OK);
    column_free(&right);
    column_free(&copy);
}

struct column_values {
    int64_t items[N];
    unsigned count;
};

static enum pilgrim_status collect(void *context, int64_t value)
{
    struct column_values *v = context;
    ck_assert_uint_lt(v->count, N);
    v->items[v->count++] = value;
    return PILGRIM_OK;
}

START_TEST(functions_of_the_rank_are_exact)
{
    unsigned found[EXPRESSION_KIND_COUNT] = {0};
    for (int round = 0; round < (int)trials(20000); round++) {
        struct column_member members[N];
        struct column c = {0};
        struct column_values back = {.count = 0};
        unsigned count = make(members);
        build(&c, members, count);
        ck_assert_uint_eq(c.length, count);
        ck_assert_int_eq(column_visit(&c, collect, &back), PILGRIM_OK);
        ck_assert_uint_eq(back.count, count);
        for (unsigned i = 0; i < count; i++)
            ck_assert_int_eq(back.items[i], members[i].value);
        for (unsigned kind = EXPRESSION_CONSTANT; kind <= EXPRESSION_MODULO; kind++) {
            int64_t constant, n;
            if (!column_is(&c, kind, &constant, &n))
                continue;
            found[kind] += count > 2;
            for (unsigned i = 0; i < count; i++)
                ck_assert_msg(gives(&members[i], kind, constant, n), "kind %u does not give value %u", kind, i);
        }
        column_free(&c);
    }
    for (unsigned kind = EXPRESSION_CONSTANT; kind <= EXPRESSION_MODULO; kind++)
        ck_assert_msg(found[kind] > trials(100), "kind %u was hardly ever found", kind);
}
END_TEST

/* A function that gives all values is found, whichever it is. */
START_TEST(functions_of_the_rank_are_found)
{
    static const struct {
        enum rank_meaning meaning;
        unsigned kind;
    } cases[] = {{RANK_WORLD, EXPRESSION_PLUS},
                 {RANK_WORLD, EXPRESSION_MINUS},
                 {RANK_WORLD, EXPRESSION_XOR},
                 {RANK_WORLD, EXPRESSION_MODULO},
                 {RANK_WORLD, EXPRESSION_CONSTANT},
                 {RANK_RELATIVE, EXPRESSION_MINUS},
                 {RANK_RELATIVE, EXPRESSION_MINUS_TWICE},
                 {RANK_RELATIVE, EXPRESSION_XOR_RELATIVE},
                 {RANK_RELATIVE, EXPRESSION_CONSTANT}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct column_member members[N];
        struct column c = {0};
        int64_t constant, n;
        for (unsigned k = 0; k < N; k++) {
            members[k].rank = (struct rank){cases[i].meaning, k, cases[i].meaning == RANK_RELATIVE ? 64 : 0};
            members[k].value = evaluate(cases[i].kind, 5, N, k);
            if (cases[i].meaning == RANK_RELATIVE)
                members[k].value = relative(members[k].value, 64);
        }
        build(&c, members, N);
        ck_assert_msg(column_is(&c, cases[i].kind, &constant, &n), "kind %u was not found", cases[i].kind);
        ck_assert_int_eq(constant, 5);
        column_free(&c);
    }
}
END_TEST

START_TEST(offsets_are_added)
{
    struct column a = {0}, b = {0};
    struct column_values back = {.count = 0};
    for (int64_t i = 0; i < 10; i++) {
        ck_assert_int_eq(column_append(&a, i), PILGRIM_OK);
        ck_assert_int_eq(column_append(&b, i), PILGRIM_OK);
    }
    ck_assert_int_eq(column_join(&a, &b, 10), PILGRIM_OK);
    ck_assert_int_eq(column_visit(&a, collect, &back), PILGRIM_OK);
    for (int64_t i = 0; i < 20; i++)
        ck_assert_int_eq(back.items[i], i);
    ck_assert_uint_eq(a.differences.count, 0); /* one run */
    column_free(&a);
    column_free(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("column");
    TCase *tests = tcase_create("column");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, functions_of_the_rank_are_exact);
    tcase_add_test(tests, functions_of_the_rank_are_found);
    tcase_add_test(tests, offsets_are_added);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
