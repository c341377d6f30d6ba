/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-waits: where ranks waited, and for whom; see pilgrim-waits(1). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pilgrim/reader.h>

#include "../../decoder/decode_errors.h"
#include "waits_report.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2, ROWS = 20 };

static const char usage[] =
    "usage: pilgrim-waits [--format=text|json|csv] [--by=loop] [--limit=N] [--each] [--modules=FOLDERS] TRACE\n";

static const char help[] =
    "\n"
    "Prints where the ranks of a Pilgrim trace waited for each other, what that is due to, and the critical path. Of "
    "a\n"
    "profile (PILGRIM_TIMING=aggregate), how long calls waited at most.\n"
    "\n"
    "  --format=text|json|csv  a table for people (the default), one JSON object a line, or comma-separated values\n"
    "  --by=loop               by loop instead: the wait of an iteration, how it grows, the worst iterations\n"
    "  --limit=N               lines of the table at most; 20 if not given\n"
    "  --each                  each wait as well (JSON only)\n"
    "  --modules=FOLDERS       folders to search first for the program and its libraries, for source lines\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all printed; 1 the trace is damaged or cannot be read, it has no times, or the output "
    "cannot\n"
    "be written; 2 wrong use.\n";

static int failed(const char *what, const char *why)
{
    complain("%s: %s", what, why);
    return EXIT_DAMAGED;
}

static int print_trace(const char *path, const struct pilgrim_trace *trace, const struct pilgrim_error *opened,
                       struct report *r, const char *modules)
{
    struct pilgrim_error error;
    const char *why = NULL;
    int result = 0;
    if ((r->each || r->by_loop) && waits_is_profile(trace))
        return failed(path, "it has a profile (PILGRIM_TIMING=aggregate), which does not say what single calls did; "
                            "run the program again with PILGRIM_TIMING=exact");
    r->lines = source_lines_new(path, modules);
    if (r->lines) {
        source_lines_ran_in(r->lines, pilgrim_property(trace, "folder"));
        source_lines_use_trace(r->lines, trace, pilgrim_frame_function);
    }
    const enum pilgrim_status status = waits_of_trace(r, trace, &why, &error);
    out_flush(r->o);
    if (why)
        result = failed(path, why);
    else if (status != PILGRIM_OK || opened->status != PILGRIM_OK)
        result = failed(path, status != PILGRIM_OK ? error.message : opened->message);
    if (r->o->error && r->o->error != EPIPE)
        result = failed("cannot write the output, which is incomplete", strerror(r->o->error));
    source_lines_free(r->lines);
    return result;
}

static int wrong_use(const char *why)
{
    fprintf(stderr, "pilgrim-waits: %s\n%s", why, usage);
    return EXIT_USAGE;
}

static bool parse_format(const char *text, enum report_format *format)
{
    static const char *const names[] = {"text", "json", "csv"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *format = (enum report_format)i;
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    static struct output out = {.descriptor = 1};
    static const struct option options[] = {
        {"format", required_argument, NULL, 'f'},  {"limit", required_argument, NULL, 'n'},
        {"modules", required_argument, NULL, 'm'}, {"each", no_argument, NULL, 'e'},
        {"by", required_argument, NULL, 'b'},      {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},       {0}};
    struct report report = {.o = &out, .limit = ROWS};
    struct pilgrim_trace *trace;
    struct pilgrim_error opened;
    const char *modules = NULL;
    char *end;
    int option;
    signal(SIGPIPE, SIG_IGN);
    complain_as = "pilgrim-waits";
    while ((option = getopt_long(argc, argv, "hV", options, NULL)) != -1)
        switch (option) {
        case 'f':
            if (!parse_format(optarg, &report.format))
                return wrong_use("--format takes text, json or csv");
            break;
        case 'n':
            report.limit = strtoull(optarg, &end, 10);
            if (*optarg < '0' || *optarg > '9' || *end)
                return wrong_use("--limit takes a number");
            break;
        case 'b':
            if (strcmp(optarg, "loop") != 0)
                return wrong_use("--by takes loop");
            report.by_loop = true;
            break;
        case 'e':
            report.each = true;
            break;
        case 'm':
            modules = optarg;
            break;
        case 'h':
            printf("%s%s", usage, help);
            return 0;
        case 'V':
            puts("pilgrim-waits " PILGRIM_VERSION_TEXT);
            return 0;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    if (report.each && report.format != REPORT_JSON)
        return wrong_use("--each needs --format=json");
    if (optind + 1 != argc)
        return wrong_use(optind == argc ? "no trace is given" : "more than one trace is given");
    const char *path = argv[optind];
    if (pilgrim_open(path, &trace, &opened) != PILGRIM_OK)
        return failed(path, opened.message);
    int result = print_trace(path, trace, &opened, &report, modules);
    pilgrim_close(trace);
    return result;
}
