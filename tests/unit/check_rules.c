/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests parsing of one grammar: every field is read as FORMAT.md says, walking and skipping agree, and no bytes do
 * harm: truncations, changes of single bytes, and grammars made to be refused. check_rules_table.c tests tables. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "grammar/grammar.h"
#include "rules/rules_walk.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof *(a))

/* A symbol's word as in FORMAT.md. */
#define T(value)      ((value) << 2)
#define T_RUN(value)  ((value) << 2 | 2)
#define R(number)     ((number) << 2 | 1)
#define R_RUN(number) ((number) << 2 | 3)

static enum pilgrim_status parse(const void *data, size_t length, uint64_t limit, struct rules *r)
{
    struct cursor c;
    cursor_init(&c, data, length);
    enum pilgrim_status status = rules_parse(&c, limit, r);
    if (status != c.status && status != PILGRIM_NOMEM)
        ck_abort_msg("status %d, but the cursor's is %d", status, c.status);
    if (status != PILGRIM_OK &&
        (r->first || r->symbols || r->total || r->marks || r->blocks || r->block_marks || r->rule_count))
        ck_abort_msg("something is left after an error");
    return status;
}

/* --- valid grammars --- */

/* 0: R1^3 c; 1: a R2^2 b^5; 2: d e  over a = 0 ... e = 4 */
static const uint8_t good[] = {3, 2, R_RUN(1), 1, T(2), 3, T(0), R_RUN(2), 0, T_RUN(1), 3, 2, T(3), T(4)};
static const char good_text[] = "adedebbbbbadedebbbbbadedebbbbbc";

START_TEST(fields)
{
    struct rules r;
    ck_assert_int_eq(parse(good, sizeof good, 5, &r), PILGRIM_OK);
    ck_assert_uint_eq(r.rule_count, 3);
    static const uint32_t first[] = {0, 2, 5, 7};
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(r.first[i], first[i]);
    static const struct rules_symbol symbols[] = {{1, 3, true, false}, {2, 1, false, false}, {0, 1, false, false},
                                                  {2, 2, true, false}, {1, 5, false, false}, {3, 1, false, false},
                                                  {4, 1, false, false}};
    for (size_t i = 0; i < ARRAY_COUNT(symbols); i++) {
        ck_assert_uint_eq(r.symbols[i].value, symbols[i].value);
        ck_assert_int_eq(r.symbols[i].is_rule, symbols[i].is_rule);
        ck_assert(!r.symbols[i].is_ramp);
        ck_assert_uint_eq(r.symbols[i].exponent, symbols[i].exponent);
    }
    static const uint64_t length[] = {31, 10, 2};
    static const uint64_t limit[] = {5, 5, 5};
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(r.total[i].length, length[i]);
        ck_assert_uint_eq(r.total[i].limit, limit[i]);
        ck_assert_uint_eq(r.total[i].depth, 3 - i);
    }
    rules_free(&r);
    ck_assert_ptr_null(r.symbols);
}
END_TEST

START_TEST(expansion)
{
    struct rules r;
    ck_assert_int_eq(parse(good, sizeof good, 5, &r), PILGRIM_OK);
    struct rules_cursor c;
    ck_assert_int_eq(rules_cursor_init(&c, &r, RULES_SEQUENCE(0)), PILGRIM_OK);
    uint64_t terminal;
    for (const char *p = good_text; *p; p++) {
        ck_assert(rules_cursor_next(&c, &terminal));
        ck_assert_uint_eq(terminal, (uint32_t)(*p - 'a'));
    }
    ck_assert(!rules_cursor_next(&c, &terminal));
    ck_assert(!rules_cursor_next(&c, &terminal));
    ck_assert_uint_eq(rules_cursor_skip(&c, 1), 0);
    rules_cursor_free(&c);
    rules_free(&r);
}
END_TEST

START_TEST(empty_sequence)
{
    static const uint8_t data[] = {1, 0};
    struct rules r;
    ck_assert_int_eq(parse(data, sizeof data, 0, &r), PILGRIM_OK);
    ck_assert_uint_eq(r.total[0].length, 0);
    struct rules_cursor c;
    ck_assert_int_eq(rules_cursor_init(&c, &r, RULES_SEQUENCE(0)), PILGRIM_OK);
    uint64_t terminal;
    ck_assert(!rules_cursor_next(&c, &terminal));
    ck_assert_uint_eq(rules_cursor_skip(&c, 5), 0);
    rules_cursor_free(&c);
    rules_free(&r);
}
END_TEST

START_TEST(skip_agrees_with_next)
{
    struct rules r;
    ck_assert_int_eq(parse(good, sizeof good, 5, &r), PILGRIM_OK);
    size_t length = strlen(good_text);
    for (size_t start = 0; start <= length; start++) {
        for (size_t count = 0; count <= length + 2; count++) {
            struct rules_cursor c;
            if (rules_cursor_init(&c, &r, RULES_SEQUENCE(0)) != PILGRIM_OK)
                ck_abort_msg("no memory");
            uint64_t terminal;
            for (size_t i = 0; i < start; i++)
                if (!rules_cursor_next(&c, &terminal))
                    ck_abort_msg("too short");
            size_t expected = count < length - start ? count : length - start;
            if (rules_cursor_skip(&c, count) != expected)
                ck_abort_msg("from %zu over %zu", start, count);
            for (size_t i = start + expected; i < length; i++)
                if (!rules_cursor_next(&c, &terminal) || terminal != (uint32_t)(good_text[i] - 'a'))
                    ck_abort_msg("from %zu over %zu: terminal %zu", start, count, i);
            if (rules_cursor_next(&c, &terminal))
                ck_abort_msg("from %zu over %zu: no end", start, count);
            rules_cursor_free(&c);
        }
    }
    rules_free(&r);
}
END_TEST

/* Makes RULES rules, each of which is the next one FACTOR times and a terminal; the last one is two terminals. */
static void put_chain(struct bytes *b, uint32_t rules, uint64_t factor)
{
    bytes_put_varint(b, rules);
    for (uint32_t i = 1; i < rules; i++) {
        bytes_put_varint(b, 2);
        bytes_put_varint(b, (uint64_t)i << 2 | (factor > 1 ? 3 : 1));
        if (factor > 1)
            bytes_put_varint(b, factor - 2);
        bytes_put_varint(b, T(0));
    }
    bytes_put_varint(b, 2);
    bytes_put_varint(b, T(1));
    bytes_put_varint(b, T(2));
}

/* 60 levels of doubling: walking would take for ever, skipping does not. */
START_TEST(skip_is_fast)
{
    struct bytes b = {0};
    put_chain(&b, 60, 2);
    struct rules r;
    ck_assert_int_eq(parse(b.data, b.length, 3, &r), PILGRIM_OK);
    uint64_t length = 2;
    for (int i = 1; i < 60; i++)
        length = 2 * length + 1;
    ck_assert_uint_eq(r.total[0].length, length);
    struct rules_cursor c;
    ck_assert_int_eq(rules_cursor_init(&c, &r, RULES_SEQUENCE(0)), PILGRIM_OK);
    ck_assert_uint_eq(rules_cursor_skip(&c, length - 60), length - 60);
    uint64_t terminal;
    ck_assert(rules_cursor_next(&c, &terminal)); /* left to walk: 1 2, then 0 for each level but the last */
    ck_assert_uint_eq(terminal, 2);
    for (int i = 1; i < 60; i++) {
        ck_assert(rules_cursor_next(&c, &terminal));
        ck_assert_uint_eq(terminal, 0);
    }
    ck_assert(!rules_cursor_next(&c, &terminal));
    rules_cursor_free(&c);
    rules_free(&r);
    bytes_free(&b);
}
END_TEST

/* The machine's stack does not grow with the nesting. */
START_TEST(deep_nesting)
{
    struct bytes b = {0};
    put_chain(&b, 1000000, 1);
    struct rules r;
    ck_assert_int_eq(parse(b.data, b.length, 3, &r), PILGRIM_OK);
    ck_assert_uint_eq(r.total[0].depth, 1000000);
    ck_assert_uint_eq(r.total[0].length, 1000001);
    struct rules_cursor c;
    ck_assert_int_eq(rules_cursor_init(&c, &r, RULES_SEQUENCE(0)), PILGRIM_OK);
    uint64_t terminal;
    ck_assert(rules_cursor_next(&c, &terminal));
    ck_assert_uint_eq(terminal, 1);
    ck_assert_uint_eq(rules_cursor_skip(&c, UINT64_MAX), 1000000);
    rules_cursor_free(&c);
    rules_free(&r);
    bytes_free(&b);
}
END_TEST

/* --- invalid grammars --- */

#define EXPONENT_62 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f /* 2^62 - 2: the exponent 2^62 */

static const struct {
    const char *what;
    enum pilgrim_status status;
    size_t length;
    uint8_t data[40];
} bad[] = {
    {"nothing", PILGRIM_TRUNCATED, 0, {0}},
    {"no rule", PILGRIM_DAMAGED, 1, {0}},
    {"more rules than bytes", PILGRIM_DAMAGED, 3, {3, 1, 0}},
    {"more symbols than bytes", PILGRIM_DAMAGED, 3, {1, 2, 0}},
    {"2^64 - 1 rules", PILGRIM_DAMAGED, 11, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}},
    {"2^64 - 1 symbols", PILGRIM_DAMAGED, 12, {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}},
    {"the start rule used", PILGRIM_DAMAGED, 3, {1, 1, R(0)}},
    {"a rule that is not there", PILGRIM_DAMAGED, 3, {1, 1, R(1)}},
    {"a terminal at the limit", PILGRIM_DAMAGED, 3, {1, 1, T(5)}},
    {"rule 1 uses itself", PILGRIM_DAMAGED, 6, {2, 1, R(1), 2, R(1), T(0)}},
    {"rules 1 and 2 use each other", PILGRIM_DAMAGED, 9, {3, 1, R(1), 2, T(0), R(2), 2, R(1), T(0)}},
    {"rule 2 is not reached", PILGRIM_DAMAGED, 8, {3, 1, R(1), 1, T(0), 2, T(0), T(1)}},
    {"rules 1 and 2 are a cycle on their own", PILGRIM_DAMAGED, 7, {3, 1, T(0), 1, R(2), 1, R(1)}},
    {"rule 1 is empty", PILGRIM_DAMAGED, 4, {2, 1, R(1), 0}},
    {"a varint that is not the shortest", PILGRIM_DAMAGED, 4, {1, 1, 0x80, 0}},
    {"an exponent missing", PILGRIM_TRUNCATED, 3, {1, 1, T_RUN(0)}},
    {"an exponent of 2^63",
     PILGRIM_DAMAGED,
     12,
     {1, 1, T_RUN(0), 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}},
    {"an exponent that wraps",
     PILGRIM_DAMAGED,
     13,
     {1, 1, T_RUN(0), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
    {"a sum of 2^63", PILGRIM_DAMAGED, 22, {1, 2, T_RUN(0), EXPONENT_62, T_RUN(1), EXPONENT_62}},
    {"a product of 2^63", PILGRIM_DAMAGED, 15, {2, 1, R_RUN(1), EXPONENT_62, 2, T(0), T(1)}},
};

START_TEST(refused)
{
    struct rules r;
    enum pilgrim_status status = parse(bad[_i].data, bad[_i].length, 5, &r);
    ck_assert_msg(status == bad[_i].status, "%s: status %d", bad[_i].what, status);
}
END_TEST

START_TEST(largest_length)
{
    /* 2^62 + 2^62 - 1 = 2^63 - 1 */
    static const uint8_t data[] = {1,    2,    T_RUN(0), EXPONENT_62, T_RUN(1), 0xfd, 0xff,
                                   0xff, 0xff, 0xff,     0xff,        0xff,     0xff, 0x3f};
    struct rules r;
    ck_assert_int_eq(parse(data, sizeof data, 5, &r), PILGRIM_OK);
    ck_assert_uint_eq(r.total[0].length, INT64_MAX);
    struct rules_cursor c;
    ck_assert_int_eq(rules_cursor_init(&c, &r, RULES_SEQUENCE(0)), PILGRIM_OK);
    ck_assert_uint_eq(rules_cursor_skip(&c, INT64_MAX - 1), INT64_MAX - 1);
    uint64_t terminal;
    ck_assert(rules_cursor_next(&c, &terminal));
    ck_assert_uint_eq(terminal, 1);
    ck_assert(!rules_cursor_next(&c, &terminal));
    rules_cursor_free(&c);
    rules_free(&r);
}
END_TEST

START_TEST(terminal_limits)
{
    struct bytes b = {0};
    bytes_put_u8(&b, 1);
    bytes_put_u8(&b, 1);
    bytes_put_varint(&b, (uint64_t)UINT32_MAX << 2);
    struct rules r;
    ck_assert_int_eq(parse(b.data, b.length, UINT32_MAX, &r), PILGRIM_DAMAGED);
    ck_assert_int_eq(parse(b.data, b.length, (uint64_t)UINT32_MAX + 1, &r), PILGRIM_OK);
    ck_assert_uint_eq(r.symbols[0].value, UINT32_MAX);
    rules_free(&r);
    b.length = 2;
    bytes_put_varint(&b, ((uint64_t)UINT32_MAX + 1) << 2);
    ck_assert_int_eq(parse(b.data, b.length, (uint64_t)UINT32_MAX + 1, &r), PILGRIM_DAMAGED);
    ck_assert_int_eq(parse(b.data, b.length, UINT64_MAX, &r), PILGRIM_OK);
    ck_assert_uint_eq(r.symbols[0].value, (uint64_t)UINT32_MAX + 1);
    rules_free(&r);
    bytes_free(&b);
}
END_TEST

/* A grammar of a few hundred bytes with rules in rules. */
static struct bytes sample(void)
{
    struct grammar *g = grammar_new();
    ck_assert_ptr_nonnull(g);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t terminal = i % 97 == 0 ? 100 + i / 500 : (i * i % 7 < 3 ? i % 5 : i % 3);
        if (grammar_append(g, terminal) != PILGRIM_OK)
            ck_abort_msg("append");
    }
    struct bytes b = {0};
    grammar_serialise(g, &b);
    ck_assert_int_eq(bytes_status(&b), PILGRIM_OK);
    ck_assert_uint_gt(b.length, 100);
    grammar_free(g);
    return b;
}

/* If changed bytes are a grammar again, it can be walked and skipped without harm. */
static void use_rules(const struct rules *r)
{
    struct rules_cursor c;
    if (rules_cursor_init(&c, r, RULES_SEQUENCE(0)) != PILGRIM_OK)
        ck_abort_msg("no memory");
    uint64_t terminal;
    uint64_t walked = 0;
    while (walked < 500 && rules_cursor_next(&c, &terminal))
        walked++;
    uint64_t rest = rules_cursor_skip(&c, UINT64_MAX);
    if (walked + rest != r->total[0].length)
        ck_abort_msg("length");
    rules_cursor_free(&c);
}

START_TEST(every_truncation)
{
    struct bytes b = sample();
    for (size_t length = 0; length < b.length; length++) {
        uint8_t *exact = malloc(length ? length : 1); /* so that a sanitizer sees a read past the end */
        if (!exact)
            ck_abort_msg("no memory");
        memcpy(exact, b.data, length);
        struct rules r;
        enum pilgrim_status status = parse(exact, length, 256, &r);
        if (status != PILGRIM_TRUNCATED && status != PILGRIM_DAMAGED)
            ck_abort_msg("%zu of %zu bytes: status %d", length, b.length, status);
        free(exact);
    }
    bytes_free(&b);
}
END_TEST

START_TEST(every_byte_changed)
{
    struct bytes b = sample();
    unsigned accepted = 0, refused_count = 0;
    for (size_t i = 0; i < b.length; i++) {
        uint8_t was = b.data[i];
        for (unsigned change = 1; change < 256; change++) {
            b.data[i] = (uint8_t)(was ^ change);
            struct rules r;
            if (parse(b.data, b.length, 256, &r) == PILGRIM_OK) {
                use_rules(&r);
                rules_free(&r);
                accepted++;
            } else {
                refused_count++;
            }
        }
        b.data[i] = was;
    }
    ck_assert_uint_gt(accepted, 0);
    ck_assert_uint_gt(refused_count, 0);
    bytes_free(&b);
}
END_TEST

/* Random bytes, short and long. */
START_TEST(random_bytes)
{
    uint32_t state = 1;
    for (unsigned n = 0; n < 200000; n++) {
        uint8_t data[24];
        for (size_t i = 0; i < sizeof data; i++) {
            state = state * 1664525 + 1013904223;
            data[i] = (uint8_t)(state >> 24) & (n % 2 ? 0x0f : 0xff);
        }
        struct rules r;
        if (parse(data, sizeof data, 256, &r) == PILGRIM_OK) {
            use_rules(&r);
            rules_free(&r);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rules");
    TCase *right = tcase_create("right");
    TCase *wrong = tcase_create("wrong");
    tcase_set_timeout(right, 120);
    tcase_set_timeout(wrong, 300);
    tcase_add_test(right, fields);
    tcase_add_test(right, expansion);
    tcase_add_test(right, empty_sequence);
    tcase_add_test(right, skip_agrees_with_next);
    tcase_add_test(right, skip_is_fast);
    tcase_add_test(right, deep_nesting);
    tcase_add_loop_test(wrong, refused, 0, (int)ARRAY_COUNT(bad));
    tcase_add_test(wrong, largest_length);
    tcase_add_test(wrong, terminal_limits);
    tcase_add_test(wrong, every_truncation);
    tcase_add_test(wrong, every_byte_changed);
    tcase_add_test(wrong, random_bytes);
    suite_add_tcase(suite, right);
    suite_add_tcase(suite, wrong);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
