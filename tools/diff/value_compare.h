/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values of two calls differ. */
#ifndef PILGRIM_DIFF_VALUE_COMPARE_H
#define PILGRIM_DIFF_VALUE_COMPARE_H

#include <pilgrim/reader.h>

#include "replay_rules.h"

/* How values are compared. */
struct value_rules {
    unsigned ignored;         /* bits of enum diff_ignore */
    bool relative;            /* ranks are also equal if they are at the same distance from the caller's */
    bool rebuilt;             /* of addresses in programs only the module counts */
    const char *not_replayed; /* B is a replay of A, without these functions (replay_rules.h); NULL: it is none */
    const struct replayed_thread *threads; /* then: both, while they are walked */
};

/* A value that differs. */
struct value_difference {
    char path[96]; /* "count", "status.tag", "sendcounts[3]", "returned" */
    const struct pilgrim_value *a, *b;
    bool stored; /* they are stored as what depends on earlier calls, and may be equal for all that */
};

enum { VALUE_DIFFERENCES_MAX = 16 };

/* Sets FOUND to the values in which two calls of one function differ, and returns how many there are, at most
 * VALUE_DIFFERENCES_MAX: of each parameter, the first value. What they point to is borrowed from A and B. */
unsigned values_compare(const struct value_rules *rules, const struct pilgrim_call *a, const struct pilgrim_call *b,
                        struct value_difference found[VALUE_DIFFERENCES_MAX]);

#endif
