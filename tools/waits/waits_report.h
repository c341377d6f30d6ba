/* SPDX-License-Identifier: BSD-3-Clause */
/* What pilgrim-waits prints: a page for people, or all rows. */
#ifndef WAITS_WAITS_REPORT_H
#define WAITS_WAITS_REPORT_H

#include "analysis/efficiency.h"
#include "analysis/loop_waits.h"
#include "analysis/source_lines.h"
#include "analysis/wait_states.h"
#include "../../decoder/output.h"
#include "waits_choice.h"

enum { PLACE_MAX = 512, WHERE_MAX = 2 * PLACE_MAX };
enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report {
    struct output *o;
    struct wait_states *w;
    struct source_lines *lines;
    enum report_format format;
    uint64_t limit;
    bool each;     /* print each wait */
    wait_each see; /* takes each wait, for the caller; NULL: nobody */
    void *see_context;
    const struct pilgrim_selection *selection; /* only waits of such calls; NULL: of all */
    const bool *patterns;                      /* only these; NULL: all */
    bool path_only;                            /* print the critical path, all of it, instead of all else */
    bool by_loop;                              /* print waits by loop */
    struct loop_waits *loops;                  /* while they are found; NULL: not by loop */
    /* while it is printed */
    struct efficiency efficiency;
    struct delay_cost *delays;
    struct path_share *path;
    size_t delay_count, path_count;
    uint64_t path_ns;
};

/* Finds what TRACE says of waiting, and prints it: of a profile, bounds. *WHY: NULL, or why the trace says nothing of
 * it; then nothing is printed. After an error, what was found until then is printed. The output is not flushed.
 * errors: PILGRIM_NOMEM, as pilgrim_cursor_next */
enum pilgrim_status waits_of_trace(struct report *r, const struct pilgrim_trace *trace, const char **why,
                                   struct pilgrim_error *error) PILGRIM_CHECKED;

/* Returns true if the trace has only a profile. */
bool waits_is_profile(const struct pilgrim_trace *trace);

/* Returns the function of a call site. */
const char *report_function(const struct report *r, uint32_t site);

/* Writes the place of a call site to TEXT: "FILE:LINE", or "MODULE+0xOFFSET"; the latter always for JSON. */
void report_place(const struct report *r, uint32_t site, char text[PLACE_MAX]);

/* The same of a frame (source_lines_place); NULL: "?". */
void report_frame(const struct report *r, const struct pilgrim_frame *frame, char text[PLACE_MAX]);

/* Print `,"site":"MODULE+0xOFFSET"`, and its function, file and line as far as they are known. Each name begins with
 * PREFIX. FRAME may be NULL. */
void json_site_place(const struct report *r, const char *prefix, uint32_t site);
void json_frame_place(const struct report *r, const char *prefix, const struct pilgrim_frame *frame);

/* Returns a thread of those that causes are numbered by; NULL: several. */
const struct cause_thread *report_thread(const struct report *r, uint32_t thread);

/* Writes who did what: "rank 7, computing before MPI_Send at cg.c:133"; RANK: false: without who. */
void report_doing(const struct report *r, uint32_t thread, uint32_t class, bool rank, char text[3 * PLACE_MAX]);

bool report_text(const struct report *r);
void report_rows(const struct report *r);

/* Prints what a profile says: how long calls may have waited at most. errors: as profile_make */
enum pilgrim_status waits_print_bounds(struct report *r, const struct pilgrim_trace *trace,
                                       struct pilgrim_error *error) PILGRIM_CHECKED;

/* Prints a wait: a wait_each whose context is the report. */
bool report_wait(void *context, const struct cause_event *event);

/* Returns true if only some waits are printed. */
static inline bool report_chooses(const struct report *r)
{
    return r->selection || r->patterns;
}

/* Returns how many ranks it is about: all, or those that are chosen. */
uint64_t waits_rank_count(const struct report *r);

/* Print what is wrong with the program: as the last part of the page, as rows of JSON. */
void text_findings(const struct report *r);
void json_findings(const struct report *r);

/* The page's first lines: the run, its efficiency, what is not resolved; of chosen waits, what part of all they are. */
void text_summary(const struct report *r);

/* The last row of JSON. */
void json_summary(const struct report *r);

/* Prints the critical path: a line for each call site; CSV: for each thread at a call site. */
void waits_print_path(const struct report *r);

/* Prints a row of the critical path as JSON. */
void json_path(const struct report *r, const struct path_share *share);

/* Prints waits by loop instead of all else. errors: as loop_waits_end; what could be read is printed */
enum pilgrim_status waits_print_loops(struct report *r, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
