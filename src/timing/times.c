/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder of times; see times.h.
 *
 * A call's two numbers go straight into the columns of its class, a byte each, in planes as the file has them: a second
 * and a third plane are there from the first number on that needs them. */
#include "timing/times.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "timing/times_code.h"

/* Of two clocks that were together, so many ns apart: they have drifted; one of them was set. */
enum { APART_NS_DRIFT = 4000, APART_NS_SET = 1000000000 };

enum { PLANES_MAX = 3, CAPACITY_MIN = 64, CLASSES_MIN = 16, STARTS_MIN = 4, USUAL_GAPS = 4, USUAL_COUNT_MAX = 256 };

#define NO_START UINT64_MAX

#define SPAN_BITS_BYTES_MAX 32 /* exact: of both times of a call, and of its reading */
#define PUT_BITS            56 /* at once, beside 7 that wait */

/* Numbers of one kind and class. */
struct number_column {
    uint32_t count;
    uint32_t limit; /* up to here bytes are just put into the first plane: capacity, or 0 if there are more */
    uint32_t capacity;
    uint32_t width;
    uint8_t *plane[PLANES_MAX]; /* below width: of capacity */
};

/* The gaps of a class, or its durations. */
struct class_numbers {
    struct number_column of[2]; /* exact: the low ones, the high ones; bins: all, none */
    uint32_t mean;              /* exact: times_code.h */
};

/* A class of calls; not known before it is announced. */
struct class_times {
    bool is_known;
    uint8_t base; /* bins: its number among the bases */
    uint32_t start_count;
    uint64_t *starts; /* bins: for each signature the stored start of its last call, or NO_START */
    struct class_numbers gaps, durations;
    bool reads;                                 /* its calls have readings of a clock: */
    struct number_column readings, corrections; /* exact: as codes; bins: times from the start to the reading, none */
    /* Bins: gaps that the class had, */
    uint32_t gap; /* the last one of them, */
    uint64_t usual[USUAL_GAPS];
    uint32_t usual_bin[USUAL_GAPS];
    uint32_t usual_count[USUAL_GAPS]; /* and how often, of late */
};

/* What is known of the readings of all classes. */
struct clock_readings {
    int64_t offset;      /* exact: of the last reading that is pending from its call's start; bins: the anchor */
    bool is_anchored;    /* bins */
    bool is_seen;        /* bins: the readings that come next were looked at for an anchor: find_anchor */
    int64_t last;        /* bins: the last reading, ns ... */
    uint64_t last_start; /* ... and the stored start of its call, or NO_START */
    /* Bins, of those that are pending: */
    struct bytes anchors;
    uint32_t anchor_count;
    int64_t anchor;    /* the last one in there ... */
    uint64_t anchored; /* ... and the reading that it is for */
    uint64_t count;
};

struct times {
    enum times_kind kind;
    bool is_high; /* exact: what comes next */
    uint32_t class_count;
    uint32_t base_count;
    uint64_t end;   /* stored, of the last call */
    uint64_t begin; /* what it was before the first call that is pending */
    uint64_t pending;
    struct class_times *classes;
    struct bins bases[TIMES_BASES_MAX];
    struct bytes bits; /* exact: of the calls that are pending */
    uint64_t held;     /* those that are no whole byte yet, held_count */
    unsigned held_count;
    struct clock_readings readings;
};

struct times *times_new(enum times_kind kind)
{
    struct times *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->kind = kind;
    t->readings.last_start = NO_START;
    return t;
}

static void column_free(struct number_column *c)
{
    for (unsigned i = 0; i < PLANES_MAX; i++)
        free(c->plane[i]);
    *c = (struct number_column){.width = 1};
}

static void class_numbers_free(struct class_numbers *n)
{
    column_free(&n->of[0]);
    column_free(&n->of[1]);
}

static void class_free(struct class_times *c)
{
    class_numbers_free(&c->gaps);
    class_numbers_free(&c->durations);
    column_free(&c->readings);
    column_free(&c->corrections);
    free(c->starts);
}

void times_renew(struct times *t)
{
    for (uint32_t i = 0; i < t->class_count; i++)
        class_free(&t->classes[i]);
    free(t->classes);
    t->classes = NULL;
    t->class_count = 0;
}

void times_jump(struct times *t, uint64_t end)
{
    for (uint32_t i = 0; i < t->class_count; i++)
        for (uint32_t k = 0; k < t->classes[i].start_count; k++)
            t->classes[i].starts[k] = NO_START;
    t->readings.last_start = NO_START;
    t->readings.is_seen = false;
    t->end = end;
}

void times_restart(struct times *t)
{
    times_renew(t);
    t->end = t->begin = 0;
    t->is_high = false;
}

void times_free(struct times *t)
{
    if (!t)
        return;
    times_renew(t);
    for (uint32_t i = 0; i < t->base_count; i++)
        bins_free(&t->bases[i]);
    bytes_free(&t->bits);
    bytes_free(&t->readings.anchors);
    free(t);
}

uint64_t times_pending(const struct times *t)
{
    return t->pending;
}

static size_t column_bytes(const struct number_column *c)
{
    return (size_t)c->width * c->capacity;
}

static size_t class_bytes(const struct class_times *c)
{
    size_t bytes = column_bytes(&c->readings) + column_bytes(&c->corrections);
    for (unsigned i = 0; i < 2; i++)
        bytes += column_bytes(&c->gaps.of[i]) + column_bytes(&c->durations.of[i]);
    return bytes;
}

size_t times_segment_bytes(const struct times *t)
{
    size_t bytes = t->class_count * sizeof *t->classes;
    for (uint32_t i = 0; i < t->class_count; i++)
        bytes += t->classes[i].start_count * sizeof *t->classes[i].starts;
    return bytes;
}

size_t times_memory_bytes(const struct times *t)
{
    size_t bytes = sizeof *t + t->bits.capacity + t->readings.anchors.capacity + times_segment_bytes(t);
    for (uint32_t i = 0; i < t->class_count; i++)
        bytes += class_bytes(&t->classes[i]);
    for (uint32_t i = 0; i < t->base_count; i++)
        bytes +=
            t->bases[i].capacity * sizeof *t->bases[i].bounds + t->bases[i].slot_capacity * sizeof *t->bases[i].slots;
    return bytes;
}

/* ---- classes ---- */

/* The number of BASE, which is given one if it is new. */
static enum pilgrim_status base_number(struct times *t, uint32_t base, uint8_t *number)
{
    uint32_t i = 0;
    while (i < t->base_count && t->bases[i].base != base)
        i++;
    if (i == TIMES_BASES_MAX || base < BINS_BASE_MIN || base > BINS_BASE_MAX)
        return PILGRIM_LIMIT;
    if (i == t->base_count) {
        bins_init(&t->bases[i], base);
        TRY(bins_reach(&t->bases[i], 0));
        t->base_count++;
    }
    *number = (uint8_t)i;
    return PILGRIM_OK;
}

static enum pilgrim_status make_room(struct times *t, uint32_t class)
{
    if (class < t->class_count)
        return PILGRIM_OK;
    size_t count = t->class_count ? t->class_count : CLASSES_MIN;
    while (count <= class)
        count *= 2;
    if (count > UINT32_MAX)
        return PILGRIM_LIMIT;
    struct class_times *classes = realloc(t->classes, count * sizeof *classes);
    if (!classes)
        return PILGRIM_NOMEM;
    for (size_t i = t->class_count; i < count; i++)
        classes[i] = (struct class_times){.gaps.of = {{.width = 1}, {.width = 1}},
                                          .durations.of = {{.width = 1}, {.width = 1}},
                                          .readings.width = 1,
                                          .corrections.width = 1};
    t->classes = classes;
    t->class_count = (uint32_t)count;
    return PILGRIM_OK;
}

enum pilgrim_status times_class(struct times *t, uint32_t class, uint32_t base, bool reads)
{
    uint8_t number = 0;
    TRY(make_room(t, class));
    if (t->kind == TIMES_BINS)
        TRY(base_number(t, base, &number));
    struct class_times *c = &t->classes[class];
    c->base = number;
    c->reads = reads;
    c->is_known = true;
    return PILGRIM_OK;
}

/* ---- columns ---- */

static enum pilgrim_status column_grow(struct number_column *c)
{
    uint32_t capacity = c->capacity ? 2 * c->capacity : CAPACITY_MIN;
    for (unsigned i = 0; i < c->width; i++) {
        uint8_t *plane = realloc(c->plane[i], capacity);
        if (!plane)
            return PILGRIM_NOMEM;
        c->plane[i] = plane;
    }
    c->capacity = capacity;
    c->limit = c->width == 1 ? capacity : 0;
    return PILGRIM_OK;
}

/* column_put where there is no room, or more than one plane. */
static __attribute__((noinline)) enum pilgrim_status column_put_slowly(struct number_column *c, uint32_t number)
{
    if (c->count == c->capacity)
        TRY(column_grow(c));
    for (; c->width < PLANES_MAX && number >> (8 * c->width); c->width++) {
        uint8_t *plane = malloc(c->capacity);
        if (!plane)
            return PILGRIM_NOMEM;
        memset(plane, 0, c->count);
        c->plane[c->width] = plane;
        c->limit = 0;
    }
    for (unsigned i = 0; i < c->width; i++)
        c->plane[i][c->count] = (uint8_t)(number >> (8 * i));
    c->count++;
    return PILGRIM_OK;
}

static inline enum pilgrim_status column_put(struct number_column *c, uint32_t number)
{
    if (__builtin_expect(c->count >= c->limit || number > UINT8_MAX, 0))
        return column_put_slowly(c, number);
    c->plane[0][c->count++] = (uint8_t)number;
    return PILGRIM_OK;
}

/* After its numbers were taken: one plane, and no room where little of it was used. Else each of many classes would
 * come to have it for whole blocks. */
static void column_renew(struct number_column *c)
{
    if (c->count < c->capacity / 4)
        c->capacity = 0;
    for (unsigned i = c->capacity ? 1 : 0; i < PLANES_MAX; i++) {
        free(c->plane[i]);
        c->plane[i] = NULL;
    }
    c->width = 1;
    c->limit = c->capacity;
    c->count = 0;
}

static void class_renew(struct class_times *c)
{
    for (unsigned i = 0; i < 2; i++) {
        column_renew(&c->gaps.of[i]);
        column_renew(&c->durations.of[i]);
    }
    column_renew(&c->readings);
    column_renew(&c->corrections);
    c->gaps.mean = c->durations.mean = 0;
}

/* ---- bins ---- */

/* A place for the start of SIGNATURE's last call. */
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

/* The largest gap that is not above GAP becomes a usual one, in place of the rarest. */
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

/* How well usual gap I stands for GAP, which it may be shorter than by SLACK: 0: not at all, else (its count + 1) x
 * USUAL_GAPS + I. */
static inline uint32_t rate_gap(const struct class_times *c, uint32_t i, uint64_t gap, uint64_t slack)
{
    return ((c->usual_count[i] + 1) * USUAL_GAPS + i) & -(uint32_t)(gap - c->usual[i] <= slack);
}

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Chooses a gap where the last one does not do: of the usual ones that do the most frequent one, else the largest one
 * there is. Which one it will be cannot be predicted, so there is no branch that depends on it. */
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

/* What the start of a call is measured from, the latest that it has to be right from: the end of the call before, if it
 * is the first one with its signature; else, if it reads a clock, the stored start of the last one that did; else that
 * of the last one with the signature. */
static inline uint64_t measured_from(const struct class_times *c, const struct clock_readings *r, uint64_t last,
                                     uint64_t end)
{
    if (last == NO_START)
        return end;
    return __builtin_expect(c->reads, 0) ? r->last_start : last;
}

/* *END: that of the call before, as stored, then that of this one. A gap that is too long by the error of a choice is
 * larger than any slack, as numbers without a sign go round. */
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
    TRY(column_put(&c->gaps.of[0], c->usual_bin[usual]));
    return column_put(&c->durations.of[0], bin);
}

/* From NS back to the call's start or on to its end, which is where a reading lies if the clocks agree; negative: back.
 */
static int64_t outside(const struct span *s, uint64_t ns)
{
    if ((int64_t)(ns - s->start) < 0)
        return (int64_t)(ns - s->start);
    return ns > s->end ? (int64_t)(ns - s->end) : 0;
}

/* Puts an anchor into the block: from the next reading on the offset is that. */
static void put_anchor(struct clock_readings *r)
{
    bytes_put_varint(&r->anchors, r->count - r->anchored);
    bytes_put_svarint(&r->anchors, (int64_t)((uint64_t)r->offset - (uint64_t)r->anchor));
    r->anchored = r->count;
    r->anchor = r->offset;
    r->anchor_count++;
}

/* Sets the first anchor, or one for a thread that comes behind another: by which no reading of these spans is before
 * its call's start. One reading alone may be much behind it, where the call was its thread's first. */
static __attribute__((noinline)) void find_anchor(struct times *t, const struct span *spans, const double *readings,
                                                  size_t count)
{
    struct clock_readings *r = &t->readings;
    for (size_t i = 0; i < count; i++) {
        if (!t->classes[spans[i].class].reads || !times_is_reading(readings[i]))
            continue;
        int64_t offset = (int64_t)((uint64_t)reading_ns(readings[i]) - spans[i].start);
        r->offset = !r->is_anchored || offset < r->offset ? offset : r->offset;
        r->is_anchored = true;
    }
    r->is_seen = r->is_anchored;
}

/* Moves the anchor if the clocks have gone apart: where that is little of the interval since the last reading, or by so
 * much that one of them was set. */
static void follow_clock(struct clock_readings *r, const struct bins *b, const struct span *s, int64_t ns)
{
    int64_t apart = outside(s, (uint64_t)ns - (uint64_t)r->offset), size = apart < 0 ? -apart : apart,
            since = ns - r->last;
    bool is_little = since > 0 && (double)size * BINS_UNIT * 2 <= (double)b->base * (double)since;
    if (size > APART_NS_DRIFT && (is_little || size > APART_NS_SET))
        r->offset = (int64_t)((uint64_t)r->offset + (uint64_t)apart);
    r->last = ns;
}

/* END: of the call S, as stored. */
static __attribute__((noinline)) enum pilgrim_status add_bin_reading(struct times *t, struct class_times *c,
                                                                     const struct span *s, double value)
{
    struct clock_readings *r = &t->readings;
    struct bins *b = &t->bases[c->base];
    uint64_t inner = 0;
    uint32_t bin;
    if (times_is_reading(value)) {
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
    return column_put(&c->readings, bin);
}

/* ---- exact ---- */

/* Bits that are being put: copies, which stay in registers, of what the object has. */
struct bit_writer {
    uint64_t held;
    unsigned count;
    uint8_t *at;
};

/* The COUNT lowest bits of VALUE, the others of which are 0; at most PUT_BITS. Whole bytes are put; the room behind
 * them is written, too. */
static inline void bits_put_some(struct bit_writer *w, uint64_t value, unsigned count)
{
    uint64_t held = w->held | value << w->count;
    count += w->count;
    uint64_t little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? held : __builtin_bswap64(held);
    memcpy(w->at, &little_endian, sizeof little_endian);
    w->at += count / 8;
    w->held = held >> (count & ~7u);
    w->count = count & 7;
}

static inline void bits_put(struct bit_writer *w, uint64_t value, unsigned count)
{
    if (__builtin_expect(count > PUT_BITS, 0)) {
        bits_put_some(w, value & 0xff, 8);
        value >>= 8;
        count -= 8;
    }
    bits_put_some(w, value, count);
}

/* Puts VALUE's code behind the numbers of its kind that it stands with. What the code leaves out is *REST, *BITS of
 * them. */
static inline enum pilgrim_status put_code(struct class_numbers *n, bool *is_high, uint64_t value, uint64_t *rest,
                                           unsigned *bits)
{
    unsigned code = times_code(value, bits);
    struct number_column *column = &n->of[*is_high];
    *rest = value & ((UINT64_C(1) << *bits) - 1);
    *is_high = times_code_is_long(code, &n->mean);
    return column_put(column, code);
}

static inline enum pilgrim_status add_exact(struct bit_writer *w, struct class_times *c, bool *is_high, uint64_t gap,
                                            uint64_t duration)
{
    uint64_t gap_rest, rest;
    unsigned gap_bits, bits;
    TRY(put_code(&c->gaps, is_high, gap, &gap_rest, &gap_bits));
    TRY(put_code(&c->durations, is_high, duration, &rest, &bits));
    if (__builtin_expect(gap_bits + bits > PUT_BITS, 0)) {
        bits_put(w, gap_rest, gap_bits);
        bits_put(w, rest, bits);
    } else {
        bits_put_some(w, gap_rest | rest << gap_bits, gap_bits + bits);
    }
    return PILGRIM_OK;
}

/* Puts VALUE's code into COLUMN, and what it leaves out. */
static enum pilgrim_status put_whole(struct bit_writer *w, struct number_column *column, int64_t value)
{
    uint64_t number = zigzag(value);
    unsigned bits;
    if (number > TIMES_NS_MAX)
        return PILGRIM_INVALID;
    unsigned code = times_code(number, &bits);
    bits_put(w, number & ((UINT64_C(1) << bits) - 1), bits);
    return column_put(column, code);
}

/* The ns that stand for VALUE: those that are expected if they do as well, else those that are nearest. */
static int64_t choose_ns(double value, uint64_t expected)
{
    return expected <= READING_NS_MAX && reading_seconds((int64_t)expected) == value ? (int64_t)expected
                                                                                     : reading_ns(value);
}

static __attribute__((noinline)) enum pilgrim_status
add_exact_reading(struct bit_writer *w, struct times *t, struct class_times *c, const struct span *s, double value)
{
    struct clock_readings *r = &t->readings;
    int64_t change = 0, correction = 0;
    if (times_is_reading(value)) {
        int64_t ns = choose_ns(value, (uint64_t)r->offset + s->start);
        int64_t offset = (int64_t)((uint64_t)ns - s->start);
        change = (int64_t)((uint64_t)offset - (uint64_t)r->offset);
        correction = reading_bits(value) - reading_bits(reading_seconds(ns));
        r->offset = offset;
    }
    r->count++;
    TRY(put_whole(w, &c->readings, change));
    return put_whole(w, &c->corrections, correction);
}

/* ---- both ---- */

bool times_is_reading(double value)
{
    int64_t bits = reading_bits(value);
    return bits >= 0 && bits < READING_BITS_END;
}

/* The call before ended at END, which is below 2^63. */
static inline bool is_span(const struct times *t, const struct span *s, uint64_t end)
{
    return s->class < t->class_count && t->classes[s->class].is_known &&
           (int64_t)(s->start | s->end | (s->start - end) | (s->end - s->start)) >= 0;
}

static enum pilgrim_status add_all_bins(struct times *t, const struct span *spans, const double *readings, size_t count)
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

static enum pilgrim_status add_all_exact(struct times *t, const struct span *spans, const double *readings,
                                         size_t count)
{
    uint8_t *bits = bytes_reserve(&t->bits, (count + 1) * SPAN_BITS_BYTES_MAX);
    if (!bits)
        return PILGRIM_NOMEM;
    struct bit_writer w = {t->held, t->held_count, bits};
    uint64_t end = t->end;
    bool is_high = t->is_high;
    for (const struct span *s = spans; s < spans + count; s++) {
        if (!is_span(t, s, end))
            return PILGRIM_INVALID;
        struct class_times *c = &t->classes[s->class];
        TRY(add_exact(&w, c, &is_high, s->start - end, s->end - s->start));
        if (__builtin_expect(c->reads, 0))
            TRY(add_exact_reading(&w, t, c, s, readings[s - spans]));
        end = s->end;
    }
    t->bits.length += (size_t)(w.at - bits);
    t->held = w.held;
    t->held_count = w.count;
    t->end = end;
    t->is_high = is_high;
    return PILGRIM_OK;
}

enum pilgrim_status times_add(struct times *t, const struct span *spans, const double *readings, size_t count)
{
    if (!t->pending)
        t->begin = t->end;
    t->pending += count;
    return t->kind == TIMES_BINS ? add_all_bins(t, spans, readings, count) : add_all_exact(t, spans, readings, count);
}

/* Calls of the class that are pending. */
static uint32_t pending_calls(const struct class_times *c)
{
    return c->gaps.of[0].count + c->gaps.of[1].count;
}

static void put_classes(const struct times *t, struct bytes *content)
{
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < t->class_count; i++)
        count += pending_calls(&t->classes[i]) > 0;
    bytes_put_varint(content, count);
    for (uint32_t i = 0; i < t->class_count; i++) {
        const struct class_times *c = &t->classes[i];
        uint32_t calls = pending_calls(c);
        if (!calls)
            continue;
        bytes_put_varint(content, i - next);
        bytes_put_varint(content, calls);
        next = i + 1;
        if (t->kind == TIMES_BINS) {
            bytes_put_varint(content, c->base);
            bytes_put_u8(content, (uint8_t)c->gaps.of[0].width);
            bytes_put_u8(content, (uint8_t)c->durations.of[0].width);
        } else {
            bytes_put_varint(content, c->gaps.of[1].count);
            bytes_put_varint(content, c->durations.of[1].count);
        }
    }
}

/* The classes that read, and what holds for all their readings. */
static void put_readers(const struct times *t, struct bytes *content)
{
    uint32_t bin = 0, next = 0, count = 0;
    for (uint32_t i = 0; i < t->class_count; i++)
        count += t->classes[i].readings.count > 0;
    bytes_put_varint(content, count);
    for (uint32_t i = 0; i < t->class_count; i++) {
        const struct class_times *c = &t->classes[i];
        if (c->readings.count) {
            bytes_put_varint(content, bin - next);
            next = bin + 1;
            if (t->kind == TIMES_BINS)
                bytes_put_u8(content, (uint8_t)c->readings.width);
        }
        bin += pending_calls(c) > 0;
    }
    if (t->kind == TIMES_BINS) {
        bytes_put_varint(content, t->readings.anchor_count);
        bytes_put(content, t->readings.anchors.data, t->readings.anchors.length);
    }
}

static void put_column(const struct number_column *c, struct bytes *content, struct bytes *ends)
{
    if (!c->count)
        return;
    for (unsigned plane = 0; plane < c->width; plane++)
        bytes_put(content, c->plane[plane], c->count);
    bytes_put(ends, &content->length, sizeof content->length);
}

static void put_class_numbers(const struct class_numbers *numbers, struct bytes *content, struct bytes *ends)
{
    put_column(&numbers->of[0], content, ends);
    put_column(&numbers->of[1], content, ends);
}

static void put_columns(const struct times *t, struct bytes *content, struct bytes *ends)
{
    for (uint32_t i = 0; i < t->class_count; i++)
        put_class_numbers(&t->classes[i].gaps, content, ends);
    for (uint32_t i = 0; i < t->class_count; i++)
        put_class_numbers(&t->classes[i].durations, content, ends);
    for (uint32_t i = 0; i < t->class_count; i++)
        put_column(&t->classes[i].readings, content, ends);
    for (uint32_t i = 0; i < t->class_count; i++)
        put_column(&t->classes[i].corrections, content, ends);
}

/* No reading is pending. In bins the anchor stays. */
static void readings_taken(struct clock_readings *r, enum times_kind kind)
{
    if (kind == TIMES_EXACT)
        r->offset = 0;
    r->anchors.length = 0;
    r->anchor_count = 0;
    r->anchor = 0;
    r->anchored = r->count = 0;
}

enum pilgrim_status times_take(struct times *t, struct bytes *content, struct bytes *ends)
{
    bytes_put_varint(content, t->pending);
    bytes_put_varint(content, t->begin);
    bytes_put_u8(content, (uint8_t)(t->kind + (t->readings.count ? TIMES_READS : 0)));
    if (t->kind == TIMES_BINS) {
        bytes_put_varint(content, t->base_count);
        for (uint32_t i = 0; i < t->base_count; i++)
            bytes_put_varint(content, t->bases[i].base);
    }
    put_classes(t, content);
    if (t->readings.count)
        put_readers(t, content);
    put_columns(t, content, ends);
    bytes_put(content, t->bits.data, t->bits.length);
    if (t->held_count)
        bytes_put_u8(content, (uint8_t)t->held);
    TRY(bytes_status(&t->readings.anchors));
    TRY(bytes_status(content));
    TRY(bytes_status(ends));
    for (uint32_t i = 0; i < t->class_count; i++)
        class_renew(&t->classes[i]);
    t->bits.length = 0;
    t->held = 0;
    t->held_count = 0;
    t->is_high = false;
    t->pending = 0;
    readings_taken(&t->readings, t->kind);
    return PILGRIM_OK;
}
