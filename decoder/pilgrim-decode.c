/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-decode: prints the calls of a trace, or what is stored of them; pilgrim-decode(1).
 *
 * Exit status: 0 all printed; 1 the trace is damaged or cannot be read, or the output cannot be written; 2 wrong use.
 */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_lines.h"
#include "matrix.h"
#include "no_memory.h"
#include "pilgrim/version.h"
#include "print.h"
#include "profile.h"
#include "properties.h"
#include "thread_loops.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2 };

struct number_range {
    uint32_t first, last;
};

/* `0,3,8-15`; no ranges: everything. */
struct number_list {
    struct number_range *ranges;
    size_t count;
};

struct options {
    const char *path;
    const char *function; /* glob, NULL: all */
    const char *modules;  /* folders, NULL: none */
    struct number_list ranks;
    struct number_list threads;
    uint64_t from;
    uint64_t limit;
    bool json;
    bool common; /* times are those of the common axis */
    bool no_polls;
    bool grammar;
    bool communicators;
    bool system;
    bool properties;
    bool loops;
    bool stats;
    bool histograms;
    bool by_rank;
    bool matrix;
    bool windows; /* of the matrix: operations on them, not messages */
};

static const char usage[] = "usage: pilgrim-decode [--format=text|json] [--rank=LIST] [--thread=LIST] [--func=GLOB]\n"
                            "                      [--from=N] [--limit=N] [--no-polls] [--clock=local|common]\n"
                            "                      [--loops | --stats[=histograms] [--by=rank] | --matrix[=rma] | "
                            "--grammar | --communicators | --system\n"
                            "                      | --properties]\n"
                            "                      [--modules=FOLDERS] TRACE\n";

static const char help[] =
    "\n"
    "Prints the MPI calls of a Pilgrim trace, rank by rank, thread by thread, in the order in which they returned.\n"
    "\n"
    "  --format=text|json  a line for people (the default), or one JSON object a line\n"
    "  --rank=LIST         only these ranks of MPI_COMM_WORLD, such as 0,3,8-15\n"
    "  --thread=LIST       only these threads of each rank\n"
    "  --func=GLOB         only functions whose name matches, such as 'MPI_I*'\n"
    "  --from=N            of each thread, only the calls with number N and up\n"
    "  --limit=N           print at most N calls in all\n"
    "  --no-polls          not the calls that only found that nothing has happened yet, such as an MPI_Test in vain\n"
    "  --clock=local|common  times by the clock of each process (the default), or on the axis that all ranks have in "
    "common\n"
    "  --loops             the program: its loops, how often they repeat, and the calls in them\n"
    "  --stats[=histograms]\n"
    "                      what calls cost, for each function and place: calls, times, messages, bytes; also how times "
    "are spread\n"
    "  --by=rank           with --stats: instead, what each rank did with its time\n"
    "  --matrix[=rma]      messages and bytes from rank to rank, as CSV; or what went through windows\n"
    "  --grammar           the call-signature table and the grammars instead of the calls\n"
    "  --communicators     the communicators that each rank created, instead of the calls\n"
    "  --system            the machine: hosts, what is around them, their processes; with --rank where these ran\n"
    "  --properties        what the trace says of the run as a whole: program, MPI library, what was left out\n"
    "  --modules=FOLDERS   look there for the program and its libraries first, for source lines; colons between them\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all printed, 1 the trace is damaged, 2 wrong use.\n";

static bool parse_number(const char *text, const char **end, uint64_t *number)
{
    if (*text < '0' || *text > '9')
        return false;
    char *after;
    errno = 0;
    *number = strtoull(text, &after, 10);
    *end = after;
    return errno == 0;
}

static bool parse_list(const char *text, struct number_list *list)
{
    free(list->ranges);
    list->count = 0;
    list->ranges = malloc((strlen(text) / 2 + 1) * sizeof *list->ranges);
    while (list->ranges) {
        uint64_t first, last;
        if (!parse_number(text, &text, &first))
            return false;
        last = first;
        if (*text == '-' && !parse_number(text + 1, &text, &last))
            return false;
        if (first > last || last > UINT32_MAX)
            return false;
        list->ranges[list->count++] = (struct number_range){(uint32_t)first, (uint32_t)last};
        if (*text == 0)
            return true;
        if (*text++ != ',')
            return false;
    }
    return false;
}

static bool list_has(const struct number_list *list, uint32_t number)
{
    for (size_t i = 0; i < list->count; i++)
        if (number >= list->ranges[i].first && number <= list->ranges[i].last)
            return true;
    return list->count == 0;
}

static bool parse_whole(const char *text, uint64_t *number)
{
    const char *end;
    return parse_number(text, &end, number) && *end == 0;
}

/* What is printed instead of calls. False: it takes no such ARGUMENT. */
static bool parse_view(int option, const char *argument, struct options *o)
{
    switch (option) {
    case 'l':
        o->loops = true;
        return true;
    case 'T':
        o->stats = true;
        o->histograms = argument;
        return !argument || strcmp(argument, "histograms") == 0;
    case 'b':
        o->by_rank = true;
        return strcmp(argument, "rank") == 0;
    case 'x':
        o->matrix = true;
        o->windows = argument;
        return !argument || strcmp(argument, "rma") == 0;
    case 'g':
        o->grammar = true;
        return true;
    case 'c':
        o->communicators = true;
        return true;
    case 'P':
        o->properties = true;
        return true;
    default:
        o->system = true;
        return true;
    }
}

/* False with a line on stderr. */
static bool parse_option(int option, const char *argument, struct options *o)
{
    bool good = true;
    switch (option) {
    case 'f':
        o->json = strcmp(argument, "json") == 0;
        good = o->json || strcmp(argument, "text") == 0;
        break;
    case 'r':
        good = parse_list(argument, &o->ranks);
        break;
    case 't':
        good = parse_list(argument, &o->threads);
        break;
    case 'F':
        o->function = argument;
        break;
    case 'C':
        o->common = strcmp(argument, "common") == 0;
        good = o->common || strcmp(argument, "local") == 0;
        break;
    case 's':
        good = parse_whole(argument, &o->from);
        break;
    case 'n':
        good = parse_whole(argument, &o->limit);
        break;
    case 'm':
        o->modules = argument;
        break;
    case 'p':
        o->no_polls = true;
        break;
    case '?':
        fputs(usage, stderr);
        return false;
    default:
        good = parse_view(option, argument, o);
    }
    if (!good)
        fprintf(stderr, "pilgrim-decode: '%s' is not what this option takes; see --help\n", argument);
    return good;
}

/* -1: go on; else the exit status. */
static int parse_arguments(int argc, char **argv, struct options *o)
{
    static const struct option names[] = {
        {"format", required_argument, NULL, 'f'}, {"rank", required_argument, NULL, 'r'},
        {"thread", required_argument, NULL, 't'}, {"func", required_argument, NULL, 'F'},
        {"from", required_argument, NULL, 's'},   {"limit", required_argument, NULL, 'n'},
        {"grammar", no_argument, NULL, 'g'},      {"communicators", no_argument, NULL, 'c'},
        {"system", no_argument, NULL, 'S'},       {"modules", required_argument, NULL, 'm'},
        {"no-polls", no_argument, NULL, 'p'},     {"loops", no_argument, NULL, 'l'},
        {"stats", optional_argument, NULL, 'T'},  {"matrix", optional_argument, NULL, 'x'},
        {"clock", required_argument, NULL, 'C'},  {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},      {"by", required_argument, NULL, 'b'},
        {"properties", no_argument, NULL, 'P'},   {NULL, 0, NULL, 0},
    };
    *o = (struct options){.limit = UINT64_MAX};
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (option == 'h' || option == 'v') {
            fputs(option == 'h' ? usage : "pilgrim-decode " PILGRIM_VERSION_TEXT "\n", stdout);
            fputs(option == 'h' ? help : "", stdout);
            return fflush(stdout) == 0 ? 0 : EXIT_DAMAGED;
        }
        if (!parse_option(option, optarg, o))
            return EXIT_USAGE;
    }
    if (optind + 1 != argc || (o->by_rank && !o->stats)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    o->path = argv[optind];
    return -1;
}

static int complain(const char *path, const struct pilgrim_error *error)
{
    fprintf(stderr, "pilgrim-decode: %s: %s\n", path, error->message);
    return EXIT_DAMAGED;
}

/* Where the clock of RANK stands, if that is asked for; else nothing is known of it. */
static enum pilgrim_status find_clock(const struct pilgrim_trace *trace, const struct options *o, uint32_t rank,
                                      struct pilgrim_clock *clock, struct pilgrim_error *error)
{
    *clock = (struct pilgrim_clock){0};
    if (!o->common)
        return PILGRIM_OK;
    enum pilgrim_status status = pilgrim_clock_of(trace, rank, clock, error);
    if (status != PILGRIM_OK || clock->point_count)
        return status;
    *error = (struct pilgrim_error){.status = PILGRIM_INVALID};
    snprintf(error->message, sizeof error->message, "it does not say where the clock of rank %u stands", rank);
    return PILGRIM_INVALID;
}

/* Prints one thread's calls, at most *LEFT of them. TIMES: what is wrong with the times of calls, if nothing was
 * before. */
static enum pilgrim_status print_thread(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                        uint32_t rank, uint32_t thread, uint64_t *left, struct call_lines *calls,
                                        struct pilgrim_error *times, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct pilgrim_clock clock;
    enum pilgrim_status status = find_clock(trace, o, rank, &clock, error);
    if (status == PILGRIM_OK)
        status = pilgrim_cursor_open(trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    call_lines_begin(calls, rank, thread);
    if (o->from)
        status = pilgrim_cursor_skip(cursor, o->from);
    while (status == PILGRIM_OK && *left > 0 && !out->error) {
        status = pilgrim_cursor_next(cursor, &call, error);
        if (status != PILGRIM_OK)
            break;
        if (o->function && fnmatch(o->function, call.function->name, 0) != 0)
            continue;
        if (o->no_polls && call_is_failed_poll(&call))
            continue;
        pilgrim_clock_apply(&clock, &call);
        call_lines_print(calls, &call);
        --*left;
    }
    if (times->status == PILGRIM_OK)
        times->status = pilgrim_cursor_times(cursor, times);
    pilgrim_cursor_close(cursor);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

/* Prints what rank RANK created, at most *LEFT. */
static enum pilgrim_status print_communicators(struct output *out, const struct pilgrim_trace *trace,
                                               const struct options *o, uint32_t rank, uint64_t *left,
                                               struct pilgrim_error *error)
{
    struct pilgrim_communicators *list;
    struct pilgrim_communicator communicator;
    enum pilgrim_status status = pilgrim_communicators_open(trace, rank, &list, error);
    if (status != PILGRIM_OK)
        return status;
    while (*left > 0 && !out->error) {
        status = pilgrim_communicators_next(list, &communicator, error);
        if (status != PILGRIM_OK)
            break;
        if (!list_has(&o->threads, (uint32_t)communicator.thread))
            continue;
        communicator_print(out, rank, &communicator, o->json);
        --*left;
    }
    pilgrim_communicators_close(list);
    return status == PILGRIM_END ? PILGRIM_OK : status;
}

static enum pilgrim_status print_rank(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                      uint32_t rank, uint64_t *left, struct source_lines *lines,
                                      struct call_lines *calls, struct pilgrim_error *times,
                                      struct pilgrim_error *error)
{
    if (o->communicators)
        return print_communicators(out, trace, o, rank, left, error);
    uint32_t threads = pilgrim_thread_count(trace, rank);
    for (uint32_t thread = 0; thread<threads && * left> 0 && !out->error; thread++) {
        if (!list_has(&o->threads, thread))
            continue;
        enum pilgrim_status status = o->grammar ? grammar_print(out, trace, rank, thread, lines, error)
                                                : print_thread(out, trace, o, rank, thread, left, calls, times, error);
        if (status != PILGRIM_OK)
            return status;
    }
    return PILGRIM_OK;
}

/* Prints the machine, or where the chosen ranks ran. */
static enum pilgrim_status print_system(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                        struct pilgrim_error *error)
{
    struct pilgrim_system *system;
    uint64_t left = o->limit;
    enum pilgrim_status status = pilgrim_system_open(trace, &system, error);
    if (status != PILGRIM_OK)
        return status;
    if (!o->ranks.count)
        status = machine_print(out, trace, system, o->json);
    for (uint32_t rank = 0;
         o->ranks.count && rank < pilgrim_rank_count(trace) && left > 0 && !out->error && status == PILGRIM_OK;
         rank++) {
        if (!list_has(&o->ranks, rank))
            continue;
        status = location_print(out, trace, system, rank, o->json, error);
        left--;
    }
    pilgrim_system_close(system);
    return status;
}

static enum pilgrim_status add_loops(struct loops_list *loops, const struct pilgrim_trace *trace,
                                     const struct options *o, uint32_t rank, struct pilgrim_error *error)
{
    enum pilgrim_status status = PILGRIM_OK;
    uint32_t threads = pilgrim_thread_count(trace, rank);
    for (uint32_t thread = 0; thread < threads && status == PILGRIM_OK; thread++)
        if (list_has(&o->threads, thread))
            status = loops_add(loops, rank, thread, error);
    return status;
}

/* Prints the loops of all chosen threads, or of those before one that is damaged. */
static enum pilgrim_status print_loops(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    struct loops_list *loops = loops_new(trace, o->ranks.count > 0);
    struct pilgrim_error later;
    if (!loops)
        return no_memory(error);
    enum pilgrim_status status = PILGRIM_OK;
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && status == PILGRIM_OK; rank++)
        if (list_has(&o->ranks, rank))
            status = add_loops(loops, trace, o, rank, error);
    enum pilgrim_status written = loops_print(out, loops, lines, status == PILGRIM_OK ? error : &later);
    loops_free(loops);
    return status == PILGRIM_OK ? written : status;
}

static void complain_unsized(const struct options *o, uint64_t count, const char *what)
{
    if (count > 0)
        fprintf(stderr, "pilgrim-decode: %s: the size of %llu %s is not known, they count as 0 bytes\n", o->path,
                (unsigned long long)count, what);
}

static bool shows_rank(const void *options, uint32_t rank)
{
    return list_has(&((const struct options *)options)->ranks, rank);
}

static bool shows_thread(const void *options, uint32_t thread)
{
    return list_has(&((const struct options *)options)->threads, thread);
}

static bool shows(const void *options, uint32_t rank, uint32_t thread)
{
    return shows_rank(options, rank) && shows_thread(options, thread);
}

/* Prints what the calls of the chosen threads cost, or those before one that is damaged. */
static enum pilgrim_status print_stats(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    struct call_profile profile;
    if (o->by_rank)
        return rank_times_print(out, trace, o->json, shows_rank, o, error);
    bool some = o->ranks.count > 0 || o->threads.count > 0;
    enum pilgrim_status status = profile_make(&profile, trace, some ? shows : NULL, o, error);
    if (o->json)
        profile_json(out, &profile, o->histograms, o->function);
    else
        profile_text(out, &profile, o->histograms, o->function, lines);
    complain_unsized(o, profile.unsized, "messages");
    profile_free(&profile);
    return status;
}

static enum pilgrim_status print_matrix(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                        struct pilgrim_error *error)
{
    const struct matrix_options options = {
        .windows = o->windows, .rank = shows_rank, .thread = shows_thread, .context = o};
    uint64_t unsized;
    enum pilgrim_status status = matrix_print(out, trace, &options, &unsized, error);
    complain_unsized(o, unsized, o->windows ? "operations" : "messages");
    return status;
}

static enum pilgrim_status print_ranks(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                       struct source_lines *lines, struct pilgrim_error *error)
{
    uint64_t left = o->limit;
    enum pilgrim_status status = PILGRIM_OK;
    struct pilgrim_error times = {0};
    struct call_lines *calls = call_lines_new(out, o->json, lines);
    if (!calls)
        return no_memory(error);
    for (uint32_t rank = 0; rank < pilgrim_rank_count(trace) && left > 0 && !out->error && status == PILGRIM_OK; rank++)
        if (list_has(&o->ranks, rank))
            status = print_rank(out, trace, o, rank, &left, lines, calls, &times, error);
    call_lines_free(calls);
    if (status == PILGRIM_OK && times.status != PILGRIM_OK) {
        *error = times; /* the calls were printed */
        status = times.status;
    }
    return status;
}

static enum pilgrim_status print_view(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                                      struct source_lines *lines, struct pilgrim_error *error)
{
    if (!o->json && (o->system || o->stats || o->loops))
        properties_print_filter(out, trace);
    if (o->system)
        return print_system(out, trace, o, error);
    if (o->stats)
        return print_stats(out, trace, o, lines, error);
    if (o->loops)
        return print_loops(out, trace, o, lines, error);
    if (o->matrix)
        return print_matrix(out, trace, o, error);
    if (!o->properties)
        return print_ranks(out, trace, o, lines, error);
    properties_print(out, trace, o->json);
    return PILGRIM_OK;
}

static int print_trace(struct output *out, const struct pilgrim_trace *trace, const struct options *o,
                       struct source_lines *lines)
{
    struct pilgrim_error error = {0};
    enum pilgrim_status status = print_view(out, trace, o, lines, &error);
    out_flush(out);
    if (status != PILGRIM_OK)
        return complain(o->path, &error);
    if (out->error && out->error != EPIPE)
        fprintf(stderr, "pilgrim-decode: cannot write: %s\n", strerror(out->error));
    return out->error ? EXIT_DAMAGED : 0;
}

int main(int argc, char **argv)
{
    static struct output out = {.descriptor = 1};
    struct options options;
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error like any other */
    int result = parse_arguments(argc, argv, &options);
    if (result < 0) {
        if (pilgrim_open(options.path, &trace, &error) != PILGRIM_OK) {
            result = complain(options.path, &error);
        } else {
            struct source_lines *lines = options.json ? NULL : source_lines_new(options.path, options.modules);
            struct pilgrim_error opened = error;
            result = print_trace(&out, trace, &options, lines);
            if (opened.status != PILGRIM_OK && result == 0)
                result = complain(options.path, &opened);
            source_lines_free(lines);
            pilgrim_close(trace);
        }
    }
    free(options.ranks.ranges);
    free(options.threads.ranges);
    return result;
}
