/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment variables PILGRIM_*. */
#ifndef PILGRIM_SETTINGS_H
#define PILGRIM_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

#define SETTINGS_MEMORY_MIN (UINT64_C(256) << 10)
#define SETTINGS_MEMORY_MAX (UINT64_C(1) << 50)

enum timing_mode {
    TIMING_OFF,       /* no clock is read */
    TIMING_AGGREGATE, /* statistics */
    TIMING_BINS,      /* statistics, and the times of each call with a bounded relative error */
    TIMING_EXACT      /* statistics, and the times of each call in ns */
};

struct settings {
    const char *trace;       /* PILGRIM_TRACE: pattern of the trace's path, or NULL (borrowed) */
    bool off;                /* PILGRIM_OFF=1 */
    bool quiet;              /* PILGRIM_QUIET=1 */
    bool buffers;            /* PILGRIM_BUFFERS=on|off */
    enum timing_mode timing; /* PILGRIM_TIMING=off|aggregate|bins:BASE,...|exact */
    const char *timing_text; /* the same as it was set: the trace's property "timing" (borrowed) */
    bool keeps_readings;     /* PILGRIM_VALUES=wtime: results of MPI_Wtime are values as others are, whatever is kept of
                                times */
    const char *filter;      /* PILGRIM_FILTER: a list of functions, or NULL (borrowed) */
    enum clock_wish clock;   /* PILGRIM_CLOCK=auto|tsc|monotonic */
    bool system;             /* PILGRIM_SYSTEM=on|off */
    uint32_t stack;          /* PILGRIM_STACK: frames of a call class, 1..SITE_FRAMES_MAX */
    uint32_t merge_limit_s;  /* PILGRIM_MERGE_TIMEOUT */
    uint64_t memory_bytes;   /* PILGRIM_MEMORY: what recording may keep in a process */
};

/* Reads ENVIRONMENT ("NAME=VALUE", NULL-terminated). What is unknown or bad is as if it were not set. Strings are
 * borrowed from it. */
void settings_read(struct settings *s, char *const *environment);

/* The base of the bins of FUNCTION's times (TIMING_BINS), as (base - 1) x 10^6, at least 1: that of the last pattern
 * that fits it, else the one for all. */
uint32_t settings_base(const struct settings *s, const char *function);

/* An item of a filter, "-PATTERN", "+PATTERN" or "PATTERN". */
struct settings_pattern {
    const char *text;
    size_t length;
    bool leaves_out;
};

/* Takes the first item off *LIST. False: there is none, or something else stands there. */
bool settings_filter_next(const char **list, struct settings_pattern *p);
bool settings_pattern_fits(const struct settings_pattern *p, const char *function);

/* Whether calls of FUNCTION are recorded: as the last pattern of the filter says that fits it. If none does they are,
 * unless the filter begins with functions that are recorded. */
bool settings_records(const struct settings *s, const char *function);

/* What settings_read passed over: WARN is called with a line for each, which names the variable and says what it
 * accepts. */
void settings_check(char *const *environment, void (*warn)(const char *line));

#endif
