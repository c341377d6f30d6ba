/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-run: starts a program with libpilgrim.so preloaded.
 *
 * It stands between the launcher and the program (mpiexec -n 4 pilgrim-run ./app), so that the library is preloaded
 * into the program and not into the launcher. It looks for the library beside this executable (a build folder), then in
 * ../lib of its folder (an installation, wherever it was moved), then where configure said. What LD_PRELOAD had stays
 * in it, after the library. Runtimes of sanitizers go first of all, because they insist on it. Nothing of pilgrim-run
 * is left after exec: the exit status is the program's. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "earlier_runs.h"
#include "base/printable.h"
#include "obstacle.h"
#include "process/launcher.h"
#include "program_file.h"
#include "sanitizers.h"
#include "pilgrim/version.h"

enum { EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

static const char usage[] = "usage: pilgrim-run [-o PATH] PROGRAM [ARGUMENTS...]\n";

static const char help[] = "Starts PROGRAM with Pilgrim's library preloaded, so that its MPI calls are traced.\n"
                           "\n"
                           "    mpiexec -n 4 pilgrim-run ./app arguments\n"
                           "\n"
                           "  -o, --output=PATH  the path of the trace (PILGRIM_TRACE); %p program, %j job id,\n"
                           "                     %A and %a id of the job array and task, %t time\n"
                           "  -h, --help         this text\n"
                           "  -V, --version      the version\n"
                           "\n"
                           "Exit status: that of PROGRAM; 127 not found, 126 not executable, 2 wrong use.\n"
                           "Settings are environment variables: see pilgrim-run(1).\n";

/* Writes FOLDER/FILE to PATH. Returns false if it is too long or not readable. */
static int path_readable(char path[PATH_MAX], const char *folder, const char *file)
{
    const int length = snprintf(path, PATH_MAX, "%s/%s", folder, file);

    return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

/* Finds libpilgrim.so. Returns false if it is nowhere. */
static int library_find(char path[PATH_MAX])
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = NULL;

    if (length > 0) {
        self[length] = '\0';
        slash = strrchr(self, '/');
    }
    if (slash != NULL) {
        *slash = '\0';
        if (path_readable(path, self, "libpilgrim.so") || path_readable(path, self, "../lib/libpilgrim.so"))
            return 1;
    }
    return path_readable(path, PILGRIM_LIBDIR, "libpilgrim.so");
}

/* The value of LD_PRELOAD while it is put together. */
struct preload {
    char *value;
    const char *others; /* what LD_PRELOAD had */
    bool failed;        /* memory is short */
};

static void preload_add(struct preload *p, const char *library, size_t length)
{
    const size_t before = p->value != NULL ? strlen(p->value) : 0;
    char *const value = p->failed ? NULL : realloc(p->value, before + length + 2);

    if (value == NULL) {
        p->failed = true;
        return;
    }
    p->value = value;
    snprintf(value + before, length + 2, "%s%.*s", before > 0 ? ":" : "", (int)length, library);
}

/* Adds those of the other libraries that are runtimes of sanitizers, or those that are not. */
static void preload_add_others(struct preload *p, bool runtimes)
{
    for (const char *at = p->others; *at != '\0';) {
        const size_t length = strcspn(at, " :");

        if (length > 0 && sanitizer_runtime(at, length) == runtimes)
            preload_add(p, at, length);
        at += length + (at[length] != '\0');
    }
}

/* Adds the runtime NAME, unless it is there already, with or without a folder. */
static void preload_add_runtime(void *context, const char *name)
{
    struct preload *p = context;

    for (const char *at = p->value; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":"), wanted = strlen(name);

        if (length >= wanted && !strncmp(at + length - wanted, name, wanted) &&
            (length == wanted || at[length - wanted - 1] == '/'))
            return;
        at += length + (at[length] != '\0');
    }
    preload_add(p, name, strlen(name));
}

/* Puts LIBRARY before what LD_PRELOAD has, but behind runtimes of sanitizers: those that LD_PRELOAD has and those that
 * PROGRAM is linked with (NULL: it is not known). Returns false if memory is short. */
static bool preload_set(const char *library, const struct program_file *program)
{
    const char *others = getenv("LD_PRELOAD");
    struct preload p = {.others = others != NULL ? others : ""};
    bool good;

    preload_add_others(&p, true);
    if (program != NULL)
        sanitizers_of(program, preload_add_runtime, &p);
    preload_add(&p, library, strlen(library));
    preload_add_others(&p, false);
    good = !p.failed && setenv("LD_PRELOAD", p.value, 1) == 0;
    free(p.value);
    return good;
}

/* Returns NAME as it may be printed; static. */
static const char *shown(const char *name)
{
    static char text[PATH_MAX];
    printable_copy(text, sizeof text, name);
    return text;
}

/* Sets LD_PRELOAD for PROGRAM. The first process of the job says so if that is in vain. Returns false if memory is
 * short. */
static bool prepare(const char *library, const char *program)
{
    struct program_file f;
    const bool known = program_open(&f, program);
    const bool good = preload_set(library, known ? &f : NULL);
    const char *obstacle = known && launcher_is_first() ? obstacle_of(&f) : NULL;

    if (obstacle != NULL)
        fprintf(stderr, "pilgrim-run: %s %s (see pilgrim-run(1))\n", shown(program), obstacle);
    if (known)
        program_close(&f);
    return good;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'V'},
                                            {NULL, 0, NULL, 0}};
    char library[PATH_MAX];
    const char *output = NULL;
    int option;

    while ((option = getopt_long(argc, argv, "+o:hV", options, NULL)) != -1)
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'h':
            printf("%s\n%s", usage, help);
            return EXIT_SUCCESS;
        case 'V':
            puts("pilgrim-run " PILGRIM_VERSION_TEXT);
            return EXIT_SUCCESS;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    if (optind == argc || (output != NULL && *output == '\0')) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (!library_find(library)) {
        fprintf(stderr,
                "pilgrim-run: libpilgrim.so is neither beside pilgrim-run, nor in ../lib of its folder, nor in "
                "%s\n",
                PILGRIM_LIBDIR);
        return EXIT_NOT_FOUND;
    }
    /* The dynamic linker splits LD_PRELOAD at spaces and colons; there is no way to quote them. */
    if (strpbrk(library, " :") != NULL) {
        fprintf(stderr, "pilgrim-run: %s cannot be preloaded: its path has a space or a colon\n", shown(library));
        return EXIT_USAGE;
    }
    if (!prepare(library, argv[optind]) || (output != NULL && setenv("PILGRIM_TRACE", output, 1) != 0)) {
        perror("pilgrim-run");
        return EXIT_NOT_EXECUTABLE;
    }
    if (launcher_is_first())
        earlier_runs_tell(getenv("PILGRIM_TRACE"));
    execvp(argv[optind], &argv[optind]);
    const int reason = errno;
    fprintf(stderr, "pilgrim-run: %s: %s\n", shown(argv[optind]), strerror(reason));
    return reason == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
