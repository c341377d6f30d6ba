/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of pilgrim-decode as one table. The parser (decode_options.c), usage, --help, the completions of shells
 * and, by tests/documents/run, the man page's list are made of it or compared with it. */
#ifndef DECODER_OPTION_TABLE_H
#define DECODER_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What is printed: one of these. Rows of options name those that they change. */
enum option_view {
    VIEW_CALLS = 1 << 0,
    VIEW_LOOPS = 1 << 1,
    VIEW_STATS = 1 << 2, /* by function and call site */
    VIEW_RANKS = 1 << 3, /* --stats --by=rank */
    VIEW_PATHS = 1 << 4, /* --stats --by=path */
    VIEW_MATRIX = 1 << 5,
    VIEW_GRAMMAR = 1 << 6,
    VIEW_COMMUNICATORS = 1 << 7,
    VIEW_SYSTEM = 1 << 8,
    VIEW_PROPERTIES = 1 << 9,
    VIEW_ENDINGS = 1 << 10,
    VIEW_SUMMARY = 1 << 11,
    VIEW_MESSAGES = 1 << 12,
    VIEW_TABLE = 1 << 13, /* --stats with any other --by */
};

enum {
    VIEW_COUNT = 14,
    VIEWS_ALL = (1 << VIEW_COUNT) - 1,
    VIEWS_STATS = VIEW_STATS | VIEW_RANKS | VIEW_PATHS | VIEW_TABLE
};

enum option_format { FORMAT_TEXT = 1 << 0, FORMAT_JSON = 1 << 1, FORMAT_CSV = 1 << 2, FORMAT_FOLDED = 1 << 3 };

struct view_row {
    const char *name;            /* as the user asks for it: "--stats --by=rank" */
    unsigned formats;            /* enum option_format: those that it can be printed in */
    enum option_format ordinary; /* without --format */
};

enum option_group { OPTIONS_VIEW, OPTIONS_WHICH, OPTIONS_HOW, OPTIONS_OTHER, OPTION_GROUPS };

/* ARGUMENT_LIST: required; several words with commas between them */
enum option_argument { ARGUMENT_NONE, ARGUMENT_OPTIONAL, ARGUMENT_REQUIRED, ARGUMENT_LIST };

/* Keys from here on: options that are names of criteria of a selection (pilgrim/analysis.h). */
enum { OPTION_SELECTS = 1000 };

struct option_row {
    const char *name;
    int key;                    /* what getopt_long gives for it; a letter that is an option, too, if `is_short` */
    enum option_argument takes; /* whether it has an argument */
    const char *argument;       /* in usage: words with | between them are all that it may be */
    const char *expected;       /* "a number": for messages. NULL: no argument is wrong */
    enum option_group group;    /* where --help has it */
    unsigned views;             /* enum option_view: those that it changes, or is */
    bool is_short;              /* -h, -V */
    const char *help;           /* without line ends */
};

extern const struct view_row option_views[VIEW_COUNT]; /* by the number of the view's bit */
extern const struct option_row option_rows[];
extern const size_t option_row_count;

/* Returns the row of VIEW. */
const struct view_row *option_view_row(enum option_view view);

/* Returns the row whose key is KEY, or NULL. */
const struct option_row *option_row_of(int key);

/* Writes the names of VIEWS to TEXT, of SIZE bytes: "calls, --loops and --endings". */
void option_view_names(unsigned views, char *text, size_t size);

/* Print usage, or usage and help, to FILE, in lines of at most COLUMNS. */
void option_usage(FILE *file, unsigned columns);
void option_help(FILE *file, unsigned columns);

/* Prints the completions for SHELL: bash, zsh or fish. False: there are none for that shell. */
bool option_completions(FILE *file, const char *shell);

#endif
