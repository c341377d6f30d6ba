/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the calls of each kind took in two traces, and whether a change is more than noise. */
#ifndef PILGRIM_DIFF_SITE_TIMES_H
#define PILGRIM_DIFF_SITE_TIMES_H

#include "call_kinds.h"

/* A kind of calls whose times changed. */
struct site_time {
    uint32_t kind;
    bool is_gap; /* of the time before the calls, not in them */
    uint64_t calls[2];
    bool of_medians; /* what changed is the median, not the mean */
    double ns[2];    /* the mean of all calls, or the median of the samples of call_samples.h */
    double total_ns[2];
    double change; /* relative to the first trace */
    double error;  /* of the change, as relative: with a probability of 95 % it is not further off */
};

struct site_times {
    struct site_time *rows; /* those of which most time changed first */
    size_t count;
};

/* Finds what changed. errors: PILGRIM_NOMEM, and as pilgrim_profile_next. *T is to be freed in any case. */
enum pilgrim_status site_times_compare(struct site_times *t, const struct pilgrim_trace *const traces[2],
                                       struct call_kinds *kinds, struct pilgrim_error *error);
void site_times_free(struct site_times *t);

#endif
