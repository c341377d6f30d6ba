/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of pilgrim-diff. */
#ifndef PILGRIM_DIFF_OPTIONS_H
#define PILGRIM_DIFF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Exit statuses. */
enum { EXIT_EQUAL = 0, EXIT_DIFFERS = 1, EXIT_WRONG = 2 };

/* What --ignore leaves out; bits. The names are in the table of diff_options.c. */
enum diff_ignore {
    IGNORE_TIMES = 1 << 0,
    IGNORE_SIZES = 1 << 1,
    IGNORE_TAGS = 1 << 2,
    IGNORE_PEERS = 1 << 3,
    IGNORE_HOSTS = 1 << 4,
    IGNORE_POLLS = 1 << 5,
    IGNORE_BUFFERS = 1 << 6,
    IGNORE_OBJECTS = 1 << 7,
    IGNORE_TEXTS = 1 << 8,
    IGNORE_RESULTS = 1 << 9,
    IGNORE_SITES = 1 << 10,
    IGNORE_VALUES = 1 << 11 /* of --structure */
};

struct diff_options {
    const char *paths[2]; /* equal if there is one trace */
    const char *modules;  /* folders with colons between them; NULL: none */
    unsigned ignored;     /* bits of enum diff_ignore */
    bool json;
    bool all; /* print all rows */
    bool two_ranks;
    uint32_t ranks[2];
    bool two_iterations;
    uint64_t loop, iterations[2]; /* from 1 */
    const char *not_replayed;     /* --replay: names of functions with commas between them; NULL: B is no replay */
    uint64_t memory;              /* bytes that the reader may take */
};

/* Sets *O from the command line; its texts are borrowed. Returns -1, or the exit status: help was printed, or a line
 * on stderr says what is wrong. */
int diff_options_parse(int argc, char **argv, struct diff_options *o);

#endif
