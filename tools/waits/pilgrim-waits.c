/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-waits: where ranks waited, and for whom; see pilgrim-waits(1). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pilgrim/reader.h>

#include "analysis/source_lines.h"
#include "analysis/wait_states.h"
#include "../../decoder/decode_errors.h"
#include "../../decoder/output.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2, ROWS = 20, WORST = 3, PLACE_MAX = 512 };
enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

static const char usage[] = "usage: pilgrim-waits [--format=text|json|csv] [--limit=N] [--modules=FOLDERS] TRACE\n";

static const char help[] =
    "\n"
    "Prints where the ranks of a Pilgrim trace with exact times waited for each other: by pattern, call site and "
    "rank.\n"
    "\n"
    "  --format=text|json|csv  a table for people (the default), one JSON object a line, or comma-separated values\n"
    "  --limit=N               lines of the table at most; 20 if not given\n"
    "  --modules=FOLDERS       folders to search first for the program and its libraries, for source lines\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all printed; 1 the trace is damaged or cannot be read, it has no exact times, or the output "
    "cannot\n"
    "be written; 2 wrong use.\n";

struct report {
    struct output *o;
    struct wait_states *w;
    struct source_lines *lines;
    enum report_format format;
    uint64_t limit;
};

static int failed(const char *what, const char *why)
{
    complain("%s: %s", what, why);
    return EXIT_DAMAGED;
}

/* ---- pieces ---- */

/* Writes the place of a call site to TEXT: "FILE:LINE", or "MODULE+0xOFFSET". */
static void place_of(const struct report *r, uint32_t site, char text[PLACE_MAX])
{
    const struct pilgrim_frame *frame = match_site(r->w->match, site)->site;
    const char *line = frame && r->lines && r->format != REPORT_JSON ? source_lines_find(r->lines, frame) : NULL;
    if (!frame || line)
        snprintf(text, PLACE_MAX, "%s", line ? line : "?");
    else
        snprintf(text, PLACE_MAX, "%s+0x%llx", frame->module, (unsigned long long)frame->offset);
}

static const char *function_of(const struct report *r, uint32_t site)
{
    return match_site(r->w->match, site)->function->name;
}

static double run_ns(const struct wait_states *w)
{
    return w->last_ns > w->first_ns ? (double)(w->last_ns - w->first_ns) : 0;
}

/* ---- JSON and CSV: a line for each pattern, site and rank ---- */

static void json_text(struct output *o, const char *key, const char *text)
{
    out_text(o, key);
    out_json_string(o, text, strlen(text));
}

static void json_number(struct output *o, const char *key, uint64_t number)
{
    out_text(o, key);
    out_uint(o, number);
}

static void json_row(const struct report *r, const struct wait_row *row)
{
    struct output *o = r->o;
    char place[PLACE_MAX];
    place_of(r, row->site, place);
    json_text(o, "{\"pattern\":", wait_pattern_name(row->pattern));
    json_text(o, ",\"func\":", function_of(r, row->site));
    json_text(o, ",\"site\":", place);
    json_number(o, ",\"rank\":", row->rank);
    json_number(o, ",\"count\":", row->sum.count);
    json_number(o, ",\"total_ns\":", row->sum.total_ns);
    json_number(o, ",\"max_ns\":", row->sum.max_ns);
    json_number(o, ",\"error_ns\":", row->sum.error_ns);
    json_number(o, ",\"not_resolved\":", row->sum.unresolved);
    out_text(o, "}\n");
}

static void json_cause(const struct report *r, const struct wait_cause *cause)
{
    struct output *o = r->o;
    char place[PLACE_MAX];
    json_text(o, "{\"caused\":", wait_pattern_name(cause->pattern));
    place_of(r, cause->site, place);
    json_text(o, ",\"func\":", function_of(r, cause->site));
    json_text(o, ",\"site\":", place);
    place_of(r, cause->cause_site, place);
    json_number(o, ",\"by_rank\":", cause->rank);
    json_text(o, ",\"by_func\":", function_of(r, cause->cause_site));
    json_text(o, ",\"by_site\":", place);
    json_number(o, ",\"total_ns\":", cause->total_ns);
    out_text(o, "}\n");
}

static void json_summary(const struct report *r)
{
    const struct match_totals *t = &r->w->totals;
    json_number(r->o, "{\"run_ns\":", (uint64_t)run_ns(r->w));
    json_number(r->o, ",\"messages\":", t->messages);
    json_number(r->o, ",\"collectives\":", t->collectives);
    json_number(r->o, ",\"collectives_incomplete\":", t->collectives_missing);
    json_number(r->o, ",\"collectives_that_differ\":", t->collectives_differ);
    json_number(r->o, ",\"backward\":", r->w->backward);
    json_number(r->o, ",\"backward_max_ns\":", r->w->backward_max_ns);
    out_text(r->o, "}\n");
}

/* Prints a field as RFC 4180 has it. */
static void csv_text(struct output *o, const char *text)
{
    const bool quoted = text[strcspn(text, ",\"\r\n")] != 0;
    out_text(o, quoted ? "\"" : "");
    for (; *text; text++) {
        if (*text == '"')
            out_char(o, '"');
        out_char(o, *text);
    }
    out_text(o, quoted ? "\"" : "");
}

static void csv_row(const struct report *r, const struct wait_row *row)
{
    const uint64_t numbers[] = {row->rank,       row->sum.count,    row->sum.total_ns,
                                row->sum.max_ns, row->sum.error_ns, row->sum.unresolved};
    char place[PLACE_MAX];
    place_of(r, row->site, place);
    csv_text(r->o, wait_pattern_name(row->pattern));
    out_char(r->o, ',');
    csv_text(r->o, function_of(r, row->site));
    out_char(r->o, ',');
    csv_text(r->o, place);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        out_char(r->o, ',');
        out_uint(r->o, numbers[i]);
    }
    out_char(r->o, '\n');
}

/* ---- text: a line for each pattern and site ---- */

struct site_line {
    const struct wait_row *rows;
    size_t count;
    struct wait_sum sum;
};

static int by_total(const void *a, const void *b)
{
    const struct site_line *x = a, *y = b;
    if (x->sum.total_ns != y->sum.total_ns)
        return x->sum.total_ns > y->sum.total_ns ? -1 : 1;
    return (x->rows > y->rows) - (x->rows < y->rows);
}

/* Adds up rows of one pattern and site. Returns how many lines there are. */
static size_t make_lines(const struct wait_states *w, struct site_line *lines)
{
    size_t count = 0;
    for (size_t i = 0; i < w->row_count; i++) {
        const struct wait_row *row = &w->rows[i];
        if (!count || lines[count - 1].rows->pattern != row->pattern || lines[count - 1].rows->site != row->site)
            lines[count++] = (struct site_line){.rows = row};
        struct site_line *line = &lines[count - 1];
        line->count++;
        line->sum.count += row->sum.count;
        line->sum.total_ns += row->sum.total_ns;
        line->sum.error_ns += row->sum.error_ns;
        line->sum.unresolved += row->sum.unresolved;
    }
    return count;
}

/* Writes the ranks that waited longest: "3, 12, 15". */
static void worst_ranks(const struct site_line *line, char *text, size_t size)
{
    size_t taken[WORST], at = 0;
    for (size_t n = 0; n < WORST && n < line->count; n++) {
        size_t best = line->count;
        for (size_t i = 0; i < line->count; i++) {
            bool again = false;
            for (size_t k = 0; k < n; k++)
                again |= taken[k] == i;
            if (!again && (best == line->count || line->rows[i].sum.total_ns > line->rows[best].sum.total_ns))
                best = i;
        }
        taken[n] = best;
        at += (size_t)snprintf(text + at, size - at, "%s%u", n ? ", " : "", line->rows[best].rank);
    }
}

/* Returns the main cause of the line's waits; NULL: none. */
static const struct wait_cause *main_cause(const struct wait_states *w, const struct site_line *line)
{
    for (size_t i = 0; i < w->cause_count; i++)
        if (w->causes[i].pattern == line->rows->pattern && w->causes[i].site == line->rows->site)
            return &w->causes[i];
    return NULL;
}

static void text_line(const struct report *r, const struct site_line *line)
{
    char place[PLACE_MAX], where[2 * PLACE_MAX], cells[3 * PLACE_MAX], total[OUT_DURATION_MAX], error[OUT_DURATION_MAX];
    char ranks[64] = "";
    const double all = run_ns(r->w) * r->w->process_count;
    place_of(r, line->rows->site, place);
    snprintf(where, sizeof where, "%s at %s", function_of(r, line->rows->site), place);
    put_duration(total, (double)line->sum.total_ns);
    put_duration(error, (double)line->sum.error_ns);
    worst_ranks(line, ranks, sizeof ranks);
    snprintf(cells, sizeof cells, "%-16s %9s +-%-8s %5.1f%% %9llu  %-14s ", wait_pattern_name(line->rows->pattern),
             total, error, all > 0 ? 100 * (double)line->sum.total_ns / all : 0, (unsigned long long)line->sum.count,
             ranks);
    out_text(r->o, cells);
    out_name(r->o, where);
    const struct wait_cause *cause = main_cause(r->w, line);
    if (cause && line->sum.total_ns) {
        place_of(r, cause->cause_site, place);
        snprintf(cells, sizeof cells, ", for rank %u before %s at %s (%.0f%%)", cause->rank,
                 function_of(r, cause->cause_site), place, 100 * (double)cause->total_ns / (double)line->sum.total_ns);
        out_name(r->o, cells);
    }
    out_char(r->o, '\n');
}

static void text_summary(const struct report *r)
{
    const struct match_totals *t = &r->w->totals;
    uint64_t unresolved = 0, total = 0, unmatched = 0;
    char run[OUT_DURATION_MAX], backward[OUT_DURATION_MAX], text[256];
    for (size_t i = 0; i < r->w->row_count; i++) {
        unresolved += r->w->rows[i].sum.unresolved;
        total += r->w->rows[i].sum.total_ns;
    }
    for (unsigned i = 0; i < MATCH_REASONS; i++)
        unmatched += t->unmatched[i];
    const double all = run_ns(r->w) * r->w->process_count;
    put_duration(run, run_ns(r->w));
    snprintf(text, sizeof text, "%u ranks, run %s, waiting %.1f%% of the ranks' time\n", r->w->process_count, run,
             all > 0 ? 100 * (double)total / all : 0);
    out_text(r->o, text);
    if (unresolved) {
        snprintf(text, sizeof text, "not resolved: %llu waits that are not longer than the clocks' errors\n",
                 (unsigned long long)unresolved);
        out_text(r->o, text);
    }
    if (unmatched || t->collectives_missing || t->collectives_differ) {
        snprintf(
            text, sizeof text,
            "without a partner: %llu sends and receives; collective operations: %llu incomplete, %llu with different "
            "functions or roots (pilgrim-decode --messages)\n",
            (unsigned long long)unmatched, (unsigned long long)t->collectives_missing,
            (unsigned long long)t->collectives_differ);
        out_text(r->o, text);
    }
    if (r->w->backward) {
        put_duration(backward, (double)r->w->backward_max_ns);
        snprintf(text, sizeof text, "clocks: %llu messages arrived before they were sent, by up to %s\n",
                 (unsigned long long)r->w->backward, backward);
        out_text(r->o, text);
    }
}

static bool print_text(const struct report *r)
{
    struct site_line *lines = malloc((r->w->row_count + 1) * sizeof *lines);
    if (!lines)
        return false;
    const size_t count = make_lines(r->w, lines);
    qsort(lines, count, sizeof *lines, by_total);
    text_summary(r);
    if (count)
        out_text(r->o, "pattern              total    error   share     count  ranks (worst)  where\n");
    for (size_t i = 0; i < count && i < r->limit && lines[i].sum.count; i++)
        text_line(r, &lines[i]);
    free(lines);
    return true;
}

static bool print_rows(const struct report *r)
{
    if (r->format == REPORT_TEXT)
        return print_text(r);
    if (r->format == REPORT_CSV)
        out_text(r->o, "pattern,function,site,rank,count,total_ns,max_ns,error_ns,not_resolved\n");
    for (size_t i = 0; i < r->w->row_count; i++)
        (r->format == REPORT_JSON ? json_row : csv_row)(r, &r->w->rows[i]);
    for (size_t i = 0; i < r->w->cause_count && r->format == REPORT_JSON; i++)
        json_cause(r, &r->w->causes[i]);
    if (r->format == REPORT_JSON)
        json_summary(r);
    return true;
}

/* ---- the trace ---- */

/* Returns why the trace cannot be analysed; NULL: it can. */
static const char *why_not(const struct pilgrim_trace *trace)
{
    static const char text[] =
        "its times say nothing of the order of calls, so waits are not known; run the program again with "
        "PILGRIM_TIMING=exact";
    const char *timing = pilgrim_property(trace, "timing");
    struct pilgrim_clock clock;
    struct pilgrim_error error;
    if (!timing || strcmp(timing, "exact") != 0)
        return timing && strncmp(timing, "bins", 4) == 0 ? "its times are rounded (PILGRIM_TIMING=bins), and their "
                                                           "errors not known well enough; run the program "
                                                           "again with PILGRIM_TIMING=exact"
                                                         : text;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && pilgrim_rank_count(trace) > 1; rank++)
        if (pilgrim_clock_of(trace, rank, &clock, &error) != PILGRIM_OK || !clock.point_count)
            return "it has no clock measurement for all ranks";
    return NULL;
}

static int print_trace(const char *path, const struct pilgrim_trace *trace, const struct pilgrim_error *opened,
                       struct report *r, const char *modules)
{
    struct wait_states w;
    struct pilgrim_error error;
    int result = 0;
    const char *why = why_not(trace);
    if (why)
        return failed(path, why);
    r->lines = source_lines_new(r->format == REPORT_JSON ? NULL : path, modules);
    if (r->lines) {
        source_lines_ran_in(r->lines, pilgrim_property(trace, "folder"));
        source_lines_use_trace(r->lines, trace, pilgrim_frame_function);
    }
    enum pilgrim_status status = wait_states_find(&w, trace, &error);
    r->w = &w;
    if (w.match && !print_rows(r) && status == PILGRIM_OK) {
        status = PILGRIM_NOMEM;
        snprintf(error.message, sizeof error.message, "not enough memory");
    }
    out_flush(r->o);
    if (status != PILGRIM_OK || opened->status != PILGRIM_OK)
        result = failed(path, status != PILGRIM_OK ? error.message : opened->message);
    if (r->o->error && r->o->error != EPIPE)
        result = failed("cannot write the output, which is incomplete", strerror(r->o->error));
    source_lines_free(r->lines);
    wait_states_free(&w);
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
        {"modules", required_argument, NULL, 'm'}, {"help", no_argument, NULL, 'h'},
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
    if (optind + 1 != argc)
        return wrong_use(optind == argc ? "no trace is given" : "more than one trace is given");
    const char *path = argv[optind];
    if (pilgrim_open(path, &trace, &opened) != PILGRIM_OK)
        return failed(path, opened.message);
    int result = print_trace(path, trace, &opened, &report, modules);
    pilgrim_close(trace);
    return result;
}
