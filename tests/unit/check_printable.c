/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts as they may be printed: each character of Unicode against the list of docs/FORMAT.md, and what is no character.
 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "pilgrim/reader.h"
#include "read/table/trace_error.h"

static size_t encode(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(0xf00u >> length | code);
    return length;
}

static bool is_listed(uint32_t c)
{
    return c <= 0x1f || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

START_TEST(characters)
{
    unsigned wrong = 0;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code >= 0xd800 && code <= 0xdfff)
            continue;
        char text[5], expected[16], shown[PRINTABLE_MAX];
        size_t length = encode(code, text);
        text[length] = 'a';
        if (is_listed(code))
            snprintf(expected, sizeof expected, "\\u%04x", code);
        else
            snprintf(expected, sizeof expected, "%.*s", (int)length, text);
        wrong += printable_next(text, length + 1, shown) != length || strcmp(shown, expected) != 0;
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

static void check_bytes(const char *text, size_t length, const char *expected)
{
    char all[128] = "", shown[PRINTABLE_MAX];
    for (size_t n; length > 0; text += n, length -= n) {
        n = pilgrim_printable(text, length, shown);
        ck_assert_uint_ge(n, 1);
        ck_assert_uint_le(n, length);
        strcat(all, shown);
    }
    ck_assert_str_eq(all, expected);
}

START_TEST(no_characters)
{
    check_bytes("\x1b[2J\x07", 5, "\\u001b[2J\\u0007");
    check_bytes("a\0b", 3, "a\\u0000b");
    check_bytes("\x80\xbf\xff\xfe", 4, "\\u0080\\u00bf\\u00ff\\u00fe");
    check_bytes("\xc0\x80\xc1\xbf", 4, "\\u00c0\\u0080\\u00c1\\u00bf"); /* too long for what they say */
    check_bytes("\xe0\x9f\xbf\xf0\x8f\xbf\xbf", 7, "\\u00e0\\u009f\\u00bf\\u00f0\\u008f\\u00bf\\u00bf");
    check_bytes("\xed\xa0\x80", 3, "\\u00ed\\u00a0\\u0080");            /* a surrogate */
    check_bytes("\xf4\x90\x80\x80", 4, "\\u00f4\\u0090\\u0080\\u0080"); /* beyond U+10FFFF */
    check_bytes("\xe2\x82", 2, "\\u00e2\\u0082");                       /* cut off */
    check_bytes("\xe2\x82\"\\", 4, "\\u00e2\\u0082\"\\");
    char shown[PRINTABLE_MAX] = "x";
    ck_assert_uint_eq(pilgrim_printable("a", 0, shown), 0);
    ck_assert_uint_eq(pilgrim_printable(NULL, 1, shown), 0);
    ck_assert_uint_eq(pilgrim_printable("a", 1, NULL), 0);
    ck_assert_str_eq(shown, "x");
}
END_TEST

START_TEST(copies)
{
    char to[16];
    for (size_t size = 1; size <= sizeof to; size++) {
        memset(to, '#', sizeof to);
        printable_copy(to, size,
                       "ab\x1b\xc3\xa4"
                       "cd");
        const char *whole = "ab\\u001b\xc3\xa4"
                            "cd";
        size_t fits = size > 12 ? 12 : size > 2 && size < 9 ? 2 : size == 10 ? 8 : size - 1; /* whole characters only */
        ck_assert_uint_eq(strlen(to), fits);
        ck_assert_int_eq(memcmp(to, whole, fits), 0);
        ck_assert_msg(size == sizeof to || to[size] == '#', "size %zu", size);
    }
}
END_TEST

START_TEST(messages)
{
    struct pilgrim_error error;
    ck_assert_int_eq(trace_error(&error, PILGRIM_DAMAGED, 7, "%s at byte %d", "MPI_\x1b]0;x\x07", 7), PILGRIM_DAMAGED);
    ck_assert_str_eq(error.message, "MPI_\\u001b]0;x\\u0007 at byte 7");
    char name[300];
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    ck_assert_int_eq(trace_error(&error, PILGRIM_DAMAGED, 7, "%s", name), PILGRIM_DAMAGED);
    ck_assert_ptr_null(strchr(error.message, '\n'));
    ck_assert_uint_lt(strlen(error.message), sizeof error.message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("printable");
    TCase *tests = tcase_create("printable");
    tcase_add_test(tests, characters);
    tcase_add_test(tests, no_characters);
    tcase_add_test(tests, copies);
    tcase_add_test(tests, messages);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
