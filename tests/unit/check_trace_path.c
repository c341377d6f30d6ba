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

static const struct trace_path_job task = {.id = "77.node", .array = "70", .task = "7"};

static void check_expand(const char *pattern, const char *expected)
{
    struct bytes path = {0};
    ck_assert_int_eq(trace_path_expand(pattern, "app", &task, 1000000000, &path), PILGRIM_OK);
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
    check_expand("%A_%a.x", "70_7.x");
    check_expand("100%%", "100%");
    check_expand("%%p", "%p");
    check_expand("%p%p", "appapp");
    check_expand("out/", "out/app.pilgrim");
    struct bytes path = {0};
    ck_assert_int_eq(trace_path_expand("%x", "app", &task, 0, &path), PILGRIM_INVALID);
    ck_assert_int_eq(trace_path_expand("a%", "app", &task, 0, &path), PILGRIM_INVALID);
    bytes_free(&path);
}
END_TEST

START_TEST(batch_job)
{
    char expected[64];
    struct trace_path_job job;
    static const char *const names[] = {
        "SLURM_JOB_ID",        "PBS_JOBID",       "LSB_JOBID",   "PJM_JOBID",          "COBALT_JOBID",
        "FLUX_JOB_ID",         "JOB_ID",          "PJM_BULKNUM", "SLURM_ARRAY_JOB_ID", "PBS_ARRAY_ID",
        "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX",       "SGE_TASK_ID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
    snprintf(expected, sizeof expected, "%ld", (long)getpid());
    ck_assert(!trace_path_job(&job));
    ck_assert_str_eq(job.id, expected);
    ck_assert_str_eq(job.array, expected);
    ck_assert_str_eq(job.task, "0");
    setenv("PBS_JOBID", "12.server", 1);
    setenv("SGE_TASK_ID", "undefined", 1);
    ck_assert(trace_path_job(&job));
    ck_assert_str_eq(job.id, "12.server");
    ck_assert_str_eq(job.array, "12.server");
    ck_assert_str_eq(job.task, "0");
    setenv("SLURM_JOB_ID", "34", 1);
    setenv("SLURM_ARRAY_JOB_ID", "30", 1);
    setenv("SLURM_ARRAY_TASK_ID", "4", 1);
    ck_assert(trace_path_job(&job));
    ck_assert_str_eq(job.id, "34");
    ck_assert_str_eq(job.array, "30");
    ck_assert_str_eq(job.task, "4");
    setenv("SLURM_JOB_ID", "../34", 1); /* no way out of the folder */
    ck_assert(trace_path_job(&job));
    ck_assert_str_eq(job.id, "12.server");
}
END_TEST

/* A name is cut behind a whole character, and before its suffix. */
START_TEST(long_names)
{
    char pattern[600], name[300];
    struct bytes path = {0};
    for (int odd = 0; odd < 2; odd++) {
        char *at = stpcpy(pattern, odd ? "out/x" : "out/");
        for (int i = 0; i < 140; i++)
            at = stpcpy(at, "\xc3\xa4");
        stpcpy(at, ".pilgrim");
        path.length = 0;
        ck_assert_int_eq(trace_path_expand(pattern, "app", &task, 0, &path), PILGRIM_OK);
        ck_assert_int_eq(sscanf((const char *)path.data, "out/%299s", name), 1);
        ck_assert_str_eq(name + strlen(name) - 10, "\xc3\xa4.pilgrim");
        ck_assert_int_eq(trace_path_problem(name), 0);
        ck_assert_uint_gt(strlen(name), 224);
    }
    bytes_free(&path);
}
END_TEST

START_TEST(folders_made)
{
    ck_assert_int_eq(trace_path_make_folder("one/two/x"), 0);
    ck_assert_int_eq(trace_path_make_folder("one/two/x"), 0);
    ck_assert_int_eq(trace_path_make_folder("x"), 0);
    ck_assert_int_eq(rmdir("one/two") | rmdir("one"), 0);
    ck_assert_int_eq(trace_path_make_folder("/dev/null/y/x"), ENOTDIR);
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
    tcase_add_test(names, batch_job);
    tcase_add_test(names, long_names);
    tcase_add_test(names, folders_made);
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
