/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the options of pilgrim-decode; see decode_options.h. */
#include "decode_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode_errors.h"
#include "option_table.h"
#include "table_print.h"
#include "pilgrim/version.h"
#include "terminal.h"

enum { OPTIONS_MAX = 64 };

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

bool list_has(const struct number_list *list, uint32_t number)
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

/* Parses a size: a number of bytes, or of KiB, MiB, GiB, TiB with K, M, G or T behind it. */
static bool parse_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMGT";
    const char *unit;
    if (!parse_number(text, &text, size))
        return false;
    unsigned shift = *text && (unit = strchr(units, *text)) ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*size > UINT64_MAX >> shift)
        return false;
    *size <<= shift;
    return text[shift > 0] == 0;
}

/* Parses --color: whether there are colours. */
static bool parse_color(const char *text, bool *color)
{
    *color = strcmp(text, "always") == 0 || (strcmp(text, "auto") == 0 && terminal_has_colors(STDOUT_FILENO));
    return *color || strcmp(text, "auto") == 0 || strcmp(text, "never") == 0;
}

/* Adds what the option NAME says to the selection, if that has a criterion of this name. */
static bool select_calls(const char *name, const char *argument, struct options *o)
{
    struct pilgrim_error error;
    if (pilgrim_selection_add(o->selection, name, argument, &error) == PILGRIM_OK)
        return true;
    complain("%s; see pilgrim-decode --help", error.message);
    return false;
}

/* Parses an option that chooses what is printed instead of calls. False: it takes no such ARGUMENT. */
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
        o->by_rank = strcmp(argument, "rank") == 0;
        o->by_path = strcmp(argument, "path") == 0;
        o->keys = 0;
        return o->by_path || table_keys(argument, &o->keys);
    case 'x':
        o->matrix = true;
        o->windows = argument;
        return !argument || strcmp(argument, "rma") == 0;
    case 'e':
        o->messages = true;
        return true;
    case 'g':
        o->grammar = true;
        return true;
    case 'c':
        o->communicators = true;
        return true;
    case 'P':
        o->properties = true;
        return true;
    case 'E':
        o->endings = true;
        return true;
    case 'y':
        o->summary = true;
        return true;
    default:
        o->system = true;
        return true;
    }
}

/* Parses the option of ROW. False: it is wrong, and a message was printed. */
static bool parse_option(const struct option_row *row, const char *argument, struct options *o)
{
    bool good = true;
    if (row->key >= OPTION_SELECTS)
        return true; /* options_parse adds it to the selection */
    switch (row->key) {
    case 'f':
        o->json = strcmp(argument, "json") == 0;
        o->csv = strcmp(argument, "csv") == 0;
        o->folded = strcmp(argument, "folded") == 0;
        good = o->json || o->csv || o->folded || strcmp(argument, "text") == 0;
        break;
    case 'r':
        good = parse_list(argument, &o->ranks);
        break;
    case 't':
        good = parse_list(argument, &o->threads);
        break;
    case 'O':
        o->timeline = o->common = true;
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
    case 'd':
        good = parse_whole(argument, &o->depth);
        break;
    case 'F':
        o->full = true;
        break;
    case 'w':
        good = parse_whole(argument, &o->width);
        break;
    case 'K':
        good = parse_color(argument, &o->color);
        break;
    case 'm':
        o->modules = argument;
        break;
    case 'M':
        good = parse_size(argument, &o->memory);
        o->memory_given = true;
        break;
    case 'p':
        o->no_polls = true;
        break;
    default:
        good = parse_view(row->key, argument, o);
    }
    if (!good)
        complain("--%s takes %s, not '%s'; see pilgrim-decode --help", row->name, row->expected, argument);
    return good;
}

/* ---- what fits together ---- */

/* Returns the view that the options ask for. False: they ask for two, and a message was printed. */
static bool find_view(const struct options *o, enum option_view *view)
{
    const struct {
        bool asked;
        enum option_view view;
    } asked[] = {
        {o->loops, VIEW_LOOPS},       {o->stats, VIEW_STATS},           {o->matrix, VIEW_MATRIX},
        {o->messages, VIEW_MESSAGES}, {o->grammar, VIEW_GRAMMAR},       {o->communicators, VIEW_COMMUNICATORS},
        {o->system, VIEW_SYSTEM},     {o->properties, VIEW_PROPERTIES}, {o->endings, VIEW_ENDINGS},
        {o->summary, VIEW_SUMMARY},
    };
    *view = VIEW_CALLS;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (!asked[i].asked)
            continue;
        if (*view != VIEW_CALLS) {
            complain("%s and %s exclude each other: each is printed instead of calls", option_view_row(*view)->name,
                     option_view_row(asked[i].view)->name);
            return false;
        }
        *view = asked[i].view;
    }
    if (*view == VIEW_STATS && (o->by_path || o->keys))
        *view = o->by_path ? VIEW_PATHS : o->by_rank ? VIEW_RANKS : VIEW_TABLE;
    return true;
}

/* Checks the format. Without --format it becomes that of the view. */
static bool check_format(struct options *o, enum option_view view, bool given)
{
    static const char *const names[] = {"text", "json", "csv", "folded"};
    const struct view_row *row = option_view_row(view);
    enum option_format format = o->json ? FORMAT_JSON : o->csv ? FORMAT_CSV : o->folded ? FORMAT_FOLDED : FORMAT_TEXT;
    char text[64] = "";
    if (!given)
        format = row->ordinary;
    o->csv = format == FORMAT_CSV;
    if (row->formats & format)
        return true;
    if (format == FORMAT_FOLDED) {
        complain("--format=folded needs --stats --by=path");
        return false;
    }
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (row->formats >> i & 1)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", names[i]);
    complain("--format=%s does not go with %s, which can be had as: %s", names[__builtin_ctz(format)], row->name, text);
    return false;
}

/* Checks that the options given, a bit for each row, change what is printed. */
static bool check_given(const struct options *o, enum option_view view, uint64_t given)
{
    char names[512];
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (!(given >> i & 1) || row->views & (unsigned)view)
            continue;
        if (row->key == 'b') {
            complain("--by needs --stats");
            return false;
        }
        option_view_names(row->views, names, sizeof names);
        complain("--%s is for %s, not for %s", row->name, names, option_view_row(view)->name);
        return false;
    }
    if (o->histograms && view != VIEW_STATS) {
        complain("--stats=histograms and --by exclude each other");
        return false;
    }
    if (o->histograms && o->csv) {
        complain("--stats=histograms does not go with --format=csv, which can be had as: text, json");
        return false;
    }
    if ((o->json || o->csv) && (o->full || given >> (option_row_of('w') - option_rows) & 1)) {
        complain("--%s does not go with --format=%s, whose lines are whole", o->full ? "full" : "width",
                 o->json ? "json" : "csv");
        return false;
    }
    if (view == VIEW_SYSTEM && o->limit != UINT64_MAX && !o->ranks.count && !o->csv) {
        complain("--limit with --system needs --rank");
        return false;
    }
    return true;
}

static bool check_together(struct options *o, uint64_t given)
{
    enum option_view view;
    if (!find_view(o, &view) || !check_given(o, view, given))
        return false;
    return check_format(o, view, given >> (option_row_of('f') - option_rows) & 1);
}

/* ---- the command line ---- */

static int wrong_use(const char *why)
{
    complain("%s", why);
    option_usage(stderr, terminal_columns(STDERR_FILENO));
    return EXIT_USAGE;
}

/* Prints help, the version or completions. Returns the exit status. */
static int print_about(int key, const char *argument)
{
    if (key == 'h')
        option_help(stdout, terminal_columns(STDOUT_FILENO));
    else if (key == 'V')
        puts("pilgrim-decode " PILGRIM_VERSION_TEXT);
    else if (!option_completions(stdout, argument)) {
        complain("--completion takes %s, not '%s'", option_row_of(key)->expected, argument);
        return EXIT_USAGE;
    }
    return fflush(stdout) == 0 || errno == EPIPE ? 0 : EXIT_DAMAGED;
}

static void fill_names(struct option names[OPTIONS_MAX])
{
    static const int has_argument[] = {no_argument, optional_argument, required_argument, required_argument};
    for (size_t i = 0; i < option_row_count; i++)
        names[i] = (struct option){option_rows[i].name, has_argument[option_rows[i].takes], NULL, option_rows[i].key};
    names[option_row_count] = (struct option){0};
}

int options_parse(int argc, char **argv, struct options *o)
{
    struct option names[OPTIONS_MAX];
    uint64_t given = 0;
    int option;
    *o = (struct options){.limit = UINT64_MAX, .depth = UINT64_MAX, .memory = PILGRIM_MEMORY_DEFAULT};
    o->color = terminal_has_colors(STDOUT_FILENO);
    o->columns = terminal_columns(STDOUT_FILENO);
    o->width = UINT64_MAX;
    if (pilgrim_selection_new(&o->selection) != PILGRIM_OK) {
        complain("out of memory");
        return EXIT_DAMAGED;
    }
    fill_names(names);
    while ((option = getopt_long(argc, argv, "hV", names, NULL)) != -1) {
        const struct option_row *row = option_row_of(option);
        if (!row) { /* getopt has said why */
            fputs("see pilgrim-decode --help\n", stderr);
            return EXIT_USAGE;
        }
        if (row->group == OPTIONS_OTHER && option != 'M')
            return print_about(option, optarg);
        given |= UINT64_C(1) << (row - option_rows);
        if (!parse_option(row, optarg, o))
            return EXIT_USAGE;
        bool selects = option >= OPTION_SELECTS || option == 'r' || option == 't';
        if (selects && !select_calls(row->name, optarg, o))
            return EXIT_USAGE;
    }
    if (o->width == UINT64_MAX)
        o->width = o->full ? 0 : terminal_width(STDOUT_FILENO);
    if (!check_together(o, given))
        return EXIT_USAGE;
    static const enum criterion_name always[] = {SELECT_RANK, SELECT_THREAD, SELECT_FUNC};
    o->function = o->selection->criteria[SELECT_FUNC].text;
    o->selects = selection_besides(o->selection, always, 3) != NULL;
    if (optind == argc)
        return wrong_use("no trace is given");
    if (optind + 1 < argc)
        return wrong_use("more than one trace is given");
    o->path = argv[optind];
    return -1;
}

void options_free(struct options *o)
{
    free(o->ranks.ranges);
    free(o->threads.ranges);
    pilgrim_selection_free(o->selection);
}
