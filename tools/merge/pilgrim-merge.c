/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-merge: makes the trace from fragment files, the same one that the run would have made; pilgrim-merge(1).
 * Here are its arguments; rank_files.c finds the files, merge_segments.c merges them.
 *
 * Exit status: 0 the trace is written; 1 it is not; 2 wrong use. */
#define _GNU_SOURCE 1 /* strndup */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_symbols.h"
#include "format/run_folder.h"
#include "format/trace_output.h"
#include "join_traces.h"
#include "merge_job.h"
#include "merge_message.h"
#include "pilgrim/version.h"

enum { EXIT_USAGE = 2 };

static const char usage[] = "usage: pilgrim-merge [-o TRACE] [--modules=FOLDERS] FOLDER|FILE...\n";

static const char help[] =
    "\n"
    "Makes a trace of what a run has left that did not write one: fragment files, and journals of processes that "
    "died.\n"
    "\n"
    "    pilgrim-merge app.pilgrim.fragments\n"
    "    pilgrim-merge -o all.pilgrim app.pilgrim app.1.pilgrim\n"
    "\n"
    "The second form makes one trace of those of processes that only have sessions.\n"
    "\n"
    "  -o, --output=TRACE  the path of the trace; default: that of the folder, without .fragments\n"
    "  --modules=FOLDERS   where programs and libraries are, for names of functions; colons between them\n"
    "  -h, --help          this text\n"
    "  -V, --version       the version\n"
    "\n"
    "Exit status: 0 the trace is written, 1 it is not, 2 wrong use. It never overwrites a file.\n";

/* Returns the path of the trace if no option gives it: the folder's name without the suffix, or else the last part of
 * the name that the run would have used. The caller frees it. */
static char *default_path(const struct job *job, const char *argument)
{
    size_t length = strlen(argument);
    while (length > 1 && argument[length - 1] == '/')
        length--;
    char *path = strndup(argument, length);
    if (path && has_suffix(path, RUN_FOLDER_SUFFIX)) {
        path[length - strlen(RUN_FOLDER_SUFFIX)] = 0;
        return path;
    }
    const char *slash = strrchr(job->head.trace, '/');
    free(path);
    return strdup(slash ? slash + 1 : job->head.trace);
}

static bool run(struct job *job, char **arguments, const char *output, const char *modules)
{
    bool good = true;
    if (is_trace(arguments[0]))
        return join_traces(arguments, output ? output : arguments[0]);
    for (char **argument = arguments; good && *argument; argument++)
        good = job_add(job, *argument);
    if (!good || !job_prepare(job))
        return false;
    char *path = output ? strdup(output) : default_path(job, arguments[0]);
    if (path)
        file_symbols_use(modules, job_folder(job));
    good = path ? job_write(job, path) : fail_status(arguments[0], PILGRIM_NOMEM);
    free(path);
    return good;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'}, {"modules", required_argument, NULL, 'm'},
        {"partial", no_argument, NULL, 'p'},      {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},      {NULL, 0, NULL, 0}};
    const char *output = NULL, *modules = NULL;
    for (int option; (option = getopt_long(argc, argv, "o:hV", options, NULL)) != -1;)
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'm':
            modules = optarg;
            break;
        case 'p':
            break; /* it is what happens in any case */
        case 'h':
            printf("%s%s", usage, help);
            return EXIT_SUCCESS;
        case 'V':
            puts("pilgrim-merge " PILGRIM_VERSION_TEXT);
            return EXIT_SUCCESS;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    if (optind == argc || (output && !*output)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    struct job job = {0};
    bool good = run(&job, argv + optind, output, modules);
    job_free(&job);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
