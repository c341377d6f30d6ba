/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of pilgrim-replay. */
#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum replay_compute { COMPUTE_SPIN, COMPUTE_SLEEP, COMPUTE_NONE };

struct replay_options {
    const char *path;
    double speed;
    enum replay_compute compute;
    bool free_order;   /* --order=free */
    bool count_polls;  /* --polls=count */
    bool keep_strings; /* --strings=recorded */
    bool no_files;     /* --files=none */
    bool make_errors;  /* --errors=make */
    bool quiet;
    uint64_t loop;  /* --loop: its number; 0: all is replayed */
    uint64_t trips; /* --trips */
    bool threads;   /* --threads: ranks may have several */
    bool verify;
    const char *recorded; /* --verify=PATH: where the trace of the replay is kept; NULL: nowhere */
    double stuck_s;       /* --stuck: seconds until a deadlock is named */
    bool help, version;
};

/* Reads the command line. Returns NULL, or what is wrong in one line.
 * memory: static */
const char *replay_options_parse(struct replay_options *options, int argc, char **argv);

void replay_options_help(void);

#endif
