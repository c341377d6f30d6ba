/* Signatures and interning: numbers by first appearance, equal bytes equal numbers, bytes given back. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "signature/signature.h"

enum { DISTINCT = 5000, DRAWS = 60000 };

static size_t make_key(unsigned value, char *key)
{
    return (size_t)sprintf(key, "key %u %.*s", value, (int)(value % 300), "................................................");
}

START_TEST(terminals_follow_first_appearance)
{
    struct signatures s = {0};
    uint32_t *expected = malloc(DISTINCT * sizeof *expected), known = 0;
    memset(expected, 0xff, DISTINCT * sizeof *expected);
    srand(3);
    for (unsigned i = 0; i < DRAWS; i++) {
        char key[400];
        /* a loop of 7, disturbed now and then: predicted and unpredicted keys */
        unsigned value = rand() % 5 ? i % 7 : (unsigned)rand() % DISTINCT;
        size_t length = make_key(value, key);
        uint32_t terminal;
        ck_assert_int_eq(signature_intern(&s, key, length, &terminal), PILGRIM_OK);
        if (expected[value] == UINT32_MAX)
            expected[value] = known++;
        ck_assert_uint_eq(terminal, expected[value]);
    }
    ck_assert_uint_eq(s.count, known);
    for (unsigned value = 0; value < DISTINCT; value++) {
        char key[400];
        size_t length = make_key(value, key), stored_length;
        if (expected[value] == UINT32_MAX)
            continue;
        const uint8_t *stored = signature_key(&s, expected[value], &stored_length);
        ck_assert_uint_eq(stored_length, length);
        ck_assert_mem_eq(stored, key, length);
    }
    ck_assert_uint_gt(signatures_memory_bytes(&s), known * 8);
    free(expected);
    signatures_free(&s);
}
END_TEST

START_TEST(a_prefix_is_another_key)
{
    struct signatures s = {0};
    uint32_t a, b, c;
    ck_assert_int_eq(signature_intern(&s, "abc", 3, &a), PILGRIM_OK);
    ck_assert_int_eq(signature_intern(&s, "ab", 2, &b), PILGRIM_OK);
    ck_assert_int_eq(signature_intern(&s, "abc", 3, &c), PILGRIM_OK);
    ck_assert_uint_ne(a, b);
    ck_assert_uint_eq(a, c);
    ck_assert_int_eq(signature_intern(&s, "", 0, &c), PILGRIM_LIMIT);
    signatures_free(&s);
}
END_TEST

START_TEST(interned_bytes_come_back)
{
    struct intern t = {0};
    uint32_t number;
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3000; i++) {
            char key[400];
            size_t length = i ? make_key(i, key) : 0; /* number 0: no bytes at all */
            ck_assert_int_eq(intern_add(&t, key, length, &number), PILGRIM_OK);
            ck_assert_uint_eq(number, i);
            size_t stored_length;
            const uint8_t *stored = intern_get(&t, number, &stored_length);
            ck_assert_uint_eq(stored_length, length);
            ck_assert(length == 0 || memcmp(stored, key, length) == 0);
            ck_assert_uint_eq(stored[length], 0);
        }
    }
    ck_assert_uint_eq(t.count, 3000);
    intern_free(&t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("signature");
    TCase *tests = tcase_create("signature");
    tcase_add_test(tests, terminals_follow_first_appearance);
    tcase_add_test(tests, a_prefix_is_another_key);
    tcase_add_test(tests, interned_bytes_come_back);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
