/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a journal stays open for more blocks, and nothing else is taken for it: no file that has got the number
 * of its descriptor, or its name, or that another process hands over. Each test needs a process of its own. */
#include "journal/journal_file.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spare_files.h"
#include "journal/journal_mappings.h"

enum { RUN = 7, PAGES = 3 };

static const struct journal_identity identity = {.run = RUN, .tracer = "test", .host = "host"};

static char folder[64], path[96];
static struct journal_file f;

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/check_journal_file.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.journal", folder);
    spare_files_begin();
    ck_assert_int_eq(journal_open(&f, path, &identity), PILGRIM_OK);
    journal_settle(&f);
    ck_assert_int_ge(f.file, 0);
}

static void teardown(void)
{
    free(f.path);
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static off_t length_of(const char *name)
{
    struct stat found;
    return stat(name, &found) ? -1 : found.st_size;
}

/* Claims a block, which must be in the file with the name NAME. */
static void claim(const char *name)
{
    struct journal_block *b = journal_claim(&f, JOURNAL_LOG, 0, PAGES), stored;
    ck_assert_ptr_nonnull(b);
    int file = open(name, O_RDONLY);
    ck_assert_int_eq(pread(file, &stored, sizeof stored, (off_t)(b->page * JOURNAL_PAGE)), sizeof stored);
    close(file);
    ck_assert_int_eq(memcmp(stored.magic, JOURNAL_BLOCK_MAGIC, sizeof stored.magic), 0);
    ck_assert_uint_eq(stored.page, b->page);
    ck_assert_int_eq(length_of(name), (off_t)((b->page + PAGES) * JOURNAL_PAGE));
    journal_unmap(b);
}

/* No name is looked up: the file has another one meanwhile. */
START_TEST(stays_open)
{
    char other[128];
    snprintf(other, sizeof other, "%s/other", folder);
    claim(path);
    ck_assert_int_eq(rename(path, other), 0);
    claim(other);
    ck_assert_int_eq(rename(other, path), 0);
}
END_TEST

/* The program closes it, and then has a file of its own in its place. */
START_TEST(closed_by_the_program)
{
    char own[128];
    snprintf(own, sizeof own, "%s/own", folder);
    close(f.file);
    claim(path);
    int file = open(own, O_RDWR | O_CREAT, 0600);
    ck_assert_int_eq(dup2(file, f.file), f.file);
    claim(path);
    ck_assert_int_eq(length_of(own), 0);
    int number = f.file;
    ck_assert(journal_leave(&f));
    ck_assert_int_ge(fcntl(number, F_GETFD), 0); /* it is not closed */
    ck_assert_int_eq(unlink(own), 0);
}
END_TEST

/* What is stored in a file that has no name any more would be lost. */
START_TEST(removed)
{
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_ptr_null(journal_claim(&f, JOURNAL_LOG, 0, PAGES));
    int file = open(path, O_RDWR | O_CREAT, 0600); /* another file now */
    ck_assert_ptr_null(journal_claim(&f, JOURNAL_LOG, 0, PAGES));
    ck_assert_int_eq(length_of(path), 0);
    close(file);
}
END_TEST

/* A descriptor from another process is as good as the name, if it is of this run's file. */
START_TEST(handed_over)
{
    struct journal_file g;
    const struct journal_identity another = {.run = RUN + 1, .tracer = "test", .host = "host"};
    int file = dup(f.file);
    ck_assert_int_eq(journal_open_shared(&g, path, file, &another), PILGRIM_IO);
    ck_assert_int_eq(errno, EEXIST);
    ck_assert_int_eq(fcntl(file, F_GETFD), -1);
    ck_assert_int_eq(journal_open_shared(&g, path, dup(f.file), &identity), PILGRIM_OK);
    struct journal_block *a = journal_claim(&g, JOURNAL_LOG, 0, PAGES), *b = journal_claim(&f, JOURNAL_LOG, 0, PAGES);
    ck_assert(a && b);
    ck_assert_uint_eq(b->page, a->page + PAGES);
    ck_assert(!journal_leave(&g));
    free(g.path);
    ck_assert(journal_leave(&f));
    file = open(path, O_RDWR);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(journal_open_shared(&g, path, file, &identity), PILGRIM_IO); /* it would be lost */
}
END_TEST

START_TEST(closed_at_the_end)
{
    int number = f.file;
    ck_assert(journal_leave(&f));
    ck_assert_int_eq(fcntl(number, F_GETFD), -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal_file");
    TCase *tests = tcase_create("journal_file");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, stays_open);
    tcase_add_test(tests, closed_by_the_program);
    tcase_add_test(tests, removed);
    tcase_add_test(tests, handed_over);
    tcase_add_test(tests, closed_at_the_end);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
