/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a run, simulated: each rank's fragment is made, and the fragments merge up a binomial tree as in
 * src/gather/gather.c. At step m, rank R, a multiple of 2m, takes the fragment of rank R + m: encoded, decoded,
 * merged. A large fragment is finalised before it is handed on.
 *
 * The tree is walked depth first, so that there is never more than one fragment a level. Times are CPU times,
 * without the network. */
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
    size_t longest_bytes; /* the longest message */
};

struct tree_result {
    double record_s;      /* the recording of all ranks together */
    size_t record_bytes;  /* the most that the streams of one rank took */
    double own_longest_s; /* from the streams of one rank to its fragment */
    size_t own_bytes;     /* memory for that, with the fragment */
    double path_s;        /* from there to the fragment of all ranks: the longest chain of encodes and merges */
    size_t peak_bytes;    /* the most that one process had of fragments and messages, without streams */
    double write_s;       /* from the fragment of all ranks to the bytes of the file */
    size_t write_bytes;   /* memory for that, with the fragment */
    uint64_t calls;
    unsigned levels;
    struct tree_level level[TREE_LEVELS_MAX];
};

/* Records and merges all ranks of W; appends the bytes of the file to FILE. If anything fails the program ends. */
void tree_run(const struct world *w, struct tree_result *result, struct bytes *file);

/* Returns the CPU time of the calling thread. */
double cpu_seconds(void);

#endif
