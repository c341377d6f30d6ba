/* SPDX-License-Identifier: BSD-3-Clause */
/* What pilgrim-diff prints. */
#ifndef PILGRIM_DIFF_DIFF_REPORT_H
#define PILGRIM_DIFF_DIFF_REPORT_H

#include "../../decoder/output.h"
#include "diff_options.h"
#include "loops_around.h"
#include "site_times.h"
#include "thread_compare.h"
#include "walked_loops.h"

struct diff_report {
    const struct diff_options *options;
    const struct comparison *comparison;
    const struct differences *found;
    const struct site_times *times; /* NULL: not compared */
    uint32_t ranks[2];
    uint64_t calls[2]; /* of the threads that were compared */
    bool equal;
    struct walked_loops *walked; /* by trace */
    const char *note;            /* how ranks were compared, if they are not compared by number; NULL: they are */
};

/* A loop of which the iterations differ. */
struct loop_change {
    const struct first_row *row; /* the threads */
    struct diff_loop trips[2];   /* ENTERED 0: the trace does not have this loop */
};

/* Finds the loops of ROW that differ. *CHANGES is to be freed. Returns how many there are. */
size_t loop_changes(const struct diff_report *r, const struct first_row *row, struct loop_change **changes);

/* Sets LOOPS to the loops around a call, the outermost first, in trace *SIDE: in A, but if more are around it in B, in
 * B. Returns how many there are. */
unsigned loops_of_where(const struct diff_report *r, const struct diff_where *where,
                        struct loop_around loops[LOOPS_AROUND_MAX], unsigned *side);

/* Returns where calls of KIND come from, in trace SIDE if they are met there. */
const char *kind_site(const struct diff_report *r, uint32_t kind, unsigned side);

/* Returns the places that call the function which has that site, if they tell KIND from another one of the same
 * function and site; NULL: nothing tells them apart, or nothing has to. */
const char *kind_via(const struct diff_report *r, uint32_t kind, unsigned side);

void diff_print_text(struct output *o, const struct diff_report *r);
void diff_print_json(struct output *o, const struct diff_report *r);

#endif
