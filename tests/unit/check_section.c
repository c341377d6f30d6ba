/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections: what is written is read back, whatever the content and however it is divided; equal content gives equal
 * bytes; dividing content makes it smaller. */
#include "format/section.h"

#include <string.h>

#include "format/trace_format.h"
#include "random.h"

static void check(enum pilgrim_status status)
{
    ck_assert_int_eq(status, PILGRIM_OK);
}

/* The content of the one section in FILE is CONTENT. */
static void check_read(const struct bytes *file, uint8_t type, const struct bytes *content)
{
    struct cursor c;
    struct section section;
    struct bytes again = {0};
    cursor_init(&c, file->data, file->length);
    ck_assert_uint_eq(section_length(&c), file->length);
    cursor_init(&c, file->data, file->length);
    check(section_read(&c, &section));
    ck_assert_ptr_null(section.damage);
    ck_assert_uint_eq(section.type, type);
    ck_assert_uint_eq(cursor_left(&c), 0);
    check(section_content(&section, &again));
    ck_assert_uint_eq(again.length, content->length);
    ck_assert(content->length == 0 || memcmp(again.data, content->data, content->length) == 0);
    bytes_free(&again);
}

/* A content of random bytes, of a few values, or of one, at random. */
static void make_content(struct bytes *content, size_t length)
{
    unsigned values = (unsigned[]){1, 3, 256}[random_below(3)];
    for (size_t i = 0; i < length; i++)
        bytes_put_u8(content, (uint8_t)random_below(values));
}

/* What a compressor is left with does not show in the next section. */
START_TEST(parts_of_any_length)
{
    void *context = NULL, *fresh;
    random_state = 1;
    for (int i = 0; i < 40; i++) {
        struct bytes content = {0}, file = {0}, twice = {0};
        size_t ends[20], count = random_below(20);
        for (size_t part = 0; part < count; part++) {
            make_content(&content, random_below(3) ? random_below(3000) : random_below(2) * random_below(200000));
            ends[part] = content.length;
        }
        if (random_below(2))
            make_content(&content, random_below(3000));
        check(section_write_parts(&context, &file, SECTION_TIMES, &content, ends, count));
        check_read(&file, SECTION_TIMES, &content);
        fresh = NULL;
        check(section_write_parts(&fresh, &twice, SECTION_TIMES, &content, ends, count));
        ck_assert_uint_eq(twice.length, file.length);
        ck_assert_mem_eq(twice.data, file.data, file.length);
        bytes_free(&content);
        bytes_free(&file);
        bytes_free(&twice);
        section_write_free(fresh);
    }
    section_write_free(context);
}
END_TEST

/* Each kind of writing is read in one way. */
START_TEST(ways_to_write)
{
    random_state = 2;
    for (int i = 0; i < 100; i++) {
        struct bytes content = {0}, file = {0};
        uint8_t type = (uint8_t)(SECTION_OLD_DEFINITIONS + random_below(SECTION_TYPE_COUNT - 1));
        make_content(&content, random_below(2) ? random_below(1000) : random_below(100000));
        check(i % 2 ? section_write(&file, type, &content) : section_write_fast(&file, type, &content));
        check_read(&file, type, &content);
        bytes_free(&content);
        bytes_free(&file);
    }
}
END_TEST

/* Columns of numbers that have few values each, but not the same ones: in parts each has the bits that it needs. */
START_TEST(parts_pay)
{
    enum { PARTS = 16, LENGTH = 4000 };
    struct bytes content = {0}, parts = {0}, whole = {0};
    size_t ends[PARTS];
    void *context = NULL;
    random_state = 3;
    for (unsigned part = 0; part < PARTS; part++) {
        for (int i = 0; i < LENGTH; i++)
            bytes_put_u8(&content, (uint8_t)(part * 4 + random_below(4)));
        ends[part] = content.length;
    }
    check(section_write_parts(&context, &parts, SECTION_TIMES, &content, ends, PARTS));
    check(section_write_parts(&context, &whole, SECTION_TIMES, &content, NULL, 0));
    /* Two bits a number, and 100 bytes for each part. */
    ck_assert_uint_lt(parts.length, content.length / 4 + content.length / 100 + PARTS * 100);
    ck_assert_uint_gt(whole.length, parts.length + parts.length / 20);
    bytes_free(&content);
    bytes_free(&parts);
    bytes_free(&whole);
    section_write_free(context);
}
END_TEST

/* What compresses too well is padded: the reader's bound holds. */
START_TEST(nothing_but_zeros)
{
    struct bytes content = {0}, file = {0};
    size_t length = 3000000, ends[] = {1000000, 2000000, 3000000};
    void *context = NULL;
    memset(bytes_reserve(&content, length), 0, length);
    content.length = length;
    check(section_write_parts(&context, &file, SECTION_TIMES, &content, ends, 3));
    section_write_free(context);
    ck_assert_uint_ge(file.length * SECTION_RATIO_MAX, length);
    ck_assert_uint_lt(file.length, length / SECTION_RATIO_MAX + 100);
    check_read(&file, SECTION_TIMES, &content);
    bytes_free(&content);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("section");
    TCase *tests = tcase_create("section");
    tcase_add_test(tests, parts_of_any_length);
    tcase_add_test(tests, ways_to_write);
    tcase_add_test(tests, parts_pay);
    tcase_add_test(tests, nothing_but_zeros);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
