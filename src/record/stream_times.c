/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of a stream's calls.
 *
 * A call appends its two readings of the clock to an array. Some hundred calls at a time are settled: their times
 * are turned into ns, put in order, and given to the statistics and to the encoder. So each of these works long enough
 * to have its code and tables in the cache. If calls are few, fewer of them are settled at a time: the statistics that
 * the journal has are then not old. */
#include "record/stream_times.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/try.h"
#include "record/stream_inline.h"
#include "record/stream_journal.h"
#include "timing/common_times.h"

enum { SPANS = 512, SPANS_EARLY = 16, SETTLE_WITHIN_NS = 250000000 };

enum pilgrim_status stream_keep_times(struct stream *s, const struct stream_times *times)
{
    struct span *spans = malloc(SPANS * sizeof *spans);
    struct times *encoder = times->kind == TIMES_NONE ? NULL : times_new(times->kind);
    double *readings = encoder ? calloc(SPANS, sizeof *readings) : NULL;
    if (!spans || (times->kind != TIMES_NONE && !readings)) {
        free(spans);
        times_free(encoder);
        return PILGRIM_NOMEM;
    }
    s->readings = readings;
    s->times = *times;
    s->encoder = encoder;
    s->spans = s->next = spans;
    s->full = spans + SPANS;
    s->step = sizeof *spans;
    return PILGRIM_OK;
}

void stream_settle_early(struct stream *s)
{
    if (s->step && s->next < s->spans + SPANS_EARLY)
        s->full = s->spans + SPANS_EARLY;
}

void stream_settle_late(struct stream *s)
{
    if (s->step)
        s->full = s->spans + SPANS;
}

/* Halves or doubles how many calls are settled at a time. These ones took ELAPSED_NS. */
static void adapt(struct stream *s, uint64_t elapsed_ns)
{
    ptrdiff_t count = s->full - s->spans;
    if (elapsed_ns > SETTLE_WITHIN_NS)
        count = count > 1 ? count / 2 : 1;
    else
        count = count < SPANS ? count * 2 : SPANS;
    s->full = s->spans + count;
}

bool stream_keep_reading(struct stream *s, double value)
{
    if (!s->readings || s->inside || !times_is_reading(value))
        return false;
    s->readings[s->next - s->spans] = value;
    return true;
}

/* Sets *START and *END to the times of SPAN in ns. Times never go back: where a clock is behind, such as that of a
 * processor that the thread was moved to, time stands still. *LAST: end of the last call, in ticks. */
static inline __attribute__((always_inline)) void times_of(const struct clock_piece *piece, const struct span *span,
                                                           uint64_t *last, uint64_t *start, uint64_t *end)
{
    uint64_t from = span->start > *last ? span->start : *last, to = span->end > from ? span->end : from;
    *last = to;
    if (__builtin_expect(clock_piece_has(piece, to), 1)) {
        *start = clock_piece_ns(piece, from);
        *end = clock_piece_ns(piece, to);
    } else {
        *start = clock_time_ns(from);
        *end = clock_time_ns(to);
    }
}

/* Returns the piece that the first of the times is in. */
static struct clock_piece first_piece(const struct stream *s)
{
    return clock_piece_of(s->spans->start > s->last_ticks ? s->spans->start : s->last_ticks);
}

/* Turns ticks into ns. */
static void convert(struct stream *s)
{
    const struct clock_piece piece = first_piece(s);
    for (struct span *span = s->spans; span < s->next; span++)
        times_of(&piece, span, &s->last_ticks, &span->start, &span->end);
}

/* Returns another cell than that of the class's last call; NULL: no memory. */
static __attribute__((noinline)) struct statistics_cell *other_cell(struct stream *s, struct statistics *statistics,
                                                                    uint32_t signature, uint32_t predecessor)
{
    uint32_t capacity = statistics->capacity;
    struct statistics_cell *cell = statistics_search_again(statistics, signature, predecessor);
    if (statistics->capacity != capacity)
        stream_grow(s, (statistics->capacity - capacity) * sizeof *cell);
    return cell;
}

/* Adds the spans to TOTALS, by class, or, if that is NULL, to the statistics of the classes. TICKS: the spans have
 * ticks, else ns. Inlined once for each case, as it is a large part of a call's cost. errors: PILGRIM_NOMEM */
static inline __attribute__((always_inline)) enum pilgrim_status add_spans(struct stream *s, struct statistics *totals,
                                                                           bool ticks)
{
    const struct clock_piece piece = ticks ? first_piece(s) : (struct clock_piece){0};
    uint32_t predecessor = s->predecessor;
    uint64_t last_end = s->last_end, last_ticks = s->last_ticks;
    struct stream_class *const *by_terminal = s->by_terminal;
    for (const struct span *span = s->spans, *next = s->next; span < next; span++) {
        struct statistics *statistics = totals ? &totals[span->class] : &by_terminal[span->class]->statistics;
        struct statistics_cell *cell = statistics_cell_again(statistics, span->signature, predecessor);
        if (__builtin_expect(!cell, 0))
            cell = other_cell(s, statistics, span->signature, predecessor);
        if (__builtin_expect(!cell, 0))
            return PILGRIM_NOMEM;
        uint64_t start = span->start, end = span->end;
        if (ticks)
            times_of(&piece, span, &last_ticks, &start, &end);
        statistics_add(cell, start - last_end, end - start, !totals);
        last_end = end;
        predecessor = span->class;
    }
    s->last_end = last_end;
    s->last_ticks = last_ticks;
    s->predecessor = predecessor;
    return PILGRIM_OK;
}

/* Makes a block of what the encoder has, and gives it to the sink. */
static enum pilgrim_status take_block(struct stream *s)
{
    struct bytes content = {0}, ends = {0};
    uint64_t count = times_pending(s->encoder);
    enum pilgrim_status status = times_take(s->encoder, &content, &ends);
    if (status == PILGRIM_OK)
        status = s->times.sink(s->times.context, s->taken, &content, &ends);
    s->taken += count;
    bytes_free(&content);
    bytes_free(&ends);
    return status;
}

/* Returns what the encoder must know of the class with TERMINAL. */
static struct common_class encoder_class(const struct stream *s, uint32_t terminal)
{
    uint32_t function = s->by_terminal[terminal]->head.key.function;
    return (struct common_class){.base = s->times.base ? s->times.base(function) : 0,
                                 .reads = s->vocabulary->functions[function].returns == RETURNS_TIME};
}

/* Tells the encoder of new classes. Classes of a short thread are not announced. */
static enum pilgrim_status announce(struct stream *s)
{
    for (; s->announced < s->terminal_count; s->announced++) {
        struct common_class class = encoder_class(s, s->announced);
        TRY(times_class(s->encoder, s->announced, class.base, class.reads));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status encode_spans(struct stream *s)
{
    size_t before = stream_times_bytes(s);
    TRY(announce(s));
    TRY(times_add(s->encoder, s->spans, s->readings, (size_t)(s->next - s->spans)));
    size_t after = stream_times_bytes(s);
    if (after > before)
        stream_grow(s, after - before);
    return times_pending(s->encoder) >= TIMES_BLOCK_CALLS ? take_block(s) : PILGRIM_OK;
}

/* Sends the calls, which are all that thread NUMBER made, to COMMON. */
static enum pilgrim_status add_common_spans(const struct stream *s, uint32_t number, struct common_times *common)
{
    struct common_class classes[COMMON_CALLS_MAX];
    for (uint32_t i = 0; i < s->terminal_count; i++)
        classes[i] = encoder_class(s, i);
    return common_times_add(common, number, classes, s->terminal_count, s->spans, s->readings,
                            (size_t)(s->next - s->spans));
}

static enum pilgrim_status settle(struct stream *s, uint32_t number, struct statistics *totals,
                                  struct common_times *common)
{
    int error = errno;
    if (s->next == s->spans)
        return PILGRIM_OK;
    uint64_t before = s->last_end ? s->last_end : clock_time_ns(s->spans->start);
    enum pilgrim_status status;
    if (totals || s->encoder) {
        convert(s);
        status = totals ? add_spans(s, totals, false) : add_spans(s, NULL, false);
    } else {
        status = add_spans(s, NULL, true);
    }
    if (status == PILGRIM_OK && s->journal && !totals)
        stream_tell_settled(s, (size_t)(s->next - s->spans));
    if (status == PILGRIM_OK && s->encoder)
        status = common ? add_common_spans(s, number, common) : encode_spans(s);
    s->next = s->spans;
    adapt(s, s->last_end - before);
    errno = error;
    return status;
}

enum pilgrim_status stream_settle(struct stream *s)
{
    return settle(s, 0, NULL, NULL);
}

enum pilgrim_status stream_flush_last_times(struct stream *s, uint32_t number, struct statistics *totals,
                                            struct common_times *common)
{
    if (!s->step)
        return PILGRIM_OK;
    bool is_short = !stream_settled(s) && !s->taken && s->next - s->spans <= COMMON_CALLS_MAX;
    TRY(settle(s, number, totals, is_short ? common : NULL));
    return s->encoder && times_pending(s->encoder) ? take_block(s) : PILGRIM_OK;
}

enum pilgrim_status stream_flush_times(struct stream *s)
{
    return stream_flush_last_times(s, 0, NULL, NULL);
}

bool stream_settled(const struct stream *s)
{
    return s->predecessor != STATISTICS_FIRST;
}

size_t stream_times_bytes(const struct stream *s)
{
    return s->encoder ? times_segment_bytes(s->encoder) : 0;
}
