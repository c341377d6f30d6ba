/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests interning: bytes of any length, many of them, with equal beginnings; and the reported memory. check_signature.c
 * tests numbers by first appearance. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

enum { ENTRIES = 20000, SHORT = 12, LONG = 3 << 20 };

static size_t make(uint32_t i, uint8_t *data)
{
    size_t length = 4 + i % 9;
    memset(data, 0, length);
    memcpy(data + length - 4, &i, 4);
    return length;
}

START_TEST(entries_keep_numbers_and_bytes)
{
    struct intern t = {0};
    uint8_t data[SHORT + 4];
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < ENTRIES; i++) {
            uint32_t number = UINT32_MAX;
            size_t length = make(i, data);
            ck_assert_int_eq(intern_add(&t, data, length, &number), PILGRIM_OK);
            ck_assert_uint_eq(number, i);
        }
    ck_assert_uint_eq(t.count, ENTRIES);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        size_t length, known;
        const uint8_t *entry = intern_get(&t, i, &known);
        length = make(i, data);
        ck_assert_uint_eq(known, length);
        ck_assert_mem_eq(entry, data, length);
        ck_assert_uint_eq(entry[length], 0);
        ck_assert_uint_eq((uintptr_t)entry % 4, 0);
    }
    ck_assert_uint_le(intern_memory_bytes(&t), (size_t)ENTRIES * (SHORT + 40));
    intern_free(&t);
    ck_assert_uint_eq(intern_memory_bytes(&t), 0);
}
END_TEST

START_TEST(empty_and_long_entries)
{
    struct intern t = {0};
    uint8_t *data = calloc(1, LONG);
    uint32_t number;
    ck_assert_ptr_nonnull(data);
    for (unsigned round = 0; round < 2; round++) {
        ck_assert_int_eq(intern_add(&t, NULL, 0, &number), PILGRIM_OK);
        ck_assert_uint_eq(number, 0);
        ck_assert_int_eq(intern_add(&t, data, LONG, &number), PILGRIM_OK);
        ck_assert_uint_eq(number, 1);
        ck_assert_int_eq(intern_add(&t, data, LONG - 1, &number), PILGRIM_OK);
        ck_assert_uint_eq(number, 2);
        ck_assert_int_eq(intern_add(&t, data, 1, &number), PILGRIM_OK);
        ck_assert_uint_eq(number, 3);
    }
    ck_assert_int_eq(intern_add(&t, data, UINT32_MAX, &number), PILGRIM_LIMIT);
    ck_assert_uint_eq(t.count, 4);
    free(data);
    intern_free(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("intern");
    TCase *tc = tcase_create("intern");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, entries_keep_numbers_and_bytes);
    tcase_add_test(tc, empty_and_long_entries);
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
