/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder that the processes of a run share: one for each run, none that another user could change, nothing left
 * behind. */
#include "format/run_folder.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "format/trace_output.h"

enum { OTHER_USER = 65534 };

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
        if (e->d_name[0] != '.' && unlinkat(dirfd(d), e->d_name, 0))
            ck_assert_int_eq(unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR), 0);
    closedir(d);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* TOLD: the number that the process was told. Returns that of its folder. */
static uint32_t check_told(const char *path, uint64_t run, uint32_t told, const char *expected, bool first)
{
    struct bytes name = {0};
    uint32_t number = told;
    bool was_first;
    ck_assert_int_eq(run_folder_make(path, run, false, &number, &name, &was_first), PILGRIM_OK);
    ck_assert_str_eq((const char *)name.data, expected);
    ck_assert_int_eq(was_first, first);
    bytes_free(&name);
    return number;
}

static void check_folder(const char *path, uint64_t run, const char *expected, bool first)
{
    check_told(path, run, RUN_FOLDER_ANY, expected, first);
}

static void remove_folder(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/run", name);
    unlink(path);
    ck_assert_int_eq(rmdir(name), 0); /* so nothing else was left in it */
}

static void check_begun(uint64_t run, const char *expected)
{
    struct bytes name = {0};
    uint32_t number = RUN_FOLDER_ANY;
    bool first;
    ck_assert_int_eq(run_folder_make("app.pilgrim", run, true, &number, &name, &first), PILGRIM_OK);
    ck_assert_str_eq((const char *)name.data, expected);
    ck_assert(first);
    bytes_free(&name);
}

/* Folders of other runs are not tried one by one: a run begins with the first number that nothing has. */
START_TEST(many_runs)
{
    enum { RUNS = 30 };
    char path[64];
    for (unsigned i = 0; i < RUNS; i++) {
        snprintf(path, sizeof path, i ? "app.%u.pilgrim.fragments" : "app.pilgrim.fragments", i);
        check_begun(i + 1, path);
    }
    remove_folder("app.12.pilgrim.fragments");
    check_begun(RUNS + 1, "app.12.pilgrim.fragments");
    check_begun(RUNS + 2, "app.30.pilgrim.fragments");
    for (unsigned i = 0; i <= RUNS; i++) {
        snprintf(path, sizeof path, i ? "app.%u.pilgrim.fragments" : "app.pilgrim.fragments", i);
        remove_folder(path);
    }
}
END_TEST

/* One folder for each run, one process of it is the first; a name that is taken, by whatever, gets a number. */
START_TEST(folders)
{
    check_folder("app.pilgrim", 1, "app.pilgrim.fragments", true);
    check_folder("app.pilgrim", 1, "app.pilgrim.fragments", false);
    check_folder("app.pilgrim", UINT64_MAX, "app.1.pilgrim.fragments", true);
    check_folder("app.pilgrim", 0, "app.2.pilgrim.fragments", true);
    check_folder("app.pilgrim", 1, "app.pilgrim.fragments", false);
    check_folder("app.pilgrim", UINT64_MAX, "app.1.pilgrim.fragments", false);
    ck_assert_int_eq(output_put_file(AT_FDCWD, "plain.fragments", "a file", 6), PILGRIM_OK);
    check_folder("plain", 1, "plain.1.fragments", true);
    ck_assert_int_eq(mkdir("odd.fragments", 0777), 0);
    ck_assert_int_eq(output_put_file(AT_FDCWD, "odd.fragments/run", "", 0), PILGRIM_OK);
    check_folder("odd", 1, "odd.1.fragments", true);
    struct bytes name = {0};
    uint32_t number = RUN_FOLDER_ANY;
    bool first;
    ck_assert_int_eq(run_folder_make("absent/app", 1, false, &number, &name, &first), PILGRIM_IO);
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
            uint32_t number = RUN_FOLDER_ANY;
            bool first = false;
            char line[64] = {(char)i};
            if (run_folder_make("app.pilgrim", i % 2, false, &number, &name, &first) == PILGRIM_OK)
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

/* A process that was told the number looks there, and takes nothing else for the run's folder. */
START_TEST(told)
{
    ck_assert_int_eq(mkdir("t.fragments", 0700), 0);
    ck_assert_int_eq(output_put_file(AT_FDCWD, "t.fragments/run", "another mark", 12), PILGRIM_OK);
    ck_assert_uint_eq(check_told("t", 1, RUN_FOLDER_ANY, "t.1.fragments", true), 1);
    ck_assert_int_eq(unlink("t.fragments/run"), 0); /* who looks for a folder would take this one */
    ck_assert_uint_eq(check_told("t", 1, 1, "t.1.fragments", false), 1);
    ck_assert_uint_eq(check_told("t", 2, 1, "t.fragments", true), 0); /* it is another run's */
    remove_folder("t.fragments");
    remove_folder("t.1.fragments");
    ck_assert_uint_eq(check_told("t", 1, 1, "t.fragments", true),
                      0); /* it is on a disk that this process does not see */
    remove_folder("t.fragments");
}
END_TEST

START_TEST(folders_are_removed)
{
    struct bytes path = {0};
    uint32_t number = RUN_FOLDER_ANY;
    bool first;
    ck_assert_int_eq(run_folder_make("t", 7, false, &number, &path, &first), PILGRIM_OK);
    ck_assert_int_eq(output_put_file(AT_FDCWD, "t.fragments/0.fragment", "x", 1), PILGRIM_OK);
    ck_assert(!run_folder_remove("t.fragments"));
    ck_assert_int_eq(access("t.fragments/run", F_OK), 0);
    ck_assert_int_eq(unlink("t.fragments/0.fragment"), 0);
    ck_assert_int_eq(output_put_file(AT_FDCWD, "t.fragments/" RUN_FOLDER_SAID, "", 0), PILGRIM_OK);
    ck_assert(run_folder_remove("t.fragments"));
    ck_assert_int_eq(count_files(), 0);
    ck_assert(run_folder_remove("t.fragments"));
    bytes_free(&path);
}
END_TEST

static mode_t mode_of(const char *path)
{
    struct stat found;
    ck_assert_int_eq(stat(path, &found), 0);
    return found.st_mode & 0777;
}

/* Nobody else can read what is in the folder; the process can, however strict the umask is. */
START_TEST(modes)
{
    umask(0);
    check_folder("t", 1, "t.fragments", true);
    ck_assert_uint_eq(mode_of("t.fragments"), 0700);
    ck_assert_uint_eq(mode_of("t.fragments/run"), 0600);
    remove_folder("t.fragments");
    umask(0777);
    if (!geteuid())
        ck_assert_int_eq(chmod(folder, 0777) | seteuid(OTHER_USER), 0);
    check_folder("t", 1, "t.fragments", true);
    check_folder("t", 1, "t.fragments", false);
    if (!getuid())
        ck_assert_int_eq(seteuid(0), 0);
    remove_folder("t.fragments");
}
END_TEST

/* An empty folder is taken if it is the user's own and nobody else can write to it. */
START_TEST(others_folders)
{
    umask(0);
    ck_assert_int_eq(mkdir("t.fragments", 0755), 0);
    check_folder("t", 1, "t.fragments", true);
    remove_folder("t.fragments");
    ck_assert_int_eq(mkdir("t.fragments", 0775), 0);
    ck_assert_int_eq(mkdir("t.1.fragments", 0702), 0);
    ck_assert_int_eq(mkdir("folder", 0755), 0);
    ck_assert_int_eq(symlink("folder", "t.2.fragments"), 0);
    ck_assert_int_eq(symlink("absent", "t.3.fragments"), 0);
    ck_assert_int_eq(mkdir("t.4.fragments", 0755), 0);
    ck_assert_int_eq(mkfifo("t.4.fragments/run", 0600), 0);
    ck_assert_int_eq(mkdir("t.5.fragments", 0755), 0);
    if (geteuid()) {
        ck_assert_int_eq(rmdir("t.5.fragments"), 0);
        check_folder("t", 1, "t.5.fragments", true);
        check_folder("t", 1, "t.5.fragments", false);
        remove_folder("t.5.fragments");
    } else {
        ck_assert_int_eq(chown("t.5.fragments", OTHER_USER, 0), 0);
        check_folder("t", 1, "t.6.fragments", true);
        check_folder("t", 1, "t.6.fragments", false);
        remove_folder("t.6.fragments");
    }
    ck_assert_int_eq(unlink("t.4.fragments/run"), 0);
}
END_TEST

static int naps_left; /* so many before the mark comes */
static int naps;      /* so many were made */

/* In place of the C library's: nobody waits in vain. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    naps++;
    if (naps_left > 0 && --naps_left == 0)
        ck_assert_int_eq(rename("mark", "t.fragments/run"), 0);
    return 0;
}

/* On a file system where folders are nobody's, all processes of a run still meet: the mark shows whose folder it is. */
START_TEST(marked_folder_of_nobody)
{
    if (geteuid())
        return;
    check_folder("t", 1, "t.fragments", true);
    ck_assert_int_eq(chown("t.fragments", OTHER_USER, 0) | chmod("t.fragments", 0777), 0);
    check_folder("t", 1, "t.fragments", false);
    check_folder("t", 2, "t.1.fragments", true);
    ck_assert_int_eq(rename("t.fragments/run", "mark"), 0);
    naps_left = 3;
    check_folder("t", 1, "t.fragments", false); /* waits for the mark */
    ck_assert_int_eq(naps_left, 0);
    remove_folder("t.fragments");
    remove_folder("t.1.fragments");
}
END_TEST

/* Many empty folders of another user, where the run's would be, hold a process up for no longer than two would. */
START_TEST(many_folders_of_another)
{
    enum { FOLDERS = 300, NAPS_MOST = 100 };
    char name[32] = "t.fragments";
    if (geteuid())
        return;
    for (int i = 0; i < FOLDERS; snprintf(name, sizeof name, "t.%d.fragments", ++i)) {
        ck_assert_int_eq(mkdir(name, 0755), 0);
        ck_assert_int_eq(chown(name, OTHER_USER, 0), 0);
    }
    naps = 0;
    check_folder("t", 1, name, true);
    ck_assert_int_gt(naps, 0);
    ck_assert_int_le(naps, NAPS_MOST);
    remove_folder(name);
}
END_TEST

START_TEST(open_again)
{
    check_folder("t", 1, "t.fragments", true);
    int in = run_folder_open("t.fragments", 1);
    ck_assert_int_ge(in, 0);
    close(in);
    ck_assert_int_eq(run_folder_open("t.fragments", 2), -1);
    ck_assert_int_eq(errno, ESTALE);
    ck_assert_int_eq(rename("t.fragments", "moved") | symlink("moved", "t.fragments"), 0);
    ck_assert_int_eq(run_folder_open("t.fragments", 1), -1);
    ck_assert_int_eq(unlink("t.fragments"), 0);
    ck_assert_int_eq(run_folder_open("t.fragments", 1), -1);
    ck_assert_int_eq(errno, ENOENT);
    remove_folder("moved");
}
END_TEST

/* Check itself writes to a file, so nothing is asserted meanwhile. */
static void limit(rlim_t bytes)
{
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}))
        abort();
}

/* There is no room for the mark: no empty folder is left. */
START_TEST(full_disk)
{
    struct bytes name = {0};
    uint32_t number = RUN_FOLDER_ANY;
    bool first;
    limit(0);
    enum pilgrim_status status = run_folder_make("t", 1, false, &number, &name, &first);
    int problem = errno;
    limit(RLIM_INFINITY);
    ck_assert_int_eq(status, PILGRIM_IO);
    ck_assert_int_eq(problem, EFBIG);
    ck_assert_int_eq(count_files(), 0);
    bytes_free(&name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run_folder");
    TCase *tests = tcase_create("run_folder");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, folders);
    tcase_add_test(tests, many_runs);
    tcase_add_test(tests, folders_at_once);
    tcase_add_test(tests, told);
    tcase_add_test(tests, folders_are_removed);
    tcase_add_test(tests, modes);
    tcase_add_test(tests, others_folders);
    tcase_add_test(tests, marked_folder_of_nobody);
    tcase_add_test(tests, many_folders_of_another);
    tcase_add_test(tests, open_again);
    tcase_add_test(tests, full_disk);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
