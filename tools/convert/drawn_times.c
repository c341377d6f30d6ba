/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws times from statistics; see drawn_times.h. */
#include "drawn_times.h"

#include <stdlib.h>

#include "analysis/analysis_errors.h"
#include "analysis/class_gaps.h"

struct drawn_times {
    struct class_gaps gaps; /* walks along */
    uint64_t seq;           /* of the next call */
    double ns;              /* when the last call ended */
};

/* Returns the class of the next call, with what its calls take. NULL: no memory */
static const struct class_gaps_class *class_of(struct drawn_times *d)
{
    struct class_gaps_class *c = class_gaps_class(&d->gaps);
    const struct pilgrim_cursor *cursor = d->gaps.cursor;
    const size_t number = d->gaps.class_number;
    struct pilgrim_class_info info;
    struct pilgrim_statistic durations;
    double scale;
    if (!c || c->known)
        return c;
    c->known = true;
    class_gaps_own(&d->gaps, number, &c->gap_scale, &scale);
    if (pilgrim_class_info(cursor, number, &info) == PILGRIM_OK && !info.body &&
        pilgrim_durations(cursor, number, PILGRIM_VALUE_GROUP, &durations) == PILGRIM_OK)
        c->duration_ns = durations.mean_ns * scale;
    return c;
}

enum pilgrim_status drawn_times_open(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread,
                                     struct drawn_times **d, struct pilgrim_error *error)
{
    struct drawn_times *made = calloc(1, sizeof *made);
    *d = NULL;
    if (!made)
        return no_memory(error);
    const enum pilgrim_status status = class_gaps_open(&made->gaps, trace, rank, thread, error);
    if (status == PILGRIM_OK)
        *d = made;
    else
        drawn_times_close(made);
    return status;
}

void drawn_times_close(struct drawn_times *d)
{
    if (!d)
        return;
    class_gaps_close(&d->gaps);
    free(d);
}

/* Returns the gap before the next call. */
static double gap_before(struct drawn_times *d, const struct class_gaps_class *c)
{
    const struct class_gap *gap = class_gaps_find(&d->gaps);
    return gap ? gap->statistic.mean_ns * c->gap_scale : 0;
}

/* Goes over N calls of the run that is left, and sets *DURATION to how long the last one took. */
static enum pilgrim_status go_over(struct drawn_times *d, uint64_t n, double *duration, struct pilgrim_error *error)
{
    const struct class_gaps_class *c = class_of(d);
    if (!c)
        return no_memory(error);
    *duration = c->duration_ns;
    d->ns += gap_before(d, c) + *duration;
    class_gaps_go(&d->gaps, 1);
    if (n > 1) {
        d->ns += (double)(n - 1) * (gap_before(d, c) + *duration);
        class_gaps_go(&d->gaps, n - 1);
    }
    d->seq += n;
    return PILGRIM_OK;
}

enum pilgrim_status drawn_times_set(struct drawn_times *d, struct pilgrim_call *call, struct pilgrim_error *error)
{
    double duration = 0;
    while (d->seq <= call->seq) {
        enum pilgrim_status status = class_gaps_come(&d->gaps, error);
        if (status == PILGRIM_END) /* the trace says more calls than it has */
            break;
        const uint64_t wanted = call->seq - d->seq + 1;
        if (status == PILGRIM_OK)
            status = go_over(d, wanted < d->gaps.left ? wanted : d->gaps.left, &duration, error);
        if (status != PILGRIM_OK)
            return status;
    }
    call->timed = true;
    call->end_ns = (uint64_t)d->ns;
    call->start_ns = (uint64_t)(d->ns > duration ? d->ns - duration : 0);
    return PILGRIM_OK;
}
