/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace's file: numbers behind existing names, nothing overwritten, nothing left behind. */
#include "format/trace_output.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/trace_path.h"

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

static mode_t mode_of(const char *path)
{
    struct stat found;
    ck_assert_int_eq(stat(path, &found), 0);
    return found.st_mode & 0777;
}

/* Others cannot read a file; its owner can, unless the umask says otherwise, but always a working file. */
START_TEST(modes)
{
    umask(0);
    check_write("mode.pilgrim", "x", "mode.pilgrim");
    ck_assert_uint_eq(mode_of("mode.pilgrim"), 0600);
    umask(0277);
    check_write("strict.pilgrim", "x", "strict.pilgrim");
    ck_assert_uint_eq(mode_of("strict.pilgrim"), 0400);
    ck_assert_int_eq(output_put_file(AT_FDCWD, "work", "x", 1), PILGRIM_OK);
    ck_assert_uint_eq(mode_of("work"), 0600);
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
        ck_assert_int_eq(trace_path_number("app.pilgrim", i, &name), PILGRIM_OK);
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
    ck_assert_int_eq(output_put_file(AT_FDCWD, "one", "first", 5), PILGRIM_OK);
    ck_assert_int_eq(output_put_file(AT_FDCWD, "one", "second", 6), PILGRIM_IO);
    ck_assert_int_eq(errno, EEXIST);
    check_content("one", "first");
    ck_assert_int_eq(output_put_file(AT_FDCWD, "absent/one", "x", 1), PILGRIM_IO);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(count_files(), 1);
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

int main(void)
{
    Suite *suite = suite_create("output");
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, nothing_is_replaced);
    tcase_add_test(files, modes);
    tcase_add_test(files, failures_leave_nothing);
    tcase_add_test(files, writers_at_once);
    tcase_add_test(files, placed_once);
    tcase_add_test(files, in_pieces);
    tcase_add_test(files, shared);
    tcase_add_test(files, cancelled);
    suite_add_tcase(suite, files);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
