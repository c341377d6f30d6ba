/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-waits: where ranks waited, and for whom; see pilgrim-waits(1). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pilgrim/reader.h>

#include "../../decoder/decode_errors.h"
#include "waits_report.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2, ROWS = 20, CRITERION = 256 };

static const char usage[] =
    "usage: pilgrim-waits [--format=text|json|csv] [--by=loop | --path] [--limit=N] [--each] [--pattern=NAMES]\n"
    "                     [--rank=LIST] [--modules=FOLDERS] [OPTION...] TRACE\n";

static const char help[] =
    "\n"
    "Prints where the ranks of a Pilgrim trace waited for each other, what that is due to, and the critical path. Of "
    "a\n"
    "profile (PILGRIM_TIMING=aggregate), how long calls waited at most. And what looks wrong with the program,\n"
    "which needs no times.\n"
    "\n"
    "  --format=text|json|csv  a table for people (the default), one JSON object a line, or comma-separated values\n"
    "  --by=loop               by loop instead: the wait of an iteration, how it grows, the worst iterations\n"
    "  --path                  the critical path instead, all of it\n"
    "  --limit=N               lines of the table at most; 20 if not given\n"
    "  --each                  each wait as well (JSON only)\n"
    "  --modules=FOLDERS       folders to search first for the program and its libraries, for source lines\n"
    "  --help, --version\n"
    "\n"
    "Which waits:\n"
    "  --pattern=NAMES         only these patterns, such as late-sender,wait-at-barrier\n";

static const char help_end[] =
    "\n"
    "Calls here are those that waited. What a wait is due to may be elsewhere.\n"
    "Exit status: 0 all printed; 1 the trace is damaged or cannot be read, it has no times, or the output "
    "cannot\n"
    "be written; 2 wrong use, or no call fits.\n";

struct waits_settings {
    struct report report;
    struct pilgrim_selection *selection;
    bool patterns[WAIT_PATTERNS];
    const char *modules, *path;
};

static int failed(const char *what, const char *why)
{
    complain("%s: %s", what, why);
    return EXIT_DAMAGED;
}

static int print_trace(struct waits_settings *s, const struct pilgrim_trace *trace, const struct pilgrim_error *opened)
{
    struct report *r = &s->report;
    struct pilgrim_error error;
    const char *why = NULL;
    int result = 0;
    if ((r->each || r->by_loop || r->path_only || report_chooses(r)) && waits_is_profile(trace))
        return failed(s->path, "it has a profile (PILGRIM_TIMING=aggregate), which does not say what single calls did; "
                               "run the program again with PILGRIM_TIMING=exact");
    if (s->selection && pilgrim_selection_check(s->selection, trace, &error) != PILGRIM_OK) {
        complain("%s: %s", s->path, error.message);
        return EXIT_USAGE;
    }
    r->lines = source_lines_new(s->path, s->modules);
    if (r->lines) {
        source_lines_ran_in(r->lines, pilgrim_property(trace, "folder"));
        source_lines_use_trace(r->lines, trace, pilgrim_frame_function);
    }
    const enum pilgrim_status status = waits_of_trace(r, trace, &why, &error);
    out_flush(r->o);
    if (why)
        result = failed(s->path, why);
    else if (status == PILGRIM_INVALID && s->selection) {
        complain("%s: %s", s->path, error.message); /* no call fits */
        result = EXIT_USAGE;
    } else if (status != PILGRIM_OK || opened->status != PILGRIM_OK)
        result = failed(s->path, status != PILGRIM_OK ? error.message : opened->message);
    if (r->o->error && r->o->error != EPIPE)
        result = failed("cannot write the output, which is incomplete", strerror(r->o->error));
    source_lines_free(r->lines);
    return result;
}

/* ---- options ---- */

__attribute__((format(printf, 1, 2))) static int wrong_use(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    complain("%s", text);
    fputs(usage, stderr);
    return EXIT_USAGE;
}

static void print_help(void)
{
    printf("%s%s", usage, help);
    for (size_t i = 0; i < SELECT_CRITERIA; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s%s", selection_options[i].name, selection_options[i].argument ? "=" : "",
                 selection_options[i].argument ? selection_options[i].argument : "");
        printf("  --%-21s %s\n", name, selection_options[i].help);
    }
    fputs(help_end, stdout);
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

/* Adds criterion I. Returns 0, or the exit status. */
static int add_criterion(struct waits_settings *s, size_t i, const char *value)
{
    struct pilgrim_error error;
    if (!s->selection && pilgrim_selection_new(&s->selection) != PILGRIM_OK)
        return failed("pilgrim-waits", "not enough memory");
    s->report.selection = s->selection;
    if (pilgrim_selection_add(s->selection, selection_options[i].name, value, &error) == PILGRIM_OK)
        return 0;
    return wrong_use("%s", error.message);
}

static int set_patterns(struct waits_settings *s, const char *text)
{
    const char *wrong;
    char names[640] = "";
    s->report.patterns = s->patterns;
    if (waits_take_patterns(text, s->patterns, &wrong))
        return 0;
    for (int i = 0; i < WAIT_PATTERNS; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", wait_pattern_name((enum wait_pattern)i));
    }
    return wrong_use("--pattern: there is no '%.*s'; patterns are %s", (int)strcspn(wrong, ","), wrong, names);
}

static int take_option(struct waits_settings *s, int option)
{
    char *end;
    switch (option) {
    case 'f':
        return parse_format(optarg, &s->report.format) ? 0 : wrong_use("--format takes text, json or csv");
    case 'n':
        s->report.limit = strtoull(optarg, &end, 10);
        return *optarg < '0' || *optarg > '9' || *end ? wrong_use("--limit takes a number") : 0;
    case 'b':
        s->report.by_loop = true;
        return strcmp(optarg, "loop") != 0 ? wrong_use("--by takes loop") : 0;
    case 'e':
        s->report.each = true;
        return 0;
    case 'p':
        s->report.path_only = true;
        return 0;
    case 't':
        return set_patterns(s, optarg);
    case 'm':
        s->modules = optarg;
        return 0;
    default:
        return add_criterion(s, (size_t)(option - CRITERION), optarg);
    }
}

/* Returns -1: go on; else the exit status. */
static int parse(struct waits_settings *s, int argc, char **argv)
{
    enum { OWN = 9 };
    struct option options[OWN + SELECT_CRITERIA + 1] = {
        {"format", required_argument, NULL, 'f'},  {"limit", required_argument, NULL, 'n'},
        {"modules", required_argument, NULL, 'm'}, {"each", no_argument, NULL, 'e'},
        {"by", required_argument, NULL, 'b'},      {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},       {"path", no_argument, NULL, 'p'},
        {"pattern", required_argument, NULL, 't'}};
    int option, status;
    for (size_t i = 0; i < SELECT_CRITERIA; i++)
        options[OWN + i] =
            (struct option){selection_options[i].name, selection_options[i].argument ? required_argument : no_argument,
                            NULL, CRITERION + (int)i};
    while ((option = getopt_long(argc, argv, "hV", options, NULL)) != -1)
        switch (option) {
        case 'h':
            print_help();
            return 0;
        case 'V':
            puts("pilgrim-waits " PILGRIM_VERSION_TEXT);
            return 0;
        case '?':
            fputs(usage, stderr);
            return EXIT_USAGE;
        default:
            if ((status = take_option(s, option)) != 0)
                return status;
        }
    const struct report *r = &s->report;
    if (r->each && r->format != REPORT_JSON)
        return wrong_use("--each needs --format=json");
    if (r->path_only && (r->by_loop || r->each || report_chooses(r)))
        return wrong_use("--path prints the critical path of the whole run: --by, --each, --pattern and what chooses "
                         "calls do not go with it");
    if (optind + 1 != argc)
        return wrong_use(optind == argc ? "no trace is given" : "more than one trace is given");
    s->path = argv[optind];
    return -1;
}

int main(int argc, char **argv)
{
    static struct output out = {.descriptor = 1};
    struct waits_settings s = {.report = {.o = &out, .limit = ROWS}};
    struct pilgrim_trace *trace;
    struct pilgrim_error opened;
    signal(SIGPIPE, SIG_IGN);
    complain_as = "pilgrim-waits";
    int result = parse(&s, argc, argv);
    if (result < 0) {
        if (pilgrim_open(s.path, &trace, &opened) == PILGRIM_OK) {
            result = print_trace(&s, trace, &opened);
            pilgrim_close(trace);
        } else
            result = failed(s.path, opened.message);
    }
    pilgrim_selection_free(s.selection);
    return result;
}
