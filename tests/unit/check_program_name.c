/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of programs: a Python program is called after its script or module, whatever options stand before it. */
#include "process/program_name.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Each has the arguments with '|' between. */
static const struct {
    const char *arguments, *name; /* name NULL: it has none */
} commands[] = {
    {"python3|app.py", "app"},
    {"python3|/a/b/app.py|x.py", "app"},
    {"python3|app", "app"},
    {"python3|a.py.py", "a.py"},
    {"python3|folder/", "folder"},
    {"python3|-u|app.py", "app"},
    {"python3|-uB|app.py", "app"},
    {"python3|-W|ignore|app.py", "app"},
    {"python3|-Wignore|app.py", "app"},
    {"python3|-X|dev|-O|app.py", "app"},
    {"python3|-uX|dev|app.py", "app"},
    {"python3|--check-hash-based-pycs|never|app.py", "app"},
    {"python3|-m|pack.module|app.py", "pack.module"},
    {"python3|-mmodule", "module"},
    {"python3|-um|module", "module"},
    {"python3|-m|mpi4py|app.py|-m|other", "app"},
    {"python3|-mmpi4py.run|-rc|threads=0|app.py", "app"},
    {"python3|-m|mpi4py|-rc=threads=0|app.py", "app"},
    {"python3|-m|mpi4py|-m|module", "module"},
    {"python3|-m|mpi4py.futures|app.py", "app"},
    {"python3|-m|mpi4py.bench|ring", "mpi4py.bench"},
    {"python3|-c|pass|app.py", NULL},
    {"python3|-m|mpi4py|-c|pass", NULL},
    {"python3|-|app.py", NULL},
    {"python3|-m", NULL},
    {"python3|-X", NULL},
    {"python3|-m|mpi4py", NULL},
    {"python3|", NULL},
    {"python3|.py", NULL},
    {"python3|..", NULL},
    {"python3|/", NULL},
    {"python3", NULL},
    {"", NULL},
};

static bool find(const char *program, const char *text, size_t cut, char *name, size_t size)
{
    char arguments[256];
    size_t length = strlen(text) + 1;
    memcpy(arguments, text, length);
    for (char *c = arguments; (c = strchr(c, '|')); c++)
        *c = 0;
    return program_name_of_script(program, arguments, length - cut, name, size);
}

START_TEST(scripts)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char name[64] = "";
        ck_assert_msg(find("python3.11", commands[i].arguments, 0, name, sizeof name) == (commands[i].name != NULL),
                      "%s", commands[i].arguments);
        ck_assert_msg(!commands[i].name || strcmp(name, commands[i].name) == 0, "%s: %s", commands[i].arguments, name);
        ck_assert(!find("app", commands[i].arguments, 0, name, sizeof name));
    }
}
END_TEST

/* The kernel shows as much as fits: of an argument without an end nothing is known. */
START_TEST(cut_off)
{
    char name[5];
    ck_assert(!find("python3", "python3|app.py", 1, name, sizeof name));
    ck_assert(find("python3", "python3|abcd.py", 0, name, sizeof name));
    ck_assert(!find("python3", "python3|abcde.py", 0, name, sizeof name));
}
END_TEST

/* This program is none of Python's. */
START_TEST(own_name)
{
    ck_assert_str_eq(program_name(), "check_program_name");
    ck_assert_ptr_eq(program_name(), program_name());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("program_name");
    TCase *names = tcase_create("names");
    tcase_add_test(names, scripts);
    tcase_add_test(names, cut_off);
    tcase_add_test(names, own_name);
    suite_add_tcase(suite, names);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
