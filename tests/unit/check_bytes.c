/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests byte buffers and cursors: every number comes back, no number has two forms, no read passes the end. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof *(a))

static const uint64_t numbers[] = {
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x3fff,
    0x4000,
    0x1fffff,
    0x200000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};

START_TEST(varint_comes_back)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
            uint64_t value = numbers[i] >> shift;
            struct bytes b = {0};
            bytes_put_varint(&b, value);
            ck_assert_int_eq(bytes_status(&b), PILGRIM_OK);
            size_t expected = 1;
            for (uint64_t rest = value >> 7; rest; rest >>= 7)
                expected++;
            ck_assert_uint_eq(b.length, expected);
            struct cursor c;
            cursor_init(&c, b.data, b.length);
            ck_assert_uint_eq(cursor_varint(&c), value);
            ck_assert_int_eq(c.status, PILGRIM_OK);
            ck_assert_uint_eq(cursor_left(&c), 0);
            for (size_t length = 0; length < b.length; length++) {
                cursor_init(&c, b.data, length);
                ck_assert_uint_eq(cursor_varint(&c), 0);
                ck_assert_int_eq(c.status, PILGRIM_TRUNCATED);
            }
            bytes_free(&b);
        }
    }
}
END_TEST

START_TEST(svarint_comes_back)
{
    static const int64_t values[] = {0, -1, 1, -64, 63, -65, 64, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    static const size_t lengths[] = {1, 1, 1, 1, 1, 2, 2, 10, 10, 10};
    for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
        struct bytes b = {0};
        bytes_put_svarint(&b, values[i]);
        ck_assert_uint_eq(b.length, lengths[i]);
        struct cursor c;
        cursor_init(&c, b.data, b.length);
        ck_assert_int_eq(cursor_svarint(&c), values[i]);
        ck_assert_int_eq(c.status, PILGRIM_OK);
        ck_assert_int_eq(unzigzag(zigzag(values[i])), values[i]);
        bytes_free(&b);
    }
}
END_TEST

static const struct {
    uint8_t data[12];
    size_t length;
} not_canonical[] = {
    {{0x80, 0x00}, 2},
    {{0xff, 0x80, 0x00}, 3},
    {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 10},
    {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00}, 11},
    {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 11},
    {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 10},
};

START_TEST(varint_not_canonical)
{
    struct cursor c;
    cursor_init(&c, not_canonical[_i].data, not_canonical[_i].length);
    ck_assert_uint_eq(cursor_varint(&c), 0);
    ck_assert_int_eq(c.status, PILGRIM_DAMAGED);
    ck_assert_uint_eq(c.position, 0);
}
END_TEST

/* All forms of one and two bytes: exactly the canonical ones are read, and writing them gives the same bytes. */
START_TEST(varint_has_one_form)
{
    unsigned read = 0;
    for (unsigned n = 0; n < 0x10000; n++) {
        uint8_t data[2] = {(uint8_t)n, (uint8_t)(n >> 8)};
        struct cursor c;
        cursor_init(&c, data, sizeof data);
        uint64_t value = cursor_varint(&c);
        if (c.status != PILGRIM_OK)
            continue;
        read++;
        struct bytes b = {0};
        bytes_put_varint(&b, value);
        ck_assert_uint_eq(b.length, c.position);
        ck_assert_mem_eq(b.data, data, b.length);
        bytes_free(&b);
    }
    ck_assert_uint_eq(read, 128 * 256 + 128 * 127); /* one byte and anything; two bytes, the last 1..127 */
}
END_TEST

START_TEST(fixed_width)
{
    struct bytes b = {0};
    bytes_put_u8(&b, 0xfe);
    bytes_put_u32(&b, 0x01020304);
    bytes_put_u64(&b, 0x05060708090a0b0c);
    bytes_put(&b, "xyz", 3);
    static const uint8_t expected[] = {0xfe, 4, 3, 2, 1, 0xc, 0xb, 0xa, 9, 8, 7, 6, 5, 'x', 'y', 'z'};
    ck_assert_uint_eq(b.length, sizeof expected);
    ck_assert_mem_eq(b.data, expected, sizeof expected);
    struct cursor c;
    cursor_init(&c, b.data, b.length);
    ck_assert_uint_eq(cursor_u8(&c), 0xfe);
    ck_assert_uint_eq(cursor_u32(&c), 0x01020304);
    ck_assert_uint_eq(cursor_u64(&c), 0x05060708090a0b0c);
    const uint8_t *rest = cursor_take(&c, 3);
    ck_assert_ptr_nonnull(rest);
    ck_assert_mem_eq(rest, "xyz", 3);
    ck_assert_int_eq(c.status, PILGRIM_OK);
    ck_assert_uint_eq(cursor_left(&c), 0);
    bytes_free(&b);
    ck_assert_ptr_null(b.data);
    ck_assert_uint_eq(b.length, 0);
}
END_TEST

START_TEST(first_error_sticks)
{
    static const uint8_t data[] = {1, 2, 3, 4, 5};
    struct cursor c;
    cursor_init(&c, data, sizeof data);
    ck_assert_uint_eq(cursor_u8(&c), 1);
    ck_assert_uint_eq(cursor_u64(&c), 0);
    ck_assert_int_eq(c.status, PILGRIM_TRUNCATED);
    ck_assert_uint_eq(c.position, 1);
    ck_assert_uint_eq(cursor_left(&c), 0);
    ck_assert_uint_eq(cursor_u8(&c), 0);
    ck_assert_uint_eq(cursor_u32(&c), 0);
    ck_assert_uint_eq(cursor_varint(&c), 0);
    ck_assert_int_eq(cursor_svarint(&c), 0);
    ck_assert_ptr_null(cursor_take(&c, 1));
    ck_assert_uint_eq(cursor_count(&c, 1), 0);
    ck_assert_uint_eq(cursor_index(&c, 100), 0);
    ck_assert_uint_eq(c.position, 1);
    ck_assert_int_eq(c.status, PILGRIM_TRUNCATED);
}
END_TEST

START_TEST(take_at_the_end)
{
    static const uint8_t data[] = {1, 2};
    struct cursor c;
    cursor_init(&c, data, sizeof data);
    ck_assert_ptr_nonnull(cursor_take(&c, 2));
    ck_assert_ptr_nonnull(cursor_take(&c, 0));
    ck_assert_int_eq(c.status, PILGRIM_OK);
    ck_assert_ptr_null(cursor_take(&c, SIZE_MAX));
    ck_assert_int_eq(c.status, PILGRIM_TRUNCATED);
}
END_TEST

START_TEST(count_fits_what_is_left)
{
    static const uint8_t data[] = {4, 0, 0, 0, 0};
    struct cursor c;
    cursor_init(&c, data, sizeof data);
    ck_assert_uint_eq(cursor_count(&c, 1), 4);
    cursor_init(&c, data, sizeof data);
    ck_assert_uint_eq(cursor_count(&c, 2), 0);
    ck_assert_int_eq(c.status, PILGRIM_DAMAGED);
    cursor_init(&c, data, sizeof data - 1);
    ck_assert_uint_eq(cursor_count(&c, 1), 0);
    ck_assert_int_eq(c.status, PILGRIM_DAMAGED);
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0};
    cursor_init(&c, huge, sizeof huge);
    ck_assert_uint_eq(cursor_count(&c, 1), 0);
    ck_assert_int_eq(c.status, PILGRIM_DAMAGED);
}
END_TEST

START_TEST(index_is_below_limit)
{
    static const uint8_t data[] = {7};
    struct cursor c;
    cursor_init(&c, data, sizeof data);
    ck_assert_uint_eq(cursor_index(&c, 8), 7);
    ck_assert_int_eq(c.status, PILGRIM_OK);
    cursor_init(&c, data, sizeof data);
    ck_assert_uint_eq(cursor_index(&c, 7), 0);
    ck_assert_int_eq(c.status, PILGRIM_DAMAGED);
    cursor_init(&c, data, 0);
    ck_assert_uint_eq(cursor_index(&c, 7), 0);
    ck_assert_int_eq(c.status, PILGRIM_TRUNCATED);
}
END_TEST

START_TEST(failed_growth_sticks)
{
    struct bytes b = {0};
    bytes_put(&b, "abc", 3);
    ck_assert_ptr_null(bytes_reserve(&b, SIZE_MAX));
    ck_assert_int_eq(bytes_status(&b), PILGRIM_NOMEM);
    bytes_put_u8(&b, 'd');
    ck_assert_uint_eq(b.length, 3);
    ck_assert_mem_eq(b.data, "abc", 3);
    bytes_free(&b);
    ck_assert_int_eq(bytes_status(&b), PILGRIM_OK);
}
END_TEST

START_TEST(buffer_grows)
{
    struct bytes b = {0};
    for (uint32_t i = 0; i < 100000; i++)
        bytes_put_u32(&b, i);
    ck_assert_int_eq(bytes_status(&b), PILGRIM_OK);
    ck_assert_uint_eq(b.length, 400000);
    struct cursor c;
    cursor_init(&c, b.data, b.length);
    for (uint32_t i = 0; i < 100000; i++)
        ck_assert_uint_eq(cursor_u32(&c), i);
    ck_assert_int_eq(c.status, PILGRIM_OK);
    bytes_free(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bytes");
    TCase *numbers_case = tcase_create("numbers");
    tcase_add_test(numbers_case, varint_comes_back);
    tcase_add_test(numbers_case, svarint_comes_back);
    tcase_add_loop_test(numbers_case, varint_not_canonical, 0, (int)ARRAY_COUNT(not_canonical));
    tcase_add_test(numbers_case, varint_has_one_form);
    tcase_add_test(numbers_case, fixed_width);
    TCase *bounds = tcase_create("bounds");
    tcase_add_test(bounds, first_error_sticks);
    tcase_add_test(bounds, take_at_the_end);
    tcase_add_test(bounds, count_fits_what_is_left);
    tcase_add_test(bounds, index_is_below_limit);
    TCase *buffers = tcase_create("buffers");
    tcase_add_test(buffers, failed_growth_sticks);
    tcase_add_test(buffers, buffer_grows);
    suite_add_tcase(suite, numbers_case);
    suite_add_tcase(suite, bounds);
    suite_add_tcase(suite, buffers);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
