/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a run, simulated: each rank's fragment is made, and they come together as in src/gather/gather.c, up a
 * binomial tree where rank R, a multiple of 2m, takes the fragment of rank R + m at step m: encoded, decoded, merged. A
 * fragment that is large is bound before it is handed on.
 *
 * The tree is walked depth first, so that never more than one fragment a level is there. What is timed is CPU time; the
 * way over the network is not part of it. */
#ifndef PILGRIM_SCALE_TREE_H
#define PILGRIM_SCALE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "scale_patterns.h"

enum { TREE_LEVELS_MAX = 32 };

/* The merges of one step, m = 2^level. */
struct tree_level {
    uint64_t merges;
    double total_s; /* of encoding, decoding and merging */
    double longest_s;
    size_t sealed_bytes; /* the longest message */
};

struct tree_result {
    double record_s;      /* all ranks' recording together */
    size_t record_bytes;  /* the most that one rank's streams took */
    double own_longest_s; /* one rank's streams to its fragment */
    size_t own_bytes;     /* memory for that, with the fragment */
    double path_s;        /* from there to the fragment of all: the longest chain of encodes and merges */
    size_t peak_bytes;    /* the most that one process had of fragments and messages, streams not counted */
    double write_s;       /* the fragment of all to the file's bytes */
    size_t write_bytes;   /* memory for that, with the fragment */
    uint64_t calls;
    unsigned levels;
    struct tree_level level[TREE_LEVELS_MAX];
};

/* Records and merges all ranks of W; the file's bytes are appended to FILE. A failure ends the program. */
void tree_run(const struct world *w, struct tree_result *result, struct bytes *file);

/* CPU time of the calling thread. */
double cpu_seconds(void);

#endif
