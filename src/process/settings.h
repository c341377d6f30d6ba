/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings: environment variables PILGRIM_*. */
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
    const char *trace;          /* PILGRIM_TRACE: pattern of the trace's path, or NULL (borrowed) */
    bool off;                   /* PILGRIM_OFF=1 */
    bool quiet;                 /* PILGRIM_QUIET=1 */
    bool buffers;               /* PILGRIM_BUFFERS=on|off */
    enum timing_mode timing;    /* PILGRIM_TIMING=off|aggregate|bins:BASE,...|exact */
    const char *timing_text;    /* PILGRIM_TIMING as it was set: the trace's property "timing" (borrowed) */
    bool keeps_readings;        /* PILGRIM_VALUES=wtime: results of MPI_Wtime are values, whatever PILGRIM_TIMING is */
    const char *filter;         /* PILGRIM_FILTER: a list of functions, or NULL (borrowed) */
    enum clock_wish clock;      /* PILGRIM_CLOCK=auto|tsc|monotonic */
    bool system;                /* PILGRIM_SYSTEM=on|off */
    bool arguments;             /* PILGRIM_ARGV=on|off: command lines are values */
    bool journal;               /* PILGRIM_JOURNAL=on|off|FOLDER */
    const char *journal_folder; /* or NULL: beside the trace, or where there is most room for many files (borrowed) */
    uint32_t stack;             /* PILGRIM_STACK: frames of a call class, 1 to SITE_FRAMES_MAX */
    const char *stack_text;     /* PILGRIM_STACK as it was set, if that is fewer: the property "stack" (borrowed) */
    uint32_t merge_limit_s;     /* PILGRIM_MERGE_TIMEOUT, in seconds */
    uint64_t memory_bytes;      /* PILGRIM_MEMORY: bound on what recording keeps in a process */
};

/* Fills S from ENVIRONMENT ("NAME=VALUE", NULL-terminated). A variable with an unknown name or a bad value has no
 * effect. Strings are borrowed from ENVIRONMENT. */
void settings_read(struct settings *s, char *const *environment);

/* Returns the base of the bins for the times of FUNCTION (TIMING_BINS) as (base - 1) x 10^6, at least 1. The last
 * pattern that fits FUNCTION decides; without one, the base for all functions. */
uint32_t settings_base(const struct settings *s, const char *function);

/* An item of PILGRIM_FILTER: "-PATTERN", "+PATTERN" or "PATTERN". */
struct settings_pattern {
    const char *text;
    size_t length;
    bool leaves_out;
};

/* Takes the first item off *LIST. False: *LIST does not begin with an item. */
bool settings_filter_next(const char **list, struct settings_pattern *p);
bool settings_pattern_fits(const struct settings_pattern *p, const char *function);

/* True if calls of FUNCTION are recorded. The last pattern of the filter that fits FUNCTION decides. If none fits,
 * calls are recorded if the filter begins with "-". */
bool settings_records(const struct settings *s, const char *function);

/* Calls WARN with a line for each variable that settings_read ignored. The line names the variable and says which
 * values it accepts. */
void settings_check(char *const *environment, void (*warn)(const char *line));

#endif
