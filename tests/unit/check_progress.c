/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress: a line on a terminal, at once or after a second; nothing elsewhere. */
#define _GNU_SOURCE 1
#include <time.h>

static int clock_of_tests(clockid_t clock, struct timespec *time);

#define clock_gettime clock_of_tests
#include "../../decoder/progress.c"
#undef clock_gettime

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static time_t clock_s = 1000;

static int clock_of_tests(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){.tv_sec = clock_s};
    return 0;
}

static int errors = -1; /* what stderr was */

/* Makes stderr FD. */
static void redirect(int fd)
{
    fflush(stderr);
    errors = errors < 0 ? dup(STDERR_FILENO) : errors;
    ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
}

static void restore(void)
{
    fflush(stderr);
    ck_assert_int_ge(dup2(errors, STDERR_FILENO), 0);
}

/* Returns the main end of a terminal, of which stderr is the other one. */
static int terminal(void)
{
    int end = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    ck_assert_int_ge(end, 0);
    ck_assert_int_eq(grantpt(end), 0);
    ck_assert_int_eq(unlockpt(end), 0);
    int other = open(ptsname(end), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(other, 0);
    redirect(other);
    close(other);
    return end;
}

/* Sets TEXT to what was written to it. */
static void seen(int end, char text[256])
{
    fflush(stderr);
    ssize_t length = read(end, text, 255);
    text[length > 0 ? length : 0] = 0;
}

START_TEST(at_once)
{
    char text[256];
    int end = terminal();
    progress_begin("tool", 2000000, true, true);
    progress_add(500000);
    progress_add(1); /* too soon */
    seen(end, text);
    progress_end();
    restore();
    ck_assert_str_eq(text, "\rtool:  25% of 2.0 MB\033[K");
    close(end);
}
END_TEST

START_TEST(after_a_second)
{
    char before[256], behind[256], cleared[256], ended[256];
    int end = terminal();
    progress_begin("tool", 8, false, false);
    progress_at(1);
    seen(end, before);
    clock_s += 1;
    progress_at(6);
    seen(end, behind);
    progress_clear();
    progress_clear();
    seen(end, cleared);
    progress_end();
    progress_at(7);
    seen(end, ended);
    restore();
    ck_assert_str_eq(before, "");
    ck_assert_str_eq(behind, "\rtool:  75% of 8 ranks\033[K");
    ck_assert_str_eq(cleared, "\r\033[K");
    ck_assert_str_eq(ended, "");
    close(end);
}
END_TEST

START_TEST(no_terminal)
{
    char text[256];
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
    redirect(ends[1]);
    progress_begin("tool", 8, false, true);
    progress_at(6);
    progress_end();
    seen(ends[0], text);
    restore();
    ck_assert_str_eq(text, "");
    close(ends[0]);
    close(ends[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("progress");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, at_once);
    tcase_add_test(tests, after_a_second);
    tcase_add_test(tests, no_terminal);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
