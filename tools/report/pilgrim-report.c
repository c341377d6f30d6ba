/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-report: one HTML page of a run; see pilgrim-report(1). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../decoder/decode_errors.h"
#include "../../decoder/output_file.h"
#include "../../decoder/progress.h"
#include "../../decoder/trace_input.h"
#include "analysis/work_progress.h"
#include "report.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2 };

/* Lines of page.html and page.css, and of the scripts, compressed (by the Makefile). */
static const char *const page[] = {
#include "page.html.inc"
};
static const char *const style[] = {
#include "page.css.inc"
};
static const char *const script[] = {
#include "script.inc"
};

struct page_settings {
    const char *trace, *other, *output, *modules;
    struct timeline_choice timeline;
    bool force;
};

static const char usage[] =
    "usage: pilgrim-report [-o OUT] [--force] [--modules=FOLDERS] [--timeline=all|none|FROM-UNTIL] TRACE [TRACE] "
    "[OUT]\n";

static const char help[] =
    "\n"
    "Writes one HTML page that shows a run: where its time went, its program as loops, its ranks, who sent how much "
    "to\n"
    "whom, when, its call sites. The page needs no network. With a second trace it also shows what differs between "
    "them.\n"
    "OUT ends with .html; it is the first TRACE with that ending if it is not given; - is the standard output.\n"
    "\n"
    "  -o, --output=OUT   the same as OUT at the end, with any ending\n"
    "  --force            replace OUT if it is there\n"
    "  --modules=FOLDERS  folders to search first for the program and its libraries, for source lines\n"
    "  --timeline=WHICH   calls in the timeline, if the trace has times of calls: all, however large the page gets; "
    "none; or\n"
    "                     those between two times in seconds, as pilgrim-decode prints them (1.5-1.75). Without it, as "
    "many\n"
    "                     as fit, around the middle of the run\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all written; 1 the trace is damaged or cannot be read, or the page cannot be written; 2 wrong "
    "use.\n";

/* Sets *C from the argument of --timeline. Returns false if it is none. */
static bool parse_timeline(struct timeline_choice *c, const char *text)
{
    double from, until;
    int end = 0;
    *c = (struct timeline_choice){.all = strcmp(text, "all") == 0, .none = strcmp(text, "none") == 0};
    if (c->all || c->none)
        return true;
    if (sscanf(text, "%lf-%lf%n", &from, &until, &end) != 2 || text[end] || !(from >= 0 && from < until && until < 1e9))
        return false;
    c->from_ns = (uint64_t)(from * 1e9);
    c->until_ns = (uint64_t)(until * 1e9);
    return true;
}

static bool is_page(const char *path)
{
    const size_t length = strlen(path);
    return strcmp(path, "-") == 0 || (length > 5 && strcmp(path + length - 5, ".html") == 0);
}

/* Takes the file names. Returns -1 or the exit status. */
static int take_files(struct page_settings *s, int count, char **files)
{
    if (count > 1 && is_page(files[count - 1]) && !s->output)
        s->output = files[--count];
    if (count >= 1 && count <= 2) {
        s->trace = files[0];
        s->other = count == 2 ? files[1] : NULL;
        return -1;
    }
    complain(count ? "there are more than two traces and one output" : "no trace is given");
    fputs(usage, stderr);
    return EXIT_USAGE;
}

/* Returns -1: go on; else the exit status. */
static int parse(struct page_settings *s, int argc, char **argv)
{
    static const struct option options[] = {{"force", no_argument, NULL, 'F'},
                                            {"modules", required_argument, NULL, 'm'},
                                            {"timeline", required_argument, NULL, 't'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'V'},
                                            {"output", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "ho:V", options, NULL)) != -1)
        switch (option) {
        case 'o':
            s->output = optarg;
            break;
        case 'F':
            s->force = true;
            break;
        case 'm':
            s->modules = optarg;
            break;
        case 't':
            if (!parse_timeline(&s->timeline, optarg)) {
                complain("--timeline=%s: it is all, none, or two times in seconds: 1.5-1.75", optarg);
                fputs(usage, stderr);
                return EXIT_USAGE;
            }
            break;
        case 'h':
            printf("%s%s", usage, help);
            return 0;
        case 'V':
            printf("pilgrim-report %s\n", PILGRIM_VERSION_TEXT);
            return 0;
        default:
            fputs(usage, stderr);
            return EXIT_USAGE;
        }
    return take_files(s, argc - optind, argv + optind);
}

/* Prints LINES, at most so many as there are. */
static void print_lines(struct output *o, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out_text(o, lines[i]);
}

/* Prints the page: style, script and data stand where page.html names them, each on a line of its own. */
static enum pilgrim_status print_page(struct html_page *r, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        if (strcmp(page[i], "@STYLE@\n") == 0)
            print_lines(r->out, style, sizeof style / sizeof *style);
        else if (strcmp(page[i], "@SCRIPT@\n") == 0)
            print_lines(r->out, script, sizeof script / sizeof *script);
        else if (strcmp(page[i], "@DATA@\n") == 0)
            status = report_views(r, error);
        else
            out_text(r->out, page[i]);
    return status;
}

static int write_report(const struct page_settings *s, const char *file, const struct pilgrim_trace *trace,
                        const struct pilgrim_error *opened)
{
    static struct output out;
    struct pilgrim_error error = {0};
    struct output_file destination;
    int status;
    struct html_page r = {.trace = trace,
                          .path = s->trace,
                          .file = file,
                          .choice = s->timeline,
                          .other = s->other,
                          .modules = s->modules,
                          .out = &out};
    out =
        (struct output){.descriptor = output_file_open(&destination, s->output, s->trace, ".html", s->force, &status)};
    if (out.descriptor < 0)
        return status;
    r.lines = source_lines_new(file, s->modules);
    if (r.lines) {
        source_lines_ran_in(r.lines, pilgrim_property(trace, "folder"));
        source_lines_warn(r.lines, complain);
        source_lines_use_trace(r.lines, trace, pilgrim_frame_function);
    }
    progress_begin("pilgrim-report", pilgrim_rank_count(trace), false, false);
    work_progress = progress_at;
    const enum pilgrim_status written = print_page(&r, &error);
    progress_end();
    source_lines_free(r.lines);
    status = output_file_close(&destination, &out, true);
    if (status || (written == PILGRIM_OK && opened->status == PILGRIM_OK))
        return status;
    complain("%s: %s; the page has what is before that", s->trace,
             written != PILGRIM_OK ? error.message : opened->message);
    return EXIT_DAMAGED;
}

int main(int argc, char **argv)
{
    struct page_settings s = {0};
    struct pilgrim_trace *trace;
    struct pilgrim_error opened;
    char place[INPUT_PATH_MAX];
    FILE *copy = NULL;
    signal(SIGPIPE, SIG_IGN);
    complain_as = "pilgrim-report";
    int status = parse(&s, argc, argv);
    if (status >= 0)
        return status;
    const char *file = input_path(s.trace, place, &copy);
    status = EXIT_DAMAGED;
    if (!file) {
        complain("%s: %s", s.trace, strerror(errno));
    } else if (pilgrim_open(file, &trace, &opened) != PILGRIM_OK) {
        complain("%s: %s", s.trace, opened.message);
    } else {
        status = write_report(&s, file, trace, &opened);
        pilgrim_close(trace);
    }
    if (copy)
        fclose(copy);
    return status;
}
