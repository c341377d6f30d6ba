/* SPDX-License-Identifier: BSD-3-Clause */
/* Crashes: signals such as SIGSEGV that ended processes, and where the threads were that got them. pilgrim-merge says
 * so in the property "crashes" (tools/merge/rank_endings.c): "2.0 11 0x10 app[1f2e3d4c]+0x1189 app[1f2e3d4c]+0x11a5;
 * ...", by ranks. */
#ifndef ANALYSIS_CRASHES_H
#define ANALYSIS_CRASHES_H

#include <pilgrim/reader.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/source_lines.h"

enum { CRASH_PLACES_MAX = 32, CRASH_TEXT = 64, CRASH_ID_BYTES = 4 };

struct crash_place {
    char module[CRASH_TEXT]; /* empty: it lies in none */
    unsigned char build_id[CRASH_ID_BYTES];
    size_t build_id_length;
    uint64_t offset; /* as that of a pilgrim_frame; 0: unknown */
};

struct crash {
    uint32_t rank;
    int64_t thread; /* < 0: one that has made no call */
    unsigned signal;
    bool has_address;
    uint64_t address; /* that the program used */
    size_t count;     /* of places; the innermost is the first */
    struct crash_place places[CRASH_PLACES_MAX];
};

/* Takes the next crash from *TEXT, the value of the property. False: there is none, or *TEXT is no such value. */
bool crash_take(const char **text, struct crash *crash);

/* Returns what a person reads of the stack: "kernel.c:12 < solver.c:31". The code of the C library that starts the
 * program, and that which aborts it, is left out. The caller frees it; NULL: no memory. LINES may be NULL. */
char *crash_stack_text(const struct crash *crash, struct source_lines *lines);

#endif
