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
    enum times_kind kind; /* TIMES_NONE: statistics only, no time of each call */
    uint32_t cells;       /* most cells of the statistics of a class, 296 bytes each; 0: STATISTICS_CELLS */
    uint32_t (*base)(uint32_t function); /* with TIMES_BINS: returns the base for calls of a function (times_class) */
    /* Takes a block. CONTENT and ENDS are as from times_take, and borrowed. The first call of the block is number
     * FIRST of the thread, over all segments. An error is returned to the caller of stream_append. */
    enum pilgrim_status (*sink)(void *context, uint64_t first, const struct bytes *content, const struct bytes *ends);
    void *context;
};

/* Has S record statistics of times, and what TIMES (copied) says. To be called before the first call.
 * errors: PILGRIM_NOMEM (S records no times) */
enum pilgrim_status stream_keep_times(struct stream *s, const struct stream_times *times) PILGRIM_CHECKED;

/* From now on times are settled soon: S is of a thread that probably lives long. stream_settle_late takes that back; S
 * has no call then. */
void stream_settle_early(struct stream *s);
void stream_settle_late(struct stream *s);

/* Stores VALUE, a reading of a clock that the next recorded call returns, with the times of that call. The function
 * of the call has RETURNS_TIME; its return value is then VALUE_TIME. False if VALUE cannot be stored so: there are
 * no times of each call, or it is no time. */
bool stream_keep_reading(struct stream *s, double value);

/* Sends all times to the statistics and to the sink. To be called before S is put into a fragment.
 * errors: as stream_append */
enum pilgrim_status stream_flush_times(struct stream *s) PILGRIM_CHECKED;

/* As stream_flush_times, at the end of thread NUMBER. If the thread is short, its times go elsewhere: to TOTALS, by
 * class of S, in place of S's own statistics, and to COMMON in place of the sink. Either may be NULL. TOTALS must be
 * NULL if calls of this segment were settled (stream_settled). */
enum pilgrim_status stream_flush_last_times(struct stream *s, uint32_t number, struct statistics *totals,
                                            struct common_times *common) PILGRIM_CHECKED;

/* True if calls of this segment were settled: their times are in the statistics of S. */
bool stream_settled(const struct stream *s);

#endif
