/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of options, and what is printed of it as usage and help; see option_table.h. A new option: a row here, its
 * key in parse_option (decode_options.c), and a paragraph in docs/pilgrim-decode.1. */
#include "option_table.h"

#include <string.h>

#include "analysis/selection.h"
#include "analysis/selection_options.h"

enum { NAME_COLUMNS = 22, INDENT_COLUMNS = 2, USAGE_COLUMNS = 22 };

#define TEXT_JSON (FORMAT_TEXT | FORMAT_JSON)
#define TABLE     (TEXT_JSON | FORMAT_CSV)

const struct view_row option_views[VIEW_COUNT] = {
    {"calls", TABLE, FORMAT_TEXT},
    {"--loops", TABLE, FORMAT_TEXT},
    {"--stats", TABLE, FORMAT_TEXT},
    {"--stats --by=rank", TABLE, FORMAT_TEXT},
    {"--stats --by=path", TABLE | FORMAT_FOLDED, FORMAT_TEXT},
    {"--matrix", TABLE, FORMAT_CSV},
    {"--grammar", FORMAT_TEXT, FORMAT_TEXT},
    {"--communicators", TABLE, FORMAT_TEXT},
    {"--system", TABLE, FORMAT_TEXT},
    {"--properties", TABLE, FORMAT_TEXT},
    {"--endings", TABLE, FORMAT_TEXT},
    {"--summary", TEXT_JSON, FORMAT_TEXT},
    {"--messages", TABLE, FORMAT_TEXT},
    {"--stats --by", TABLE, FORMAT_TEXT},
};

#define VIEWS_CALLS (VIEW_CALLS | VIEW_ENDINGS)
#define VIEWS_THREADS                                                                                                  \
    (VIEWS_CALLS | VIEW_LOOPS | VIEW_STATS | VIEW_PATHS | VIEW_MATRIX | VIEW_GRAMMAR | VIEW_COMMUNICATORS | VIEW_TABLE)

/* What a selection of calls leaves something out of. */
#define VIEWS_SELECTED (VIEW_CALLS | VIEW_STATS | VIEW_PATHS | VIEW_MATRIX | VIEW_TABLE)

#define VIEWS_LINES                                                                                                    \
    (VIEWS_CALLS | VIEW_LOOPS | VIEW_STATS | VIEW_PATHS | VIEW_GRAMMAR | VIEW_SUMMARY | VIEW_MESSAGES | VIEW_TABLE)

#define VIEWS_WIDTH ((VIEWS_THREADS & ~(VIEW_MATRIX | VIEW_GRAMMAR)) | VIEW_RANKS | VIEW_SYSTEM | VIEW_MESSAGES)

#define BY_EXPECTED                                                                                                    \
    "site, function, rank, phase, communicator, datatype, size and peer, with commas between them, or path"

const struct option_row option_rows[] = {
    {"summary", 'y', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_SUMMARY, false,
     "the run on one page: what ran, where its time went, its most expensive calls, its messages, and what is odd"},
    {"loops", 'l', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_LOOPS, false,
     "the program: its functions and loops, how often they repeat, and the calls in them"},
    {"stats", 'T', ARGUMENT_OPTIONAL, "histograms", "histograms, or nothing", OPTIONS_VIEW, VIEWS_STATS, false,
     "what calls cost, by function and call site: calls, times, messages, bytes; =histograms: also how times are "
     "distributed"},
    {"by", 'b', ARGUMENT_LIST, "site|function|rank|phase|communicator|datatype|size|peer|path", BY_EXPECTED,
     OPTIONS_VIEW, VIEWS_STATS, false,
     "with --stats: what calls did by any of these, or by several with commas between them, and how ranks differ; rank "
     "alone: what each rank did with its time; path alone: by the functions that lead to calls"},
    {"matrix", 'x', ARGUMENT_OPTIONAL, "rma", "rma, or nothing", OPTIONS_VIEW, VIEW_MATRIX, false,
     "messages and bytes from rank to rank, as CSV if --format does not say otherwise; =rma: operations on windows"},
    {"messages", 'e', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_MESSAGES, false,
     "each message: who sent it and who received it, with which calls, and what has no partner"},
    {"communicators", 'c', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_COMMUNICATORS, false,
     "the communicators that each rank created"},
    {"system", 'S', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_SYSTEM, false,
     "the machine: switches, hosts, processes, threads; with --rank: where these ranks ran"},
    {"properties", 'P', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_PROPERTIES, false,
     "what the trace says of the whole run: program, MPI library, what was left out"},
    {"endings", 'E', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_ENDINGS, false,
     "how ranks ended that did not reach the end of MPI_Finalize, and the calls that they were in"},
    {"grammar", 'g', ARGUMENT_NONE, NULL, NULL, OPTIONS_VIEW, VIEW_GRAMMAR, false,
     "the call-signature tables and the grammars"},

    {OPTION_RANK, .key = 'r', .takes = ARGUMENT_REQUIRED, .expected = "numbers and ranges, such as 0,3,8-15",
     .group = OPTIONS_WHICH, .views = VIEWS_ALL & ~(VIEW_PROPERTIES | VIEW_SUMMARY)},
    {OPTION_THREAD, .key = 't', .takes = ARGUMENT_REQUIRED, .expected = "numbers and ranges, such as 0,3,8-15",
     .group = OPTIONS_WHICH, .views = VIEWS_THREADS},
    {OPTION_FUNC, .key = OPTION_SELECTS + SELECT_FUNC, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED | VIEW_ENDINGS},
    {OPTION_SITE, .key = OPTION_SELECTS + SELECT_SITE, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_COMM, .key = OPTION_SELECTS + SELECT_COMM, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_PEER, .key = OPTION_SELECTS + SELECT_PEER, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_TAG, .key = OPTION_SELECTS + SELECT_TAG, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_BYTES, .key = OPTION_SELECTS + SELECT_BYTES, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_FAILED, .key = OPTION_SELECTS + SELECT_FAILED, .takes = ARGUMENT_NONE, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_PHASE, .key = OPTION_SELECTS + SELECT_PHASE, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_LOOP, .key = OPTION_SELECTS + SELECT_LOOP, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_ITERATION, .key = OPTION_SELECTS + SELECT_ITERATION, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_CALL, .key = OPTION_SELECTS + SELECT_CALL, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_SINCE, .key = OPTION_SELECTS + SELECT_SINCE, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {OPTION_UNTIL, .key = OPTION_SELECTS + SELECT_UNTIL, .takes = ARGUMENT_REQUIRED, .group = OPTIONS_WHICH,
     .views = VIEWS_SELECTED},
    {"from", 's', ARGUMENT_REQUIRED, "N", "a number", OPTIONS_WHICH, VIEW_CALLS, false,
     "of each thread, only the calls with number N and up"},
    {"limit", 'n', ARGUMENT_REQUIRED, "N", "a number", OPTIONS_WHICH,
     VIEWS_CALLS | VIEW_COMMUNICATORS | VIEW_SYSTEM | VIEW_MESSAGES, false,
     "print at most N calls in all, or N communicators or messages, or with --system the places of N ranks"},
    {"no-polls", 'p', ARGUMENT_NONE, NULL, NULL, OPTIONS_WHICH, VIEW_CALLS, false,
     "leave out failed polls, such as an MPI_Test that found nothing"},

    {"format", 'f', ARGUMENT_REQUIRED, "text|json|csv|folded", "text, json, csv or folded", OPTIONS_HOW, VIEWS_ALL,
     false,
     "text for people, one JSON object a line, comma-separated values (not of --summary), or with --stats "
     "--by=path the input of flame graph tools, in microseconds"},
    {"clock", 'C', ARGUMENT_REQUIRED, "local|common", "local or common", OPTIONS_HOW, VIEWS_CALLS | VIEW_MESSAGES,
     false, "times by the clock of each process (the default), or on one time axis for all ranks"},
    {"timeline", 'O', ARGUMENT_NONE, NULL, NULL, OPTIONS_HOW, VIEW_CALLS, false,
     "calls of all ranks in the order in which they began, on the common axis"},
    {"depth", 'd', ARGUMENT_REQUIRED, "N", "a number", OPTIONS_HOW, VIEWS_CALLS | VIEW_LOOPS | VIEW_PATHS, false,
     "at most N frames of each call path: of calls the innermost (3 in text), with --loops and --by=path the outermost "
     "(all)"},
    {"full", 'F', ARGUMENT_NONE, NULL, NULL, OPTIONS_HOW, VIEWS_CALLS, false,
     "lines of calls as long as they are: also on a terminal, and with all elements of long arrays"},
    {"width", 'w', ARGUMENT_REQUIRED, "N", "a number", OPTIONS_HOW, VIEWS_WIDTH, false,
     "lines of text have at most N columns; 0: any number. That of the terminal if it is not given"},
    {"color", 'K', ARGUMENT_REQUIRED, "auto|always|never", "auto, always or never", OPTIONS_HOW, VIEWS_ALL, false,
     "colours: on a terminal unless NO_COLOR is set (the default), always, or never"},
    {"modules", 'm', ARGUMENT_REQUIRED, "FOLDERS", NULL, OPTIONS_HOW, VIEWS_LINES, false,
     "folders to search first for the program and its libraries, for source lines; colons between them"},
    {"memory", 'M', ARGUMENT_REQUIRED, "SIZE", "a size, such as 512M or 4G", OPTIONS_OTHER, VIEWS_ALL, false,
     "memory that the command may take, such as 512M or 4G; 1G for reading the trace if not given"},
    {"completion", 'B', ARGUMENT_REQUIRED, "bash|zsh|fish", "bash, zsh or fish", OPTIONS_OTHER, VIEWS_ALL, false,
     "print what makes this shell complete the options"},
    {"help", 'h', ARGUMENT_NONE, NULL, NULL, OPTIONS_OTHER, VIEWS_ALL, true, "print this"},
    {"version", 'V', ARGUMENT_NONE, NULL, NULL, OPTIONS_OTHER, VIEWS_ALL, true, "print the version"},
};

const size_t option_row_count = sizeof option_rows / sizeof *option_rows;

static const char *const group_titles[OPTION_GROUPS] = {
    "What is printed instead of calls:",
    "Which part of it:",
    "How:",
    "Others:",
};

const struct view_row *option_view_row(enum option_view view)
{
    return &option_views[__builtin_ctz(view)];
}

const struct option_row *option_row_of(int key)
{
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].key == key)
            return &option_rows[i];
    return NULL;
}

void option_view_names(unsigned views, char *text, size_t size)
{
    size_t at = 0;
    unsigned left = (unsigned)__builtin_popcount(views);
    text[0] = 0;
    for (unsigned i = 0; i < VIEW_COUNT && at < size; i++) {
        if (!(views >> i & 1))
            continue;
        left--;
        at += (size_t)snprintf(text + at, size - at, "%s%s", option_views[i].name,
                               left > 1    ? ", "
                               : left == 1 ? " and "
                                           : "");
    }
}

/* ---- usage and help ---- */

/* Prints the words of TEXT from COLUMN on, in lines that begin at INDENT and have COLUMNS at most. */
static void put_words(FILE *file, const char *text, unsigned column, unsigned indent, unsigned columns)
{
    while (*text) {
        unsigned length = (unsigned)strcspn(text, " ");
        if (column + length > columns && column > indent) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
        }
        fwrite(text, 1, length, file);
        column += length;
        text += length;
        if (*text == ' ') {
            text++;
            if (column + 1 + strcspn(text, " ") <= columns) {
                fputc(' ', file);
                column++;
            } else {
                fprintf(file, "\n%*s", (int)indent, "");
                column = indent;
            }
        }
    }
    fputc('\n', file);
}

/* Writes an option as it is given to TEXT: "--stats[=histograms]", "-h, --help". */
static void option_words(const struct option_row *row, char *text, size_t size)
{
    char letter[8] = "";
    if (row->is_short)
        snprintf(letter, sizeof letter, "-%c, ", row->key);
    snprintf(text, size,
             row->takes == ARGUMENT_OPTIONAL ? "%s--%s[=%s]"
             : row->argument                 ? "%s--%s=%s"
                                             : "%s--%s",
             letter, row->name, row->argument);
}

void option_usage(FILE *file, unsigned columns)
{
    char text[2048], option[64];
    size_t at = 0;
    const char *separator = "[";
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        bool is_view = row->group == OPTIONS_VIEW && row->key != 'b';
        if (row->group == OPTIONS_OTHER && row->key != 'M')
            continue;
        option_words(row, option, sizeof option);
        if (is_view) {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", separator, option);
            separator = " | ";
            if (row->key == 'T')
                at += (size_t)snprintf(text + at, sizeof text - at, " [--by=KEYS]");
        } else if (row->key != 'b') {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s [%s]", *separator == ' ' ? "]" : "", option);
            separator = "[";
        }
    }
    snprintf(text + at, sizeof text - at, " TRACE");
    fputs("usage: pilgrim-decode ", file);
    put_words(file, text, USAGE_COLUMNS, USAGE_COLUMNS, columns);
}

void option_help(FILE *file, unsigned columns)
{
    option_usage(file, columns);
    fputc('\n', file);
    put_words(file,
              "Prints the MPI calls of a Pilgrim trace, rank by rank, thread by thread, in the order in which they "
              "returned. TRACE may be - for the standard input.",
              0, 0, columns);
    for (unsigned group = 0; group < OPTION_GROUPS; group++) {
        fprintf(file, "\n%s\n", group_titles[group]);
        for (size_t i = 0; i < option_row_count; i++) {
            char option[64];
            if (option_rows[i].group != group)
                continue;
            option_words(&option_rows[i], option, sizeof option);
            const int width = fprintf(file, "%*s%s", INDENT_COLUMNS, "", option);
            const unsigned at = INDENT_COLUMNS + NAME_COLUMNS;
            if (width >= (int)at)
                fprintf(file, "\n%*s", (int)at, "");
            else
                fprintf(file, "%*s", (int)at - width, "");
            put_words(file, option_rows[i].help, at, at, columns);
        }
    }
    fputc('\n', file);
    put_words(
        file,
        "Exit status: 0 all was printed, or the reader of a pipe wanted no more; 1 the trace is damaged or cannot "
        "be read, or the output cannot be written; 2 wrong use.",
        0, 0, columns);
}
