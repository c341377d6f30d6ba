/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors that are kept aside: a file can be opened when the process has used up all others, and what the program
 * has put in the place of one stays open. Each test needs a process of its own. */
#include "base/spare_files.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 256, SPARE = 4, THREADS = 4, ROUNDS = 500 };

static int open_now(void)
{
    int found = 0;
    for (int file = 0; file < FILES; file++)
        found += fcntl(file, F_GETFD) >= 0;
    return found;
}

static int opened[FILES], count;

static int nothing(void)
{
    return opened[count++ % FILES] = open("/dev/null", O_RDONLY);
}

/* The address sanitizer, too, needs a file at the end. */
static void teardown(void)
{
    while (count > 0)
        if (opened[--count % FILES] >= 0)
            close(opened[count % FILES]);
}

/* Opens all that may be opened. */
static void use_up(void)
{
    while (nothing() >= 0)
        continue;
    ck_assert_int_eq(errno, EMFILE);
}

static int ours(void)
{
    return spare_open(AT_FDCWD, "/dev/zero", O_RDONLY | O_CLOEXEC, 0);
}

static void setup(void)
{
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){FILES, FILES}), 0);
}

START_TEST(used_up)
{
    int before = open_now(), first = nothing(), files[SPARE];
    close(first);
    spare_files_begin();
    ck_assert_int_eq(open_now(), before + SPARE);
    ck_assert_int_eq(nothing(), first); /* the program's files have the numbers that they had */
    use_up();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SPARE; i++)
            ck_assert_int_ge(files[i] = ours(), 0);
        ck_assert_int_eq(ours(), -1);
        ck_assert_int_eq(errno, EMFILE);
        for (int i = 0; i < SPARE; i++)
            ck_assert_int_eq(spare_close(files[i]), 0);
        ck_assert_int_eq(nothing(), -1); /* they are kept again */
    }
    spare_files_end();
    for (int i = 0; i < SPARE; i++)
        ck_assert_int_ge(nothing(), 0);
    ck_assert_int_eq(nothing(), -1);
}
END_TEST

/* The program closes them all, and opens files of its own, which have their numbers. */
START_TEST(closed_by_the_program)
{
    spare_files_begin();
    for (int file = STDERR_FILENO + 1; file < FILES; file++)
        close(file);
    use_up();
    ck_assert_int_eq(ours(), -1);
    ck_assert_int_eq(open_now(), FILES);
    spare_files_end();
    ck_assert_int_eq(open_now(), FILES);
}
END_TEST

START_TEST(few_allowed)
{
    int before = open_now();
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){32, FILES}), 0);
    spare_files_begin();
    ck_assert_int_eq(open_now(), before);
    ck_assert_int_eq(spare_close(-1), -1);
    ck_assert_int_eq(errno, EBADF);
}
END_TEST

/* A file that stays open gives the number that it had back to the program. */
START_TEST(raised)
{
    int first = ours();
    ck_assert_int_eq(spare_raise(first), -1); /* none are kept yet */
    ck_assert_int_eq(fcntl(first, F_GETFD), -1);
    spare_files_begin();
    ck_assert_int_eq(ours(), first);
    int high = spare_raise(first);
    ck_assert_int_ge(high, FILES - 2 * SPARE);
    ck_assert_int_eq(fcntl(high, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(nothing(), first);
    close(high);
    spare_files_end();
}
END_TEST

static void *open_and_close(void *argument)
{
    size_t *good = argument;
    for (int i = 0; i < ROUNDS; i++) {
        int file = ours();
        *good += file >= 0;
        if (file >= 0)
            spare_close(file);
    }
    return NULL;
}

START_TEST(several_threads)
{
    pthread_t threads[THREADS];
    size_t good[THREADS] = {0};
    spare_files_begin();
    use_up();
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, open_and_close, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_uint_gt(good[i], 0);
    }
    spare_close(ours()); /* keeps what a thread could not, because another one had not closed its file yet */
    ck_assert_int_eq(open_now(), FILES);
    spare_files_end();
    ck_assert_int_eq(open_now(), FILES - SPARE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spare_files");
    TCase *tests = tcase_create("spare_files");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, used_up);
    tcase_add_test(tests, closed_by_the_program);
    tcase_add_test(tests, few_allowed);
    tcase_add_test(tests, raised);
    tcase_add_test(tests, several_threads);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
