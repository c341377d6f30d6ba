/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a trace: its text, and what it shows. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <pilgrim/reader.h>

#include "../../decoder/output.h"
#include "analysis/source_lines.h"
#include "report_timeline.h"

struct html_page {
    const struct pilgrim_trace *trace;
    const char *path, *file;       /* of the trace: as the user gave it, and as it was opened */
    struct source_lines *lines;    /* may be NULL */
    struct timeline_choice choice; /* which calls the timeline has */
    struct timeline_waits waits;   /* while views are printed: for the timeline */
    const char *other;             /* the trace that it is compared with; NULL: none */
    const char *modules;
    bool has_markers;              /* some calls with times are markers: report_calls says so */
    struct pilgrim_system *system; /* hosts and where ranks are; NULL: they were not recorded, or not read yet */
    struct output *out;
    size_t room; /* bytes that views may still take */
};

/* Bytes that all views of a page may take, as they are in the file; the timeline may take more with --timeline=all. And
 * what a view may have before it is packed: a browser must hold that. */
enum { REPORT_VIEWS_MAX = 2800000, REPORT_TIMELINE_MAX = 1 << 30, REPORT_TEXT_MAX = 64 << 20 };

/* More ranks than this are shown in blocks. */
enum { REPORT_RANKS_MAX = 1024 };

/* Of the ranks of a block that make the same calls, at most so many are read for who sends to whom. */
#ifndef REPORT_SENDERS_READ
#define REPORT_SENDERS_READ 128
#endif

/* Returns how many neighbouring ranks stand together in one block: 1 if all are shown. */
static inline uint32_t report_block(const struct pilgrim_trace *trace)
{
    return (pilgrim_rank_count(trace) + REPORT_RANKS_MAX - 1) / REPORT_RANKS_MAX;
}

/* Prints each view as an element <script type="text/plain" id="data-NAME">: packed as report_pack.h says, or
 * {"left_out": BYTES} if that is too long. After an error of the trace the views that are left are printed too, and
 * each has what was found before the error. errors: PILGRIM_NOMEM, as pilgrim_cursor_next, PILGRIM_IO if there is no
 * room for a temporary file */
enum pilgrim_status report_views(struct html_page *r, struct pilgrim_error *error) PILGRIM_CHECKED;

/* ---- views that pilgrim-decode does not have ---- */

typedef enum pilgrim_status report_view(struct html_page *r, struct output *o, struct pilgrim_error *error);

/* What each rank did with its time, in blocks of ranks; each with its least and most. */
report_view report_ranks;

/* Time and calls by rank and call site, and by rank and phase if there are markers. */
report_view report_rank_sites, report_rank_phases;

/* Messages by call site, communicator, sender and receiver, if there are no more than REPORT_RANKS_MAX ranks. */
report_view report_pairs;

/* Which host each rank is on. */
report_view report_hosts;

/* Of each call site: what its calls do, in words, and how long they took. */
report_view report_calls;

/* What differs from another trace, as pilgrim-diff prints it, and the summary of that one. */
report_view report_diff, report_other;

/* Opens the page's system, if there is one. errors: as pilgrim_system_open, but for PILGRIM_INVALID */
enum pilgrim_status report_system(struct html_page *r, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
