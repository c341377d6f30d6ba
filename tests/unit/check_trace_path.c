/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace's path: expansion of names, and whether a file can be made there. */
#include "format/trace_path.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/check_output.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void teardown(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0); /* so nothing else was left in it */
}

static void check_expand(const char *pattern, const char *expected)
{
    struct bytes path = {0};
    ck_assert_int_eq(trace_path_expand(pattern, "app", "77.node", 1000000000, &path), PILGRIM_OK);
    ck_assert_str_eq((const char *)path.data, expected);
    bytes_free(&path);
}

START_TEST(expansion)
{
    ck_assert_int_eq(setenv("TZ", "UTC0", 1), 0);
    tzset();
    check_expand(NULL, "app.pilgrim");
    check_expand("", "app.pilgrim");
    check_expand("plain", "plain");
    check_expand("out/%p-%j.%t", "out/app-77.node.20010909-014640");
    check_expand("100%%", "100%");
    check_expand("%%p", "%p");
    check_expand("%p%p", "appapp");
    check_expand("out/", "out/app.pilgrim");
    struct bytes path = {0};
    ck_assert_int_eq(trace_path_expand("%x", "app", "1", 0, &path), PILGRIM_INVALID);
    ck_assert_int_eq(trace_path_expand("a%", "app", "1", 0, &path), PILGRIM_INVALID);
    bytes_free(&path);
}
END_TEST

START_TEST(job)
{
    char text[64], expected[64];
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",   "LSB_JOBID", "PJM_JOBID",
                                        "COBALT_JOBID", "FLUX_JOB_ID", "JOB_ID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
    snprintf(expected, sizeof expected, "%ld", (long)getpid());
    ck_assert_str_eq(trace_path_job(text, sizeof text), expected);
    setenv("PBS_JOBID", "12.server", 1);
    ck_assert_str_eq(trace_path_job(text, sizeof text), "12.server");
    setenv("SLURM_JOB_ID", "34", 1);
    ck_assert_str_eq(trace_path_job(text, sizeof text), "34");
    setenv("SLURM_JOB_ID", "../34", 1); /* no way out of the folder */
    ck_assert_str_eq(trace_path_job(text, sizeof text), "12.server");
}
END_TEST

/* A folder is one with and without a '/' at its end. */
START_TEST(folder_as_path)
{
    ck_assert_int_eq(mkdir("made", 0777), 0);
    ck_assert_int_eq(symlink("made", "link"), 0);
    check_expand("made", "made/app.pilgrim");
    check_expand("made/", "made/app.pilgrim");
    check_expand("link", "link/app.pilgrim");
    check_expand("made/x", "made/x");
    ck_assert(!trace_path_is_device("made"));
    ck_assert(!trace_path_is_device("absent"));
    ck_assert(trace_path_is_device("/dev/null"));
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    ck_assert(trace_path_is_device("pipe"));
    ck_assert_int_eq(unlink("pipe") | unlink("link") | rmdir("made"), 0);
}
END_TEST

/* Check itself writes to a file, so nothing is asserted meanwhile. */
static void limit(rlim_t bytes)
{
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}))
        abort();
}

START_TEST(problems)
{
    FILE *plain = fopen("plain", "w");
    ck_assert_ptr_nonnull(plain);
    fclose(plain);
    ck_assert_int_eq(trace_path_problem("app.pilgrim"), 0);
    ck_assert_int_eq(trace_path_problem("/tmp/app.pilgrim"), 0);
    ck_assert_int_eq(trace_path_problem("absent/app.pilgrim"), ENOENT);
    ck_assert_int_eq(trace_path_problem("plain/app.pilgrim"), ENOTDIR);
    ck_assert_int_ne(trace_path_problem("/proc/self/app.pilgrim"), 0);
    limit(100);
    int problem = trace_path_problem("app.pilgrim");
    limit(RLIM_INFINITY);
    ck_assert_int_eq(problem, EFBIG);
    if (!geteuid()) { /* root may write everywhere */
        ck_assert_int_eq(seteuid(65534), 0);
        problem = trace_path_problem("app.pilgrim");
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_int_eq(problem, EACCES);
    }
    ck_assert_int_eq(unlink("plain"), 0);
}
END_TEST

static void check_elsewhere(const char *path, int problem, const char *expected)
{
    struct bytes other = {0};
    ck_assert(trace_path_elsewhere(path, problem, &other));
    ck_assert_str_eq((const char *)other.data, expected);
    bytes_free(&other);
}

START_TEST(elsewhere)
{
    char expected[128];
    snprintf(expected, sizeof expected, "%s/app.pilgrim", folder);
    setenv("TMPDIR", folder, 1);
    check_elsewhere("absent/app.pilgrim", EACCES, expected);
    check_elsewhere("/dev/app.pilgrim", EACCES, expected);
    check_elsewhere("app.pilgrim", EACCES, "/tmp/app.pilgrim");
    check_elsewhere(expected, EACCES, "/tmp/app.pilgrim");
    setenv("TMPDIR", ".", 1);
    check_elsewhere("absent/app.pilgrim", EACCES, "/tmp/app.pilgrim");
    setenv("TMPDIR", "/absent", 1);
    check_elsewhere("absent/app.pilgrim", EACCES, "/tmp/app.pilgrim");
    check_elsewhere("/tmp/app.pilgrim", EACCES, "/dev/shm/app.pilgrim");
    setenv("TMPDIR", folder, 1);
    check_elsewhere(expected, ENOSPC, "/dev/shm/app.pilgrim"); /* the folder is in /tmp, too */
    struct bytes none = {0};
    limit(100); /* no file can be made anywhere */
    bool found = trace_path_elsewhere("app.pilgrim", EACCES, &none);
    limit(RLIM_INFINITY);
    ck_assert(!found);
    bytes_free(&none);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace_path");
    TCase *names = tcase_create("names"), *places = tcase_create("places");
    tcase_add_test(names, expansion);
    tcase_add_test(names, job);
    suite_add_tcase(suite, names);
    tcase_add_checked_fixture(places, setup, teardown);
    tcase_add_test(places, folder_as_path);
    tcase_add_test(places, problems);
    tcase_add_test(places, elsewhere);
    suite_add_tcase(suite, places);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
