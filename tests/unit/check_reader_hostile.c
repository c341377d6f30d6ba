/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader with hostile bytes: it reports what is wrong, in bounded time and memory. */
#include <check.h>
#include <string.h>

#include "made_trace.h"
#include "hostile_trace.h"
#include "read/file/shards.h"
#include "trials.h"

START_TEST(every_truncation)
{
    struct bytes file = {0};
    make_trace(&file);
    limit_memory();
    for (size_t length = 0; length < file.length; length += file.length / trials((unsigned)file.length)) {
        enum pilgrim_status status = walk(file.data, length);
        ck_assert_int_eq(status, length == 0 ? PILGRIM_NOT_TRACE : PILGRIM_TRUNCATED);
    }
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_OK);
    bytes_put_u8(&file, 0);
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_DAMAGED);
    bytes_free(&file);
}
END_TEST

/* True if byte I is the version, and as good as the one that stood there: a newer version only adds. */
static bool is_other_version(const struct bytes *file, size_t i)
{
    return i == sizeof trace_magic && file->data[i] >= TRACE_VERSION_OLDEST && file->data[i] <= TRACE_VERSION;
}

START_TEST(every_byte_changed)
{
    struct bytes file = {0};
    make_trace(&file);
    limit_memory();
    for (size_t i = 0; i < file.length; i++) {
        static const uint8_t changes[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff, 0x7f};
        size_t step = sizeof changes / trials(sizeof changes);
        for (size_t k = i % step; k < sizeof changes; k += step) {
            file.data[i] ^= changes[k];
            ck_assert_int_eq(walk(file.data, file.length) == PILGRIM_OK, is_other_version(&file, i));
            file.data[i] ^= changes[k];
        }
    }
    bytes_free(&file);
}
END_TEST

/* The content of the calls of FILE, which are coded: as the reader has it. */
static void coded_content(const struct bytes *file, struct bytes *content)
{
    struct pilgrim_trace *trace;
    ck_assert_int_eq(trace_load(file->data, file->length, &trace, NULL), PILGRIM_OK);
    const struct bytes *found = &trace->entries[0].shard->content[SECTION_CALLS];
    bytes_put(content, found->data, found->length);
    pilgrim_close(trace);
}

/* The sections' contents, so that their bytes can be changed under a right checksum. */
static unsigned contents_of(const struct bytes *file, struct bytes *contents)
{
    struct cursor in;
    struct section section;
    unsigned count = 0;
    cursor_init(&in, file->data, file->length);
    cursor_take(&in, sizeof trace_magic + 2);
    while (section_read(&in, &section) == PILGRIM_OK && section.type != SECTION_END) {
        contents[section.type] = (struct bytes){0};
        if (section_has_coded_calls(section.stored_type))
            coded_content(file, &contents[section.type]);
        else
            ck_assert_int_eq(section_content(&section, &contents[section.type]), PILGRIM_OK);
        count++;
    }
    return count;
}

/* One in SHARDS of the changes, each in a process of its own. */
enum { SHARDS = 4, MUTATIONS = 3000 };

START_TEST(contents_changed)
{
    struct bytes file = {0}, contents[SECTION_TYPE_COUNT] = {{0}};
    make_trace(&file);
    ck_assert_uint_eq(contents_of(&file, contents), 3);
    put_together(contents, SECTION_PROFILE, &file);
    ck_assert_int_eq(walk(file.data, file.length), PILGRIM_OK);
    state = 0x1234567 + (uint64_t)_i;
    /* Otherwise nothing behind the tables' checks was reached. */
    ck_assert_uint_gt(walk_changed(contents, SECTION_PROFILE, trials(MUTATIONS)), trials(MUTATIONS) / 50);
    for (unsigned type = 0; type < SECTION_TYPE_COUNT; type++)
        bytes_free(&contents[type]);
    bytes_free(&file);
}
END_TEST

START_TEST(versions)
{
    struct bytes file = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    make_trace(&file);
    file.data[8] = TRACE_VERSION + 1;
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_VERSION);
    ck_assert_ptr_nonnull(strstr(error.message, "versions 5 to 9: a newer Pilgrim is needed"));
    file.data[8] = TRACE_VERSION_OLDEST - 1;
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_VERSION);
    ck_assert_ptr_nonnull(strstr(error.message, "versions 5 to 9"));
    ck_assert_ptr_null(strstr(error.message, "newer"));
    ck_assert_int_eq(trace_load("#!/bin/sh\n", 10, &trace, &error), PILGRIM_NOT_TRACE);
    bytes_free(&file);
}
END_TEST

/* Damage behind the values leaves the calls readable. */
START_TEST(calls_without_times)
{
    struct bytes file = {0}, contents[SECTION_TYPE_COUNT] = {{0}};
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    struct pilgrim_statistic durations;
    struct pilgrim_cursor *cursor;
    make_trace(&file);
    contents_of(&file, contents);
    memset(contents[SECTION_PROFILE].data, 0, contents[SECTION_PROFILE].length); /* a number that has no end */
    put_together(contents, SECTION_PROFILE, &file);
    ck_assert_int_eq(trace_load(file.data, file.length, &trace, &error), PILGRIM_OK);
    ck_assert_int_eq(error.status, PILGRIM_DAMAGED);
    ck_assert_ptr_nonnull(strstr(error.message, "profile"));
    ck_assert_uint_eq(pilgrim_call_count(trace, 0, 0), calls_of(0, 0));
    ck_assert_int_eq(pilgrim_cursor_open(trace, 0, 0, &cursor, &error), PILGRIM_OK);
    ck_assert_int_eq(pilgrim_durations(cursor, 0, PILGRIM_STRUCTURE_GROUP, &durations), PILGRIM_OK);
    ck_assert_uint_eq(durations.count, 0);
    pilgrim_cursor_close(cursor);
    pilgrim_close(trace);
    for (unsigned type = 0; type < SECTION_TYPE_COUNT; type++)
        bytes_free(&contents[type]);
    bytes_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reader");
    TCase *tests = tcase_create("reader");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, versions);
    tcase_add_test(tests, calls_without_times);
    tcase_add_test(tests, every_truncation);
    tcase_add_test(tests, every_byte_changed);
    tcase_add_loop_test(tests, contents_changed, 0, SHARDS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
