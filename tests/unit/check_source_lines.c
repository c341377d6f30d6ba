/* SPDX-License-Identifier: BSD-3-Clause */
/* Where paths end: the C library's code that starts a static program or a thread is left out by its names. */
#undef HAVE_LIBDW /* debug information plays no part */
#include "../../src/analysis/call_paths.c"
#include "../../src/analysis/function_names.c"
#include "../../src/analysis/key_table.c"
#include "../../src/analysis/source_lines.c"

#include <check.h>

/* The symbols of the frames, by offset; NULL: not known. */
static const char *symbols[8];

static const char *symbol(const struct pilgrim_trace *trace, const struct pilgrim_frame *frame, uint64_t *offset)
{
    (void)trace;
    *offset = 1;
    return symbols[frame->offset];
}

/* The path of the functions NAMES, the innermost first, that ends with NULL, must have COUNT functions. "-" is one that
 * is not known, ":f" one in Python. */
static void expect_count(size_t count, const char *const *names)
{
    struct pilgrim_frame frames[8];
    size_t all = 0;
    for (; names[all]; all++) {
        const char *name = names[all];
        symbols[all] = strcmp(name, "-") == 0 ? NULL : name;
        frames[all] =
            (struct pilgrim_frame){.module = "program", .offset = all, .python = *name == ':' ? name + 1 : NULL};
        if (all > 0)
            frames[all - 1].caller = &frames[all];
    }
    struct source_lines *lines = source_lines_new(NULL, NULL);
    ck_assert_ptr_nonnull(lines);
    const struct pilgrim_frame *f = frames;
    for (size_t i = 1; i < all; i++, f = f->caller) /* the trace's names are not known yet */
        ck_assert_ptr_eq(source_lines_caller(lines, f), f->caller);
    ck_assert_ptr_eq(source_lines_caller(NULL, frames), frames[0].caller);
    source_lines_use_trace(lines, (const struct pilgrim_trace *)(const void *)symbols, symbol);
    size_t found = 0;
    for (f = frames; f; f = source_lines_caller(lines, f), found++)
        ck_assert_ptr_eq(f, &frames[found]);
    ck_assert_uint_eq(found, count);
    struct call_paths *paths = call_paths_new(lines);
    const struct pilgrim_class class = {.site = frames};
    const struct function_path *path = paths ? call_paths_find(paths, &class) : NULL;
    ck_assert_ptr_nonnull(path);
    ck_assert_uint_eq(path->count, count);
    call_paths_free(paths);
    source_lines_free(lines);
}

#define EXPECT(count, ...) expect_count(count, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_program)
{
    EXPECT(2, "work", "main", "__libc_start_call_main", "__libc_start_main", "_start");
    EXPECT(2, "work", "main", "__libc_start_call_main", "__libc_start_main_impl", "_start");
    EXPECT(2, "work", "main", "__libc_start_call_main", "__libc_start_main");
    EXPECT(2, "work", "main", "__libc_start_call_main");
    EXPECT(1, "main", "__libc_start_main", "_start");
    EXPECT(2, "constructor", "-", "__libc_start_main", "_start");
}
END_TEST

START_TEST(test_thread)
{
    EXPECT(2, "work", "body", "start_thread", "clone3");
    EXPECT(2, "work", "body", "start_thread", "__clone3");
    EXPECT(2, "work", "body", "start_thread", "__clone");
    EXPECT(2, "work", "start_thread", "start_thread", "clone"); /* the first is the program's */
}
END_TEST

START_TEST(test_others)
{
    EXPECT(1, "main");
    EXPECT(2, "work", "main");
    EXPECT(2, "work", "-");
    EXPECT(2, "work", "start_thread");                   /* the program's */
    EXPECT(4, "work", "start_thread", "clone3", "main"); /* likewise */
    EXPECT(3, "work", "body", "clone");
    EXPECT(2, "work", "_start");
    EXPECT(4, "work", "__libc_start_call_main", "__libc_start_main", "main");
    EXPECT(5, "work", "main", "__libc_start_main", "_start", "loader");
    EXPECT(1, "__libc_start_main"); /* a site stays */
    EXPECT(2, "work", ":__libc_start_main");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("source_lines");
    TCase *tests = tcase_create("source_lines");
    tcase_add_test(tests, test_program);
    tcase_add_test(tests, test_thread);
    tcase_add_test(tests, test_others);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
