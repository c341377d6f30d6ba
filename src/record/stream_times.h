/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a stream's calls: where they go, and when. */
#ifndef PILGRIM_STREAM_TIMES_H
#define PILGRIM_STREAM_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"
#include "record/stream.h"
#include "timing/times.h"

struct common_times;
struct statistics;

/* Where the times of calls go. */
struct stream_times {
    enum times_kind kind; /* TIMES_NONE: statistics are kept, and nothing of each call */
    uint32_t cells; /* of a class's statistics, 296 bytes each, at most (statistics.h); 0: as many as there may be */
    uint32_t (*base)(uint32_t function); /* of TIMES_BINS: of the calls of a function (times_class) */
    /* Takes a block: CONTENT and ENDS as from times_take, borrowed; its first call is number FIRST of the thread, over
     * all segments. What it returns, if that is not PILGRIM_OK, is an error of the call that was recorded. */
    enum pilgrim_status (*sink)(void *context, uint64_t first, const struct bytes *content, const struct bytes *ends);
    void *context;
};

/* From now on statistics of times are kept, and what TIMES (copied) says. Before the first call.
 * errors: PILGRIM_NOMEM: the stream keeps no times */
enum pilgrim_status stream_keep_times(struct stream *s, const struct stream_times *times) PILGRIM_CHECKED;

/* The call that is recorded next returns VALUE, a reading of a clock, and its function is one that RETURNS_TIME: that
 * is kept with its times, and its return value is VALUE_TIME. False: it cannot be, there are no times of each call, or
 * VALUE is no time. */
bool stream_keep_reading(struct stream *s, double value);

/* All that was recorded is in the statistics, and the times of each call have gone to the sink: to be called before S
 * is put into a fragment. errors: as stream_append */
enum pilgrim_status stream_flush_times(struct stream *s) PILGRIM_CHECKED;

/* The same at the end of thread NUMBER, whose times go elsewhere if it has few calls: to TOTALS, if not NULL, of S's
 * classes in place of S's own statistics, to which no call of this segment may have gone so far (stream_settled); and
 * to COMMON, if not NULL, in place of the sink. */
enum pilgrim_status stream_flush_last_times(struct stream *s, uint32_t number, struct statistics *totals,
                                            struct common_times *common) PILGRIM_CHECKED;
bool stream_settled(const struct stream *s);

#endif
