/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of pilgrim-decode. */
#ifndef DECODER_DECODE_OPTIONS_H
#define DECODER_DECODE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/selection.h"

/* Exit statuses beside 0; see pilgrim-decode(1). */
enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2 };

struct number_range {
    uint32_t first, last;
};

/* `0,3,8-15`; no ranges: everything. */
struct number_list {
    struct number_range *ranges;
    size_t count;
};

/* What is to be printed. All texts are borrowed from the command line. */
struct options {
    const char *path;                    /* of the trace, as the user gave it */
    const char *opened;                  /* the file that is read for it; main sets it */
    const char *function;                /* as in the selection; NULL: all functions */
    const char *modules;                 /* folders with colons between them; NULL: none */
    struct pilgrim_selection *selection; /* which calls; ranks, threads and function are in it, too */
    bool selects;                        /* it has more than these three */
    struct number_list ranks;
    struct number_list threads;
    uint64_t memory; /* bytes that the reader may take; all of the command, if MEMORY_GIVEN */
    bool memory_given;
    uint64_t from;    /* of each thread, the first call */
    uint64_t depth;   /* of call paths, so many functions at most; UINT64_MAX: not given */
    uint64_t limit;   /* how many calls at most, in all */
    uint64_t width;   /* columns of a line of a call at most, 0 for any number */
    unsigned columns; /* of the terminal, or what a page has */
    bool paged;       /* a pager shows the output; main sets it */
    bool full;        /* of long arrays all elements */
    bool color;
    bool json;
    bool csv;
    bool folded;   /* with by_path: as flame graph tools read it */
    bool timeline; /* calls of all threads in the order of time */
    bool common;   /* times are those of the common axis */
    bool no_polls;
    bool grammar; /* from here on: what is printed instead of calls */
    bool summary;
    bool communicators;
    bool system;
    bool properties;
    bool endings;
    bool loops;
    bool stats;
    bool histograms; /* with stats */
    bool by_rank;    /* with stats */
    bool by_path;    /* with stats */
    unsigned keys;   /* with stats: enum pilgrim_key, if by_rank and by_path are false */
    bool matrix;
    bool windows; /* with matrix: operations on windows instead of messages */
    bool messages;
};

/* Fills in *O from the command line. Returns -1 if the trace is to be printed, else the exit status: help or version
 * was printed, or a message about wrong use. *O is to be freed in any case. */
int options_parse(int argc, char **argv, struct options *o);
void options_free(struct options *o);

/* True if NUMBER is in the list, or the list has no ranges. */
bool list_has(const struct number_list *list, uint32_t number);

#endif
