/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls of two traces are the same calls of a program: those of one function through equal call paths.
 *
 * Frames of the same build of a module are equal if their offsets are. Those of different builds are matched within
 * each function of the module: both lists of what the function calls, in the order of their lines or first calls, are
 * aligned. Then calls that only one trace has, if one path is the other one without some functions. */
#ifndef PILGRIM_DIFF_CALL_KINDS_H
#define PILGRIM_DIFF_CALL_KINDS_H

#include <pilgrim/reader.h>

#include "analysis/source_lines.h"

struct call_kinds;

enum { VIA_MOST = 3 };

/* A kind of calls: what one call class is in both traces. */
struct call_kind {
    const char *function;
    char *site[2];   /* where it is called from, by trace: "FILE:LINE", "FUNCTION+0xOFFSET", ...; NULL: not met there */
    char *caller[2]; /* the function that calls it; NULL: not known */
    char *via[2];    /* the places that call that: "a.c:7 < b.c:12", the first VIA_MOST; NULL: none is known */
    bool failed_poll;
};

/* Returns an empty table. LINES: by trace; may be NULL. NULL: no memory. */
struct call_kinds *call_kinds_new(const struct pilgrim_trace *const traces[2], struct source_lines *const lines[2]);
void call_kinds_free(struct call_kinds *kinds);

/* First all classes of both traces are taken. Returns the number of CLASS of trace SIDE, for call_kinds_of; equal ones
 * have equal numbers. UINT32_MAX: no memory. */
uint32_t call_kinds_take(struct call_kinds *kinds, unsigned side, const struct pilgrim_class *class, bool failed_poll);

/* Then they are matched. False: no memory. IGNORE_SITES: kinds are functions alone. */
bool call_kinds_match(struct call_kinds *kinds, bool ignore_sites);

/* Returns the number of the kind that a class is of; valid after the match. */
uint32_t call_kinds_of(const struct call_kinds *kinds, uint32_t class);

/* True if two classes are the same call of one trace: a poll that failed, and one that did not. */
bool call_kinds_same_call(const struct call_kinds *kinds, uint32_t class_a, uint32_t class_b);

/* Returns a kind by its number; NULL: there is none. Borrowed. */
const struct call_kind *call_kinds_at(const struct call_kinds *kinds, uint32_t number);

/* True if some module of both traces is not of the same build. */
bool call_kinds_rebuilt(const struct call_kinds *kinds);

#endif
