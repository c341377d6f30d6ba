/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that grow: each piece is written whole or not at all; a limit of the system is an error, not a signal; the
 * process's pending and blocked signals stay as they were. */
#define _GNU_SOURCE 1
#include "format/write_file.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static void setup(void)
{
    strcpy(path, "/tmp/check_write_file.XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    unlink(path);
}

static void teardown(void)
{
    unlink(path);
}

static long file_length(void)
{
    struct stat s;
    return stat(path, &s) ? -1 : (long)s.st_size;
}

START_TEST(pieces)
{
    uint64_t end = 0;
    struct bytes read = {0};
    ck_assert_int_eq(append_file(path, &end, "first", 5), PILGRIM_OK);
    ck_assert_int_eq(append_file(path, &end, "second", 6), PILGRIM_OK);
    ck_assert_uint_eq(end, 11);
    ck_assert_int_eq(read_part(path, 3, 5, &read), PILGRIM_OK);
    ck_assert_uint_eq(read.length, 5);
    ck_assert_mem_eq(read.data, "stsec", 5);
    ck_assert_int_eq(read_part(path, 11, 0, &read), PILGRIM_OK);
    ck_assert_int_eq(read_part(path, 7, 5, &read), PILGRIM_IO);
    ck_assert_int_eq(errno, 0);
    ck_assert_uint_eq(read.length, 5);
    bytes_free(&read);
}
END_TEST

START_TEST(what_is_there_stays)
{
    uint64_t end = 0, other = 0;
    ck_assert_int_eq(append_file(path, &end, "first", 5), PILGRIM_OK);
    ck_assert_int_eq(append_file(path, &other, "other", 5), PILGRIM_IO);
    ck_assert_int_eq(errno, EEXIST);
    ck_assert_uint_eq(other, 0);
    unlink(path);
    ck_assert_int_eq(append_file(path, &end, "x", 1), PILGRIM_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(file_length(), -1);
    ck_assert_int_eq(append_file("/no/such/folder/file", &other, "x", 1), PILGRIM_IO);
}
END_TEST

/* Check itself writes to a file, so nothing is asserted meanwhile. */
static void limit(rlim_t bytes)
{
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}))
        abort();
}

/* A piece that has no room; BLOCKED: SIGXFSZ is, by the process. */
static void check_limit(bool blocked, bool pending)
{
    static char long_piece[10000];
    sigset_t set, now;
    uint64_t end = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigprocmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    if (pending)
        raise(SIGXFSZ);
    limit(100);
    enum pilgrim_status first = append_file(path, &end, "first", 5);
    enum pilgrim_status second = append_file(path, &end, long_piece, sizeof long_piece);
    int error = errno;
    long length = file_length();
    unlink(path);
    end = 0;
    enum pilgrim_status alone = append_file(path, &end, long_piece, sizeof long_piece);
    limit(RLIM_INFINITY);
    ck_assert_int_eq(first, PILGRIM_OK);
    ck_assert_int_eq(second, PILGRIM_IO);
    ck_assert_int_eq(error, EFBIG);
    ck_assert_int_eq(length, 5);
    ck_assert_int_eq(alone, PILGRIM_IO);
    ck_assert_int_eq(file_length(), -1);
    sigprocmask(SIG_BLOCK, NULL, &now);
    ck_assert_int_eq(sigismember(&now, SIGXFSZ), blocked);
    sigpending(&now);
    ck_assert_int_eq(sigismember(&now, SIGXFSZ), pending);
}

START_TEST(no_signal)
{
    check_limit(false, false);
    check_limit(true, false);
    check_limit(true, true);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("write_file");
    TCase *tests = tcase_create("write_file");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, pieces);
    tcase_add_test(tests, what_is_there_stays);
    tcase_add_test(tests, no_signal);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
