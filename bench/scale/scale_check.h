/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a trace has the calls that its pattern defines: reads it with the reader library and compares text. */
#ifndef PILGRIM_SCALE_CHECK_H
#define PILGRIM_SCALE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scale_patterns.h"

struct check_result {
    uint64_t pairs;  /* single calls compared, of any rank */
    uint64_t whole;  /* calls compared of one rank: all that it made */
    uint64_t wrong;  /* calls of both kinds that differ; the first is printed on stderr */
    uint64_t groups; /* structure groups of threads */
    double seconds;  /* for the pairs */
};

/* Compares PAIRS random calls and all calls of one rank. False, after a line on stderr: the trace cannot be read. */
bool check_trace(const struct world *w, const char *path, uint64_t pairs, struct check_result *result);

#endif
