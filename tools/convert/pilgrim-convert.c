/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-convert: a trace as other tools read it; see pilgrim-convert(1). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "../../decoder/progress.h"
#include "../../decoder/trace_input.h"
#include "analysis/selection.h"
#include "analysis/work_progress.h"
#include "convert_jobs.h"
#include "convert_run.h"
#include "output_place.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2, CRITERION = 256 };

static const struct convert_format *const formats[] = {&convert_arrow, &convert_chrome,   &convert_csv, &convert_goal,
                                                       &convert_otf2,  &convert_perfetto, &convert_ti};
enum { FORMATS = sizeof formats / sizeof *formats };

struct convert_settings {
    const struct convert_format *format;
    struct pilgrim_selection *selection; /* NULL: all calls */
    const char *trace, *output, *modules, *columns;
    bool arguments, force;
    unsigned jobs;
};

static const char usage[] =
    "usage: pilgrim-convert --to=arrow|chrome|csv|goal|otf2|perfetto|ti [options] TRACE [OUT]\n";

static void print_help(void)
{
    printf("%s\nWrites the calls and messages of a Pilgrim trace as other tools read them. OUT is TRACE with another "
           "ending\nif it is not given; - is the standard output.\n\n",
           usage);
    printf("  --to=arrow        a table of calls in Arrow's IPC file format, for Polars, DuckDB, pandas, R\n"
           "  --to=chrome       JSON for chrome://tracing, ui.perfetto.dev, speedscope\n"
           "  --to=csv          a table of calls, for pandas, R, DuckDB, spreadsheets\n"
           "  --to=goal         a schedule of computing and messages, for LogGOPSim\n"
           "  --to=otf2         a folder, an OTF2 archive, for Vampir, Scalasca, TAU\n"
           "  --to=perfetto     for ui.perfetto.dev and trace_processor: less than half of the bytes\n"
           "  --to=ti           a folder of actions, for SimGrid's smpirun -replay\n"
           "  --arguments       all arguments of all calls; else communicator, peer, tag and bytes\n"
           "  --columns=NAMES   with --to=arrow: these columns, such as rank,func,start,end,root\n"
           "  --force           replace OUT if it is there\n"
           "  --jobs=N          so many processes convert, each of them some of the ranks; the output is the same\n"
           "  --modules=FOLDERS folders to search first for the program and its libraries, for source lines\n"
           "  -o, --output=OUT  the same as OUT at the end\n");
    for (size_t i = 0; i < SELECT_CRITERIA; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s%s", selection_options[i].name, selection_options[i].argument ? "=" : "",
                 selection_options[i].argument ? selection_options[i].argument : "");
        printf("  --%-15s %s\n", name, selection_options[i].help);
    }
    printf("  --help, --version\n\n"
           "A trace without times of calls (PILGRIM_TIMING=aggregate) has times drawn from its statistics: the output "
           "says so.\n"
           "Exit status: 0 all written; 1 the trace is damaged or cannot be read, or the output cannot be written; 2 "
           "wrong use.\n");
}

__attribute__((format(printf, 1, 2))) static int wrong_use(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    complain("%s", text);
    fputs(usage, stderr);
    return EXIT_USAGE;
}

/* ---- options ---- */

/* Adds criterion I. Returns 0, or the exit status. */
static int add_criterion(struct convert_settings *s, size_t i, const char *value)
{
    struct pilgrim_error error;
    if (!s->selection && pilgrim_selection_new(&s->selection) != PILGRIM_OK) {
        complain("not enough memory");
        return EXIT_DAMAGED;
    }
    if (pilgrim_selection_add(s->selection, selection_options[i].name, value, &error) == PILGRIM_OK)
        return 0;
    return wrong_use("--%s: %s", selection_options[i].name, error.message);
}

static int set_format(struct convert_settings *s, const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0) {
            s->format = formats[i];
            if (!formats[i]->lacks)
                return 0;
            complain("%s", formats[i]->lacks);
            return EXIT_USAGE;
        }
    return wrong_use("--to takes arrow, chrome, csv, goal, otf2, perfetto or ti");
}

static bool set_jobs(struct convert_settings *s, const char *text)
{
    char *end;
    const unsigned long jobs = strtoul(text, &end, 10);
    s->jobs = (unsigned)jobs;
    return *text >= '0' && *text <= '9' && !*end && jobs >= 1 && jobs <= CONVERT_JOBS_MOST;
}

/* Returns -1: go on; else the exit status. */
static int parse(struct convert_settings *s, int argc, char **argv)
{
    enum { OWN = 9 };
    struct option options[OWN + SELECT_CRITERIA + 1] = {
        {"to", required_argument, NULL, 't'},      {"arguments", no_argument, NULL, 'a'},
        {"force", no_argument, NULL, 'F'},         {"modules", required_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},          {"version", no_argument, NULL, 'V'},
        {"columns", required_argument, NULL, 'c'}, {"jobs", required_argument, NULL, 'j'},
        {"output", required_argument, NULL, 'o'}};
    int option, status;
    for (size_t i = 0; i < SELECT_CRITERIA; i++)
        options[OWN + i] =
            (struct option){selection_options[i].name, selection_options[i].argument ? required_argument : no_argument,
                            NULL, CRITERION + (int)i};
    while ((option = getopt_long(argc, argv, "ho:V", options, NULL)) != -1)
        switch (option) {
        case 'o':
            s->output = optarg;
            break;
        case 't':
            if ((status = set_format(s, optarg)))
                return status;
            break;
        case 'a':
            s->arguments = true;
            break;
        case 'c':
            s->columns = optarg;
            break;
        case 'j':
            if (!set_jobs(s, optarg))
                return wrong_use("--jobs takes a number of processes, 1 to %d", CONVERT_JOBS_MOST);
            break;
        case 'F':
            s->force = true;
            break;
        case 'm':
            s->modules = optarg;
            break;
        case 'h':
            print_help();
            return 0;
        case 'V':
            printf("pilgrim-convert %s\n", PILGRIM_VERSION_TEXT);
            return 0;
        case '?':
            fputs(usage, stderr);
            return EXIT_USAGE;
        default:
            if ((status = add_criterion(s, (size_t)(option - CRITERION), optarg)))
                return status;
        }
    if (!s->format)
        return wrong_use("what is the trace to be converted to? --to=arrow, chrome, csv, goal, otf2, perfetto or ti");
    if (s->columns && !s->format->convert)
        return wrong_use("--columns is for --to=arrow");
    if (s->format->convert && (s->arguments || s->modules))
        return wrong_use(
            "--to=arrow takes neither --arguments nor --modules: --columns=NAMES has arguments by their names");
    if (argc - optind < 1 || argc - optind > 2 - !!s->output)
        return wrong_use(argc == optind ? "no trace is given" : "there is more than one trace and one output");
    s->trace = argv[optind];
    s->output = s->output ? s->output : argv[optind + 1];
    return -1;
}

/* ---- the trace ---- */

static int convert_trace(const struct convert_settings *s, const struct pilgrim_trace *trace,
                         const struct pilgrim_error *opened)
{
    static struct output out;
    struct convert c = {.trace = trace, .out = &out, .arguments = s->arguments, .columns = s->columns, .jobs = s->jobs};
    struct convert_result result;
    struct pilgrim_error error;
    static struct output_place place;
    int status;
    if (s->selection && pilgrim_selection_check(s->selection, trace, &error) != PILGRIM_OK) {
        complain("%s: %s", s->trace, error.message);
        return EXIT_USAGE;
    }
    status = output_place_open(&place, s->format, s->trace, s->output, s->force);
    if (status)
        return status;
    out = (struct output){.descriptor = place.descriptor};
    c.anchor = s->format->anchor;
    c.beside = place.file.standard ? "/tmp/pilgrim-convert" : place.file.path;
    c.folder = place.folder ? place.file.temporary : NULL;
    struct source_lines *lines = source_lines_new(s->trace, s->modules);
    if (lines) {
        source_lines_ran_in(lines, pilgrim_property(trace, "folder"));
        source_lines_warn(lines, complain);
        source_lines_use_trace(lines, trace, pilgrim_frame_function);
    }
    progress_begin("pilgrim-convert", pilgrim_rank_count(trace), false, false);
    work_progress = progress_at;
    const enum pilgrim_status converted = convert_run(&c, s->format, s->selection, lines, &result, &error);
    progress_end();
    source_lines_free(lines);
    const bool whole = converted == PILGRIM_OK && opened->status == PILGRIM_OK;
    status = output_place_close(&place, &out, !c.failure[0] && (whole || result.calls > 0));
    if (status)
        return status;
    if (c.failure[0]) {
        complain("cannot write %s: %s", place.file.path, c.failure);
        return EXIT_DAMAGED;
    }
    if (c.drawn && whole)
        complain("%s has no times of single calls: they are drawn from its statistics. Record with "
                 "PILGRIM_TIMING=exact or bins for those of the run",
                 s->trace);
    if (s->format->untimed && convert_draws(trace))
        complain("%s has no times of single calls: start and end are empty", s->trace);
    if (result.untimed)
        complain("%s: %llu calls are left out, since their times are lost", s->trace,
                 (unsigned long long)result.untimed);
    if (result.missing && s->format->what == CONVERT_WHOLE_RECORDS)
        complain(
            "%s: %llu messages and parts of collective operations are left out: not all of them is known, or their "
            "communicator has two groups",
            s->trace, (unsigned long long)result.missing);
    else if (result.missing)
        complain("%s: %llu sends, receives, collective calls and calls on windows and files have no records: not all "
                 "members of their communicator are known",
                 s->trace, (unsigned long long)result.missing);
    if (c.unsaid[0])
        complain("%s: %s has no words for what these do, which is left out: %s", s->trace, s->format->name, c.unsaid);
    if (whole)
        return 0;
    complain("%s: %s%s", s->trace, converted != PILGRIM_OK ? error.message : opened->message,
             result.calls ? "; what is before that is converted" : "");
    return converted == PILGRIM_INVALID ? EXIT_USAGE : EXIT_DAMAGED;
}

int main(int argc, char **argv)
{
    struct convert_settings s = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error opened;
    signal(SIGPIPE, SIG_IGN);
    complain_as = "pilgrim-convert";
    int status = parse(&s, argc, argv);
    if (status >= 0) {
        pilgrim_selection_free(s.selection);
        return status;
    }
    char place[INPUT_PATH_MAX];
    FILE *copy = NULL;
    const char *path = input_path(s.trace, place, &copy);
    status = EXIT_DAMAGED;
    if (!path) {
        complain("%s: %s", s.trace, strerror(errno));
    } else if (pilgrim_open(path, &trace, &opened) != PILGRIM_OK) {
        complain("%s: %s", s.trace, opened.message);
    } else {
        status = convert_trace(&s, trace, &opened);
        pilgrim_close(trace);
    }
    if (copy)
        fclose(copy);
    pilgrim_selection_free(s.selection);
    return status;
}
