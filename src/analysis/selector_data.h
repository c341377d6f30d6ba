/* SPDX-License-Identifier: BSD-3-Clause */
/* What a selector keeps, for selector.c, which finds what fits, and selector_answers.c, which says what there is in
 * place of it. */
#ifndef ANALYSIS_SELECTOR_DATA_H
#define ANALYSIS_SELECTOR_DATA_H

#include "analysis/call_values.h"
#include "analysis/object_names.h"
#include "analysis/selector.h"
#include "analysis/thread_loops.h"

enum { NOTES_SHOWN = 8, NOTE_BYTES = 32 };

/* The first names that were met in place of what is wanted, for a message. */
struct met_names {
    char names[NOTES_SHOWN][NOTE_BYTES];
    unsigned count;
    bool more;
};

struct selector {
    const struct pilgrim_trace *trace;
    const struct pilgrim_selection *selection;
    struct source_lines *lines;
    struct volumes *volumes;    /* NULL: not needed */
    struct object_names *names; /* NULL: not needed */
    struct key_table fitting;   /* by class: 1 if its function and site fit */
    uint32_t segment;           /* of these classes */
    struct pilgrim_clock clock; /* of the rank, if times are wanted */
    uint64_t first, behind;     /* calls that can fit by their times */
    struct loop_places *loops;  /* NULL: not needed */
    size_t *loops_wished;       /* of them */
    size_t loops_wished_count;
    uint64_t upcoming; /* the next call that may fit, for selector_take */
    bool has_upcoming, in_phase;
    bool found_loop, found_phase;
    bool chose;                  /* some call */
    bool found[SELECT_CRITERIA]; /* calls that fit what is asked of a call before fitted this, too */
    uint64_t iterations_most;    /* of the loop with the number iterations_loop */
    uint64_t iterations_loop;
    bool has_span, has_tags;
    uint64_t span_begin, span_end; /* of calls on the common axis */
    int64_t tag_least, tag_most;
    uint64_t bytes_most;
    size_t loops_most;
    uint32_t loops_rank;
    struct met_names phases, sites, comms;
};

/* True if the selection has times. */
bool selector_is_timed(const struct selector *s);

#endif
