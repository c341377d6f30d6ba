/* SPDX-License-Identifier: BSD-3-Clause */
/* The property "crashes": what is read from it, and that nothing else is. */
#undef HAVE_LIBDW /* debug information plays no part */
#include "../../src/analysis/crashes.c"
#include "../../src/analysis/function_names.c"
#include "../../src/analysis/source_lines.c"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(crashes_are_read)
{
    const char *text = "2.1 11 0x10 app[1f2e3d4c]+0x1189 libm.so.6+0x20 ? app[1f2e]+0x2; 7 6 -";
    struct crash c;
    ck_assert(crash_take(&text, &c));
    ck_assert(c.rank == 2 && c.thread == 1 && c.signal == 11 && c.has_address && c.address == 0x10 && c.count == 4);
    ck_assert_str_eq(c.places[0].module, "app");
    ck_assert(c.places[0].offset == 0x1189 && c.places[0].build_id_length == 4 && c.places[0].build_id[3] == 0x4c);
    ck_assert_str_eq(c.places[1].module, "libm.so.6");
    ck_assert(c.places[1].offset == 0x20 && c.places[1].build_id_length == 0);
    ck_assert(c.places[2].offset == 0 && !*c.places[2].module);
    ck_assert(c.places[3].build_id_length == 2);
    char *shown = crash_stack_text(&c, NULL);
    ck_assert_str_eq(shown, "app+0x1189 < libm.so.6+0x20 < ? < app+0x2");
    free(shown);
    ck_assert(crash_take(&text, &c));
    ck_assert(c.rank == 7 && c.thread == -1 && c.signal == 6 && !c.has_address && c.count == 0);
    ck_assert(!crash_take(&text, &c));
}
END_TEST

/* What starts the program is not shown, nor what aborts it; a library that calls back is. */
START_TEST(the_c_library_is_left_out_at_the_ends)
{
    static const char *const texts[][2] = {
        {"0.0 6 - libc.so.6+0x1 libc.so.6+0x2 app+0x3 libc.so.6+0x4 app+0x5 libc.so.6+0x6 libc.so.6+0x7 app+0x8",
         "app+0x3 < libc.so.6+0x4 < app+0x5"},
        {"0.0 11 0x0 libc.so.6+0x1 app+0x3 libc.so.6+0x6", "libc.so.6+0x1 < app+0x3"},
        {"0.0 6 - libc.so.6+0x1 libc.so.6+0x6", "libc.so.6+0x6"},
        {"0.0 6 - app+0x3", "app+0x3"},
        {"0.0 6 -", ""},
    };
    const char *text = texts[_i][0];
    struct crash c;
    ck_assert(crash_take(&text, &c));
    char *shown = crash_stack_text(&c, NULL);
    ck_assert_str_eq(shown, texts[_i][1]);
    free(shown);
}
END_TEST

START_TEST(nothing_else_is_read)
{
    static const char *const wrong[] = {
        "",
        " ",
        "2",
        "2.1",
        "2.1 11",
        "x 11 -",
        "2.1 11 0x",
        "2 11 10",
        "2 11 0x1 +0x1",
        "2 11 - app",
        "2 11 - app+1",
        "2 11 - app[1f+0x1",
        "2 11 - app[1f2e3d4c5]+0x1",
        "2 11 -;3 11 -",
        "2 11 - aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa+0x1",
    };
    const char *text = wrong[_i];
    struct crash c;
    ck_assert(!crash_take(&text, &c));
    ck_assert_ptr_eq(text, wrong[_i]);
}
END_TEST

/* Each beginning of a value, with one byte that is another one. */
START_TEST(any_text_is_survived)
{
    static const char good[] = "2.1 11 0x10 app[1f2e3d4c]+0x1189 libm.so.6+0x20 ?; 3.0 6 - a+0x1";
    static const char bytes[] = "0; -.[]+x?\377";
    for (size_t length = 0; length < sizeof good; length++)
        for (size_t i = 0; i < length; i++)
            for (size_t k = 0; k < sizeof bytes; k++) {
                char *copy = calloc(1, length + 1);
                const char *at = copy;
                struct crash c;
                memcpy(copy, good, length);
                copy[i] = bytes[k];
                for (int times = 0; crash_take(&at, &c); times++) {
                    ck_assert(times < 3 && at > copy && at <= copy + length);
                    free(crash_stack_text(&c, NULL));
                }
                free(copy);
            }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("crashes");
    TCase *c = tcase_create("crashes");
    tcase_add_test(c, crashes_are_read);
    tcase_add_loop_test(c, the_c_library_is_left_out_at_the_ends, 0, 5);
    tcase_add_loop_test(c, nothing_else_is_read, 0, 15);
    tcase_add_test(c, any_text_is_survived);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
