/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace's path and file: expansion of names, numbers behind existing names, nothing overwritten, nothing left
 * behind; and the folder that the processes of a run share. The file is compiled in here for its inner functions. */
#include "format/trace_output.c"

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char folder[64];

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/check_output.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static int count_files(void)
{
    int count = 0;
    DIR *d = opendir(folder);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void teardown(void)
{
    DIR *d = opendir(folder);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            ck_assert_int_eq(unlinkat(dirfd(d), e->d_name, 0), 0);
    closedir(d);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void check_expand(const char *pattern, const char *expected)
{
    struct bytes path = {0};
    ck_assert_int_eq(output_expand(pattern, "app", "77.node", 1000000000, &path), PILGRIM_OK);
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
    ck_assert_int_eq(output_expand("%x", "app", "1", 0, &path), PILGRIM_INVALID);
    ck_assert_int_eq(output_expand("a%", "app", "1", 0, &path), PILGRIM_INVALID);
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
    ck_assert_str_eq(output_job(text, sizeof text), expected);
    setenv("PBS_JOBID", "12.server", 1);
    ck_assert_str_eq(output_job(text, sizeof text), "12.server");
    setenv("SLURM_JOB_ID", "34", 1);
    ck_assert_str_eq(output_job(text, sizeof text), "34");
    setenv("SLURM_JOB_ID", "../34", 1); /* no way out of the folder */
    ck_assert_str_eq(output_job(text, sizeof text), "12.server");
}
END_TEST

static void check_write(const char *path, const char *data, const char *expected)
{
    struct bytes written = {0};
    ck_assert_int_eq(output_write(path, data, strlen(data), &written), PILGRIM_OK);
    ck_assert_str_eq((const char *)written.data, expected);
    bytes_free(&written);
}

static void check_content(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    size_t length = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_str_eq(text, expected);
}

START_TEST(nothing_is_replaced)
{
    check_write("app.pilgrim", "first", "app.pilgrim");
    check_write("app.pilgrim", "second", "app.1.pilgrim");
    check_write("app.pilgrim", "third", "app.2.pilgrim");
    check_write("plain", "a", "plain");
    check_write("plain", "b", "plain.1");
    check_write(".pilgrim", "c", ".pilgrim");
    check_write(".pilgrim", "d", ".pilgrim.1");
    check_content("app.pilgrim", "first");
    check_content("app.1.pilgrim", "second");
    check_content("app.2.pilgrim", "third");
    check_content("plain", "a");
    check_content("plain.1", "b");
    ck_assert_int_eq(unlink(".pilgrim"), 0);
    ck_assert_int_eq(unlink(".pilgrim.1"), 0);
    ck_assert_int_eq(count_files(), 5);
}
END_TEST

START_TEST(mode_follows_umask)
{
    umask(027);
    check_write("mode.pilgrim", "x", "mode.pilgrim");
    struct stat s;
    ck_assert_int_eq(stat("mode.pilgrim", &s), 0);
    ck_assert_uint_eq(s.st_mode & 0777, 0640);
}
END_TEST

START_TEST(failures_leave_nothing)
{
    struct bytes written = {0};
    ck_assert_int_eq(output_write("absent/app.pilgrim", "x", 1, &written), PILGRIM_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_str_eq((const char *)written.data, "absent/app.pilgrim");
    ck_assert_int_eq(count_files(), 0);
    bytes_free(&written);

    /* The disk is full: writing fails after a part. */
    struct rlimit limit = {.rlim_cur = 1000, .rlim_max = RLIM_INFINITY};
    static char large[5000];
    ck_assert_ptr_ne(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    enum pilgrim_status status = output_write("app.pilgrim", large, sizeof large, &written);
    int problem = errno;
    limit.rlim_cur = RLIM_INFINITY; /* Check writes its messages, in which the paths of the sources are, to a file */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(status, PILGRIM_IO);
    ck_assert_int_eq(problem, EFBIG);
    ck_assert_int_eq(count_files(), 0);
    bytes_free(&written);
}
END_TEST

/* Writers at once each get a file of their own, whole. */
START_TEST(writers_at_once)
{
    enum { WRITERS = 8 };
    for (int i = 0; i < WRITERS; i++) {
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (!child) {
            struct bytes written = {0};
            char text[2] = {(char)('a' + i), 0};
            _exit(output_write("app.pilgrim", text, 1, &written) != PILGRIM_OK);
        }
    }
    for (int i = 0, status; i < WRITERS; i++) {
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(count_files(), WRITERS);
    unsigned seen = 0;
    for (unsigned i = 0; i < WRITERS; i++) {
        struct bytes name = {0};
        ck_assert_int_eq(number_path("app.pilgrim", i, &name), PILGRIM_OK);
        FILE *f = fopen((const char *)name.data, "r");
        ck_assert_ptr_nonnull(f);
        seen |= 1u << (fgetc(f) - 'a');
        fclose(f);
        bytes_free(&name);
    }
    ck_assert_uint_eq(seen, (1u << WRITERS) - 1);
}
END_TEST

START_TEST(placed_once)
{
    ck_assert_int_eq(output_put_file("one", "first", 5), PILGRIM_OK);
    ck_assert_int_eq(output_put_file("one", "second", 6), PILGRIM_IO);
    ck_assert_int_eq(errno, EEXIST);
    check_content("one", "first");
    ck_assert_int_eq(output_put_file("absent/one", "x", 1), PILGRIM_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

static void check_folder(const char *path, uint64_t run, const char *expected, bool first)
{
    struct bytes name = {0};
    bool was_first;
    ck_assert_int_eq(output_folder(path, run, &name, &was_first), PILGRIM_OK);
    ck_assert_str_eq((const char *)name.data, expected);
    ck_assert_int_eq(was_first, first);
    bytes_free(&name);
}

static void remove_folder(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/run", name);
    unlink(path);
    ck_assert_int_eq(rmdir(name), 0); /* so nothing else was left in it */
}

/* One folder for each run, one process of it is the first; a name that is taken, by whatever, gets a number. */
START_TEST(folders)
{
    check_folder("app.pilgrim", 1, "app.pilgrim.fragments", true);
    check_folder("app.pilgrim", 1, "app.pilgrim.fragments", false);
    check_folder("app.pilgrim", UINT64_MAX, "app.1.pilgrim.fragments", true);
    check_folder("app.pilgrim", 0, "app.2.pilgrim.fragments", true);
    check_folder("app.pilgrim", 1, "app.pilgrim.fragments", false);
    check_folder("app.pilgrim", UINT64_MAX, "app.1.pilgrim.fragments", false);
    ck_assert_int_eq(output_put_file("plain.fragments", "a file", 6), PILGRIM_OK);
    check_folder("plain", 1, "plain.1.fragments", true);
    ck_assert_int_eq(mkdir("odd.fragments", 0777), 0);
    ck_assert_int_eq(output_put_file("odd.fragments/run", "", 0), PILGRIM_OK);
    check_folder("odd", 1, "odd.1.fragments", true);
    struct bytes name = {0};
    bool first;
    ck_assert_int_eq(output_folder("absent/app", 1, &name, &first), PILGRIM_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_str_eq((const char *)name.data, "absent/app.fragments");
    bytes_free(&name);
    static const char *const made[] = {"app.pilgrim.fragments", "app.1.pilgrim.fragments", "app.2.pilgrim.fragments",
                                       "plain.1.fragments",     "odd.fragments",           "odd.1.fragments"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        remove_folder(made[i]);
}
END_TEST

/* Processes of two runs at once: two folders, and one first process in each. */
START_TEST(folders_at_once)
{
    enum { PROCESSES = 16 };
    unsigned firsts[2] = {0};
    char names[2][64] = {{0}};
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (!fork()) {
            struct bytes name = {0};
            bool first = false;
            char line[64] = {(char)i};
            if (output_folder("app.pilgrim", i % 2, &name, &first) == PILGRIM_OK)
                snprintf(line + 1, sizeof line - 1, "%d%s", first, (const char *)name.data);
            _exit(write(ends[1], line, sizeof line) != sizeof line);
        }
    for (unsigned i = 0; i < PROCESSES; i++) {
        char line[64];
        int status;
        ck_assert_int_eq(read(ends[0], line, sizeof line), sizeof line);
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
        unsigned run = (unsigned)line[0] % 2;
        firsts[run] += line[1] == '1';
        if (!*names[run])
            snprintf(names[run], sizeof names[run], "%s", line + 2);
        ck_assert_str_eq(names[run], line + 2);
    }
    ck_assert_uint_eq(firsts[0], 1);
    ck_assert_uint_eq(firsts[1], 1);
    ck_assert_str_ne(names[0], names[1]);
    remove_folder("app.pilgrim.fragments");
    remove_folder("app.1.pilgrim.fragments");
}
END_TEST

START_TEST(in_pieces)
{
    struct trace_output o;
    struct bytes written = {0};
    ck_assert_int_eq(output_begin(&o, "t.pilgrim"), PILGRIM_OK);
    ck_assert_int_eq(output_append(&o, "first", 5), PILGRIM_OK);
    ck_assert_int_ne(access("t.pilgrim", F_OK), 0);
    ck_assert_int_eq(output_write("t.pilgrim", "other", 5, &written), PILGRIM_OK);
    written.length = 0;
    ck_assert_int_eq(output_append(&o, "second", 6), PILGRIM_OK);
    ck_assert_uint_eq(o.length, 11);
    ck_assert_int_eq(output_end(&o, &written), PILGRIM_OK);
    ck_assert_str_eq((const char *)written.data, "t.1.pilgrim");
    output_cancel(&o); /* nothing is left to be cancelled */
    ck_assert_int_eq(count_files(), 2);
    struct stat found;
    ck_assert_int_eq(stat("t.1.pilgrim", &found), 0);
    ck_assert_int_eq(found.st_size, 11);
    bytes_free(&written);
}
END_TEST

/* Others write into the file meanwhile, and what they say that they wrote must be there. */
START_TEST(shared)
{
    struct trace_output o;
    struct bytes path = {0}, written = {0};
    ck_assert_int_eq(output_begin(&o, "t.pilgrim"), PILGRIM_OK);
    ck_assert_int_eq(output_append(&o, "first", 5), PILGRIM_OK);
    ck_assert_int_eq(output_share(&o, &path), PILGRIM_OK);
    ck_assert_int_eq(path.data[0], '/');
    int file = open((const char *)path.data, O_WRONLY);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pwrite(file, "others", 6, 5), 6);
    close(file);
    ck_assert_int_eq(output_take_over(&o, 6), PILGRIM_OK);
    ck_assert_int_eq(output_append(&o, "end", 3), PILGRIM_OK);
    ck_assert_uint_eq(o.length, 14);
    ck_assert_int_eq(output_end(&o, &written), PILGRIM_OK);
    char content[32] = "";
    file = open("t.pilgrim", O_RDONLY);
    ck_assert_int_eq(read(file, content, sizeof content - 1), 14);
    close(file);
    ck_assert_str_eq(content, "firstothersend");
    ck_assert_int_eq(count_files(), 1);
    ck_assert_int_eq(output_begin(&o, "t.pilgrim"), PILGRIM_OK);
    ck_assert_int_eq(output_append(&o, "first", 5), PILGRIM_OK);
    ck_assert_int_eq(output_take_over(&o, 1), PILGRIM_IO);
    ck_assert_int_eq(errno, EIO);
    output_cancel(&o);
    ck_assert_int_eq(count_files(), 1);
    bytes_free(&path);
    bytes_free(&written);
}
END_TEST

START_TEST(cancelled)
{
    struct trace_output o;
    ck_assert_int_eq(output_begin(&o, "t.pilgrim"), PILGRIM_OK);
    ck_assert_int_eq(output_append(&o, "first", 5), PILGRIM_OK);
    errno = ENOSPC;
    output_cancel(&o);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_eq(count_files(), 0);
    ck_assert_int_eq(output_begin(&o, "missing/t.pilgrim"), PILGRIM_IO);
    ck_assert_str_eq((const char *)o.path.data, "missing/t.pilgrim");
    output_cancel(&o);
}
END_TEST

START_TEST(folders_are_removed)
{
    struct bytes path = {0};
    bool first;
    ck_assert_int_eq(output_folder("t", 7, &path, &first), PILGRIM_OK);
    ck_assert_int_eq(output_put_file("t.fragments/0.fragment", "x", 1), PILGRIM_OK);
    output_folder_remove("t.fragments");
    ck_assert_int_eq(access("t.fragments/run", F_OK), 0);
    ck_assert_int_eq(unlink("t.fragments/0.fragment"), 0);
    output_folder_remove("t.fragments");
    ck_assert_int_eq(count_files(), 0);
    output_folder_remove("t.fragments");
    bytes_free(&path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("output");
    TCase *paths = tcase_create("paths");
    tcase_add_test(paths, expansion);
    tcase_add_test(paths, job);
    suite_add_tcase(suite, paths);
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, nothing_is_replaced);
    tcase_add_test(files, mode_follows_umask);
    tcase_add_test(files, failures_leave_nothing);
    tcase_add_test(files, writers_at_once);
    tcase_add_test(files, placed_once);
    tcase_add_test(files, folders);
    tcase_add_test(files, folders_at_once);
    tcase_add_test(files, in_pieces);
    tcase_add_test(files, shared);
    tcase_add_test(files, cancelled);
    tcase_add_test(files, folders_are_removed);
    suite_add_tcase(suite, files);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
