/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that grow: each piece is written whole or not at all; a limit of the system is an error, not a signal; the
 * process's pending and blocked signals stay as they were. */
#define _GNU_SOURCE 1
#include "format/write_file.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
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
    struct reopened_file end = {0};
    struct bytes read = {0};
    ck_assert_int_eq(append_file(AT_FDCWD, path, &end, "first", 5), PILGRIM_OK);
    ck_assert_int_eq(append_file(AT_FDCWD, path, &end, "second", 6), PILGRIM_OK);
    ck_assert_uint_eq(end.length, 11);
    ck_assert_int_eq(read_part(path, &end, 3, 5, &read), PILGRIM_OK);
    ck_assert_uint_eq(read.length, 5);
    ck_assert_mem_eq(read.data, "stsec", 5);
    ck_assert_int_eq(read_part(path, &end, 11, 0, &read), PILGRIM_OK);
    ck_assert_int_eq(read_part(path, &end, 7, 5, &read), PILGRIM_IO);
    ck_assert_int_eq(errno, 0);
    ck_assert_uint_eq(read.length, 5);
    bytes_free(&read);
}
END_TEST

START_TEST(what_is_there_stays)
{
    struct reopened_file end = {0}, other = {0};
    ck_assert_int_eq(append_file(AT_FDCWD, path, &end, "first", 5), PILGRIM_OK);
    ck_assert_int_eq(append_file(AT_FDCWD, path, &other, "other", 5), PILGRIM_IO);
    ck_assert_int_eq(errno, EEXIST);
    ck_assert_uint_eq(other.length, 0);
    unlink(path);
    ck_assert_int_eq(append_file(AT_FDCWD, path, &end, "x", 1), PILGRIM_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(file_length(), -1);
    ck_assert_int_eq(append_file(AT_FDCWD, "/no/such/folder/file", &other, "x", 1), PILGRIM_IO);
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
    struct reopened_file end = {0};
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigprocmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    if (pending)
        raise(SIGXFSZ);
    limit(100);
    enum pilgrim_status first = append_file(AT_FDCWD, path, &end, "first", 5);
    enum pilgrim_status second = append_file(AT_FDCWD, path, &end, long_piece, sizeof long_piece);
    int error = errno;
    long length = file_length();
    unlink(path);
    end = (struct reopened_file){0};
    enum pilgrim_status alone = append_file(AT_FDCWD, path, &end, long_piece, sizeof long_piece);
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

/* Only the file that was created is written and read, whatever has its name. */
START_TEST(exchanged)
{
    char moved[80], victim[80], content[16] = "";
    struct reopened_file file = {0};
    struct bytes read = {0};
    snprintf(moved, sizeof moved, "%s.moved", path);
    snprintf(victim, sizeof victim, "%s.victim", path);
    ck_assert_int_eq(append_file(AT_FDCWD, path, &file, "first", 5), PILGRIM_OK);
    ck_assert_int_eq(rename(path, moved), 0);
    FILE *f = fopen(victim, "w");
    ck_assert(f && fputs("important", f) >= 0 && !fclose(f));
    for (int hard = 0; hard < 2; hard++) {
        ck_assert_int_eq(hard ? link(victim, path) : symlink(victim, path), 0);
        ck_assert_int_eq(append_file(AT_FDCWD, path, &file, "second", 6), PILGRIM_IO);
        ck_assert_int_eq(errno, ESTALE);
        ck_assert_int_eq(read_part(path, &file, 0, 5, &read), PILGRIM_IO);
        ck_assert_int_eq(errno, ESTALE);
        struct reopened_file other = {0};
        ck_assert_int_eq(append_file(AT_FDCWD, path, &other, "other", 5), PILGRIM_IO);
        ck_assert_int_eq(unlink(path), 0);
    }
    f = fopen(victim, "r");
    ck_assert(f && fread(content, 1, sizeof content - 1, f) == 9 && !fclose(f));
    ck_assert_str_eq(content, "important");
    ck_assert_int_eq(rename(moved, path), 0);
    ck_assert_int_eq(append_file(AT_FDCWD, path, &file, "second", 6), PILGRIM_OK);
    ck_assert_int_eq(file_length(), 11);
    ck_assert_int_eq(unlink(victim), 0);
    bytes_free(&read);
}
END_TEST

/* A pipe that nobody reads any more. */
START_TEST(no_reader)
{
    int ends[2];
    sigset_t now;
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    ck_assert(!write_whole(ends[1], "x", 1));
    ck_assert_int_eq(errno, EPIPE);
    sigpending(&now);
    ck_assert_int_eq(sigismember(&now, SIGPIPE), 0);
    close(ends[1]);
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
    tcase_add_test(tests, exchanged);
    tcase_add_test(tests, no_reader);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
