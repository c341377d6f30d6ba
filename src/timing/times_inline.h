/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the encoder of times (times.h), and what its files share inline: times.c has the object and makes
 * sections, times_bins.c and times_exact.c encode calls. */
#ifndef PILGRIM_TIMES_INLINE_H
#define PILGRIM_TIMES_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "timing/bins.h"
#include "timing/times.h"
#include "timing/times_code_inline.h"

enum { PLANES_MAX = 3, USUAL_GAPS = 4 };

#define NO_START UINT64_MAX

/* The gaps, the durations or the readings of a class, as numbers. */
struct number_column {
    uint32_t count;
    uint32_t limit; /* below it a byte goes straight into the first plane; `capacity`, or 0 with several planes */
    uint32_t capacity;
    uint32_t width;
    uint8_t *plane[PLANES_MAX]; /* `width` of them, with room for `capacity` bytes */
};

/* The gaps of a class, or its durations. */
struct class_numbers {
    /* Exact: numbers that follow a short time, then those that follow a long one; bins: all in the first. */
    struct number_column of[2];
    uint32_t mean; /* exact: times_code_inline.h */
};

/* A class of calls. It is not known before it is announced. */
struct class_times {
    bool is_known;
    uint8_t base; /* bins: its index in `bases` */
    uint32_t start_count;
    uint64_t *starts; /* bins: by signature the stored start of its last call, or NO_START */
    struct class_numbers gaps, durations;
    bool reads;                       /* its calls have readings of a clock */
    struct number_column readings;    /* exact: as codes; bins: of the time from the call's start to the reading */
    struct number_column corrections; /* exact: as codes */
    /* The rest is for bins: the gaps that the class had. */
    uint32_t gap; /* the last one, as index */
    uint64_t usual[USUAL_GAPS];
    uint32_t usual_bin[USUAL_GAPS];
    uint32_t usual_count[USUAL_GAPS]; /* how often they were stored, of late */
};

/* The readings of all classes. */
struct clock_readings {
    int64_t offset;      /* exact: from the start of the last pending reading's call to the reading; bins: the anchor */
    bool is_anchored;    /* bins: there is an anchor */
    bool is_seen;        /* bins: an anchor was searched for in the coming readings (find_anchor) */
    int64_t last;        /* bins: the last reading, ns */
    uint64_t last_start; /* bins: the stored start of its call, or NO_START */
    /* The rest is for bins: the anchors of pending readings. */
    struct bytes anchors;
    uint32_t anchor_count;
    int64_t anchor;    /* the last one of `anchors` */
    uint64_t anchored; /* index of the reading that it begins at */
    uint64_t count;
};

struct times {
    enum times_kind kind;
    bool is_high; /* exact: the column that the next number goes into */
    uint32_t class_count;
    uint32_t base_count;
    uint64_t end;   /* of the last call, as stored */
    uint64_t begin; /* `end` before the first pending call */
    uint64_t pending;
    struct class_times *classes;
    struct bins bases[TIMES_BASES_MAX];
    struct bytes bits; /* exact: of the pending calls, whole bytes */
    uint64_t held;     /* exact: the bits behind them, `held_count` */
    unsigned held_count;
    struct clock_readings readings;
};

/* Encode COUNT calls for times_add, whose contract holds here. T->kind decides which of the two is called. */
enum pilgrim_status times_add_bins(struct times *t, const struct span *spans, const double *readings,
                                   size_t count) PILGRIM_CHECKED;
enum pilgrim_status times_add_exact(struct times *t, const struct span *spans, const double *readings,
                                    size_t count) PILGRIM_CHECKED;

/* number_column_put for a column that is full, or that has or needs more than one plane. errors: PILGRIM_NOMEM */
enum pilgrim_status number_column_put_slowly(struct number_column *c, uint32_t number) PILGRIM_CHECKED;

/* Appends NUMBER, which is below 2^24. errors: PILGRIM_NOMEM */
static inline enum pilgrim_status number_column_put(struct number_column *c, uint32_t number)
{
    if (__builtin_expect(c->count >= c->limit || number > UINT8_MAX, 0))
        return number_column_put_slowly(c, number);
    c->plane[0][c->count++] = (uint8_t)number;
    return PILGRIM_OK;
}

/* As times_is_reading. */
static inline bool is_reading(double value)
{
    int64_t bits = reading_bits(value);
    return bits >= 0 && bits < READING_BITS_END;
}

/* True if S can be encoded. END, which is below 2^63, is the end of the call before. */
static inline bool is_span(const struct times *t, const struct span *s, uint64_t end)
{
    return s->class < t->class_count && t->classes[s->class].is_known &&
           (int64_t)(s->start | s->end | (s->start - end) | (s->end - s->start)) >= 0;
}

#endif
