/* SPDX-License-Identifier: BSD-3-Clause */
/* The criteria of a selection; see pilgrim/analysis.h. */
#ifndef ANALYSIS_SELECTION_H
#define ANALYSIS_SELECTION_H

#include "pilgrim/analysis.h"

enum criterion_name {
    SELECT_RANK,
    SELECT_THREAD,
    SELECT_FUNC,
    SELECT_SITE,
    SELECT_COMM,
    SELECT_PEER,
    SELECT_TAG,
    SELECT_BYTES,
    SELECT_FAILED,
    SELECT_PHASE,
    SELECT_LOOP,
    SELECT_ITERATION,
    SELECT_CALL,
    SELECT_SINCE,
    SELECT_UNTIL,
    SELECT_CRITERIA
};

/* A criterion as an option of a tool. */
struct selection_option {
    const char *name, *argument, *help; /* argument: NULL: it takes none */
};

extern const struct selection_option selection_options[SELECT_CRITERIA];

struct selection_range {
    uint64_t first, last;
};

/* A criterion; which members it has depends on its kind. */
struct criterion {
    bool set;
    struct selection_range *ranges;
    size_t range_count;
    char *text;
    uint64_t number; /* bytes, or ns */
};

struct pilgrim_selection {
    struct criterion criteria[SELECT_CRITERIA];
};

/* True if NUMBER is in the ranges of a criterion, or that is not set. S may be NULL: nothing is set. */
bool selection_has_number(const struct pilgrim_selection *s, enum criterion_name name, uint64_t number);

/* True if the criterion is set; S may be NULL. */
bool selection_has(const struct pilgrim_selection *s, enum criterion_name name);

/* Returns the name of a criterion: "rank". */
const char *selection_name(enum criterion_name name);

/* True if the function NAME fits PATTERNS, as in the criterion "func". */
bool selection_function_fits(const char *patterns, const char *name);

/* Returns the name of a criterion that is set and not among COUNT ALLOWED ones; NULL: there is none. */
const char *selection_besides(const struct pilgrim_selection *s, const enum criterion_name *allowed, size_t count);

/* Calls FITS with each of the parts of TEXT, which have commas between them, until it returns true. */
bool selection_parts(const char *text, bool (*fits)(void *context, const char *part), void *context);

#endif
