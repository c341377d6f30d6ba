/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder of times in bins; see times.h. It stores a gap or a duration as the number of a bin. */
#include <stdlib.h>

#include "base/try.h"
#include "timing/times_inline.h"

/* Two clocks that agreed and differ by so many ns have drifted, or one of them was set. */
enum { APART_NS_DRIFT = 4000, APART_NS_SET = 1000000000 };

enum { STARTS_MIN = 4, USUAL_COUNT_MAX = 256 };

/* ---- gaps and durations ---- */

/* Makes room for the start of SIGNATURE's last call. */
static __attribute__((noinline)) enum pilgrim_status starts_grow(struct class_times *c, uint32_t signature)
{
    size_t count = c->start_count ? c->start_count : STARTS_MIN;
    while (count <= signature)
        count *= 2;
    if (count > UINT32_MAX)
        return PILGRIM_LIMIT;
    uint64_t *starts = realloc(c->starts, count * sizeof *starts);
    if (!starts)
        return PILGRIM_NOMEM;
    for (size_t i = c->start_count; i < count; i++)
        starts[i] = NO_START;
    c->starts = starts;
    c->start_count = (uint32_t)count;
    return PILGRIM_OK;
}

static inline enum pilgrim_status bin_of(struct bins *b, uint64_t value, uint32_t *bin)
{
    if (__builtin_expect(value >= b->limit, 0))
        TRY(bins_reach(b, value));
    *bin = bins_index(b, value);
    return PILGRIM_OK;
}

/* Makes the largest bound that is not above GAP a usual gap, in place of the rarest one. */
static __attribute__((noinline)) enum pilgrim_status replace_gap(struct bins *b, struct class_times *c, uint64_t gap)
{
    uint32_t rarest = 0;
    for (uint32_t i = 1; i < USUAL_GAPS; i++)
        rarest = c->usual_count[i] < c->usual_count[rarest] ? i : rarest;
    TRY(bin_of(b, gap, &c->usual_bin[rarest]));
    c->usual[rarest] = b->bounds[c->usual_bin[rarest]];
    c->usual_count[rarest] = 0;
    c->gap = rarest;
    return PILGRIM_OK;
}

/* Rates usual gap I as a stand-in for GAP, than which it may be shorter by SLACK: 0 if it is not allowed, else (its
 * count + 1) x USUAL_GAPS + I. */
static inline uint32_t rate_gap(const struct class_times *c, uint32_t i, uint64_t gap, uint64_t slack)
{
    return ((c->usual_count[i] + 1) * USUAL_GAPS + i) & -(uint32_t)(gap - c->usual[i] <= slack);
}

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Chooses a gap if the last one is not allowed: the most frequent usual gap that is allowed, else the largest bound.
 * The result cannot be predicted, so no branch depends on it. */
static inline enum pilgrim_status choose_gap(struct bins *b, struct class_times *c, uint64_t gap, uint64_t slack)
{
    _Static_assert(USUAL_GAPS == 4, "each is rated");
    uint32_t best = larger(larger(rate_gap(c, 0, gap, slack), rate_gap(c, 1, gap, slack)),
                           larger(rate_gap(c, 2, gap, slack), rate_gap(c, 3, gap, slack)));
    c->gap = best % USUAL_GAPS;
    return __builtin_expect(best == 0, 0) ? replace_gap(b, c, gap) : PILGRIM_OK;
}

static void age_gaps(struct class_times *c)
{
    for (unsigned i = 0; i < USUAL_GAPS; i++)
        c->usual_count[i] /= 2;
}

/* Returns the time from which on the start of a call has to be right: the end of the call before, for the first call
 * with its signature; else, if the class reads a clock, the stored start of the last call that did; else the stored
 * start of the last call with the signature. */
static inline uint64_t measured_from(const struct class_times *c, const struct clock_readings *r, uint64_t last,
                                     uint64_t end)
{
    if (last == NO_START)
        return end;
    return __builtin_expect(c->reads, 0) ? r->last_start : last;
}

/* Stores the gap and the duration of S. *END is the stored end of the call before, then that of S. A usual gap that
 * is longer than allowed fails the comparison with the slack, as the unsigned difference wraps round. */
static inline enum pilgrim_status add_bins(struct bins *b, struct class_times *c, const struct clock_readings *r,
                                           const struct span *s, uint64_t *end)
{
    uint32_t bin;
    if (__builtin_expect(s->signature >= c->start_count, 0))
        TRY(starts_grow(c, s->signature));
    uint64_t *last = &c->starts[s->signature], since = measured_from(c, r, *last, *end);
    uint64_t gap = s->start - *end, slack = bins_slack(b, s->start - since);
    if (gap - c->usual[c->gap] > slack)
        TRY(choose_gap(b, c, gap, slack));
    uint32_t usual = c->gap;
    if (++c->usual_count[usual] == USUAL_COUNT_MAX)
        age_gaps(c);
    TRY(bin_of(b, s->end - s->start, &bin));
    *last = *end + c->usual[usual];
    *end = *last + b->bounds[bin];
    TRY(number_column_put(&c->gaps.of[0], c->usual_bin[usual]));
    return number_column_put(&c->durations.of[0], bin);
}

/* ---- readings ---- */

/* Returns how far NS is before the call's start, negative, or behind its end; 0 if it is between them, where a
 * reading is if the clocks agree. */
static int64_t outside(const struct span *s, uint64_t ns)
{
    if ((int64_t)(ns - s->start) < 0)
        return (int64_t)(ns - s->start);
    return ns > s->end ? (int64_t)(ns - s->end) : 0;
}

/* Appends an anchor to the block: the offset, from the next reading on. */
static void put_anchor(struct clock_readings *r)
{
    bytes_put_varint(&r->anchors, r->count - r->anchored);
    bytes_put_svarint(&r->anchors, (int64_t)((uint64_t)r->offset - (uint64_t)r->anchor));
    r->anchored = r->count;
    r->anchor = r->offset;
    r->anchor_count++;
}

/* Sets the first anchor, or the first one of another thread, so that no reading of these spans is before the start
 * of its call. The first reading alone would not do: it may be much later than its call's start if the call is the
 * first one of its thread. */
static __attribute__((noinline)) void find_anchor(struct times *t, const struct span *spans, const double *readings,
                                                  size_t count)
{
    struct clock_readings *r = &t->readings;
    for (size_t i = 0; i < count; i++) {
        if (!t->classes[spans[i].class].reads || !is_reading(readings[i]))
            continue;
        int64_t offset = (int64_t)((uint64_t)reading_ns(readings[i]) - spans[i].start);
        r->offset = !r->is_anchored || offset < r->offset ? offset : r->offset;
        r->is_anchored = true;
    }
    r->is_seen = r->is_anchored;
}

/* Moves the anchor. At once if the reading is before the start of the call: no call so far was as quick to read the
 * clock, or the clock was set. If it is behind the end, the clocks have drifted apart if the difference is small
 * against the time since the last reading, or one was set if it is large. */
static void follow_clock(struct clock_readings *r, const struct bins *b, const struct span *s, int64_t ns)
{
    int64_t apart = outside(s, (uint64_t)ns - (uint64_t)r->offset), since = ns - r->last;
    bool is_little = since > 0 && (double)apart * BINS_UNIT * 2 <= (double)b->base * (double)since;
    if (apart < 0 || (apart > APART_NS_DRIFT && (is_little || apart > APART_NS_SET)))
        r->offset = (int64_t)((uint64_t)r->offset + (uint64_t)apart);
    r->last = ns;
}

/* Stores the reading VALUE of the call S. */
static __attribute__((noinline)) enum pilgrim_status add_bin_reading(struct times *t, struct class_times *c,
                                                                     const struct span *s, double value)
{
    struct clock_readings *r = &t->readings;
    struct bins *b = &t->bases[c->base];
    uint64_t inner = 0;
    uint32_t bin;
    if (is_reading(value)) {
        int64_t ns = reading_ns(value);
        follow_clock(r, b, s, ns);
        inner = (uint64_t)ns - (uint64_t)r->offset - s->start;
        inner = (int64_t)inner < 0 ? 0 : inner > s->end - s->start ? s->end - s->start : inner;
    }
    if (!r->anchor_count || r->offset != r->anchor)
        put_anchor(r);
    r->count++;
    r->last_start = c->starts[s->signature];
    TRY(bin_of(b, inner, &bin));
    return number_column_put(&c->readings, bin);
}
/* ---- calls ---- */

enum pilgrim_status times_add_bins(struct times *t, const struct span *spans, const double *readings, size_t count)
{
    uint64_t end = t->end;
    for (const struct span *s = spans; s < spans + count; s++) {
        if (!is_span(t, s, end))
            return PILGRIM_INVALID;
        struct class_times *c = &t->classes[s->class];
        TRY(add_bins(&t->bases[c->base], c, &t->readings, s, &end));
        if (__builtin_expect(c->reads, 0)) {
            if (__builtin_expect(!t->readings.is_seen, 0))
                find_anchor(t, s, readings + (s - spans), count - (size_t)(s - spans));
            TRY(add_bin_reading(t, c, s, readings[s - spans]));
        }
    }
    t->end = end;
    return PILGRIM_OK;
}
