/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a trace that has the times of its calls: each call of the run, or of a part of it, with its messages,
 * its wait, the loops that it is in, and the critical path; and of a run whose calls are too many, how all threads
 * spent their time from one piece of the run to the next. */
#ifndef TOOLS_REPORT_TIMELINE_H
#define TOOLS_REPORT_TIMELINE_H

#include <pilgrim/reader.h>

#include "../../decoder/output.h"
#include "analysis/causes.h"
#include "analysis/source_lines.h"

/* Which calls are in the page. */
struct timeline_choice {
    bool none, all;
    uint64_t from_ns, until_ns; /* a part of the run, on the common axis; both 0: as many as a page may have */
};

/* A wait whose length is known. */
struct timeline_wait {
    uint32_t thread, late;           /* numbers among all threads, by rank: who waits, and for whom */
    uint64_t seq, leave_ns, wait_ns; /* of the call that waits */
    uint64_t late_ns;                /* when the call began that it waits for */
    bool aside;                      /* wait_pattern_aside */
};

struct timeline_waits {
    struct timeline_wait *all;
    size_t count, capacity;
    bool more; /* there are more than TIMELINE_WAITS_MAX: none are kept */
};

enum { TIMELINE_WAITS_MAX = 4 << 20, TIMELINE_CALLS = 150000 };

/* Keeps a wait, for wait_states_find. CONTEXT: struct timeline_waits. False: no memory */
bool timeline_take_wait(void *context, const struct cause_event *event);

/* Prints the timeline as JSON, an object a line; nothing if the trace has no times of calls. WAITS are put into another
 * order. errors: PILGRIM_NOMEM, as pilgrim_calls_next */
enum pilgrim_status timeline_print(struct output *o, const struct pilgrim_trace *trace,
                                   const struct timeline_choice *choice, struct timeline_waits *waits,
                                   struct source_lines *lines, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
