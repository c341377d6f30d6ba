/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the encoder of times (times.h), for its three files: times.c has the object and makes sections,
 * times_bins.c and times_exact.c encode calls. */
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
    uint32_t mean;              /* exact: times_code_inline.h */
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
/* Encodes COUNT calls for times_add, whose contract holds here. T->kind says which of the two is called. */
enum pilgrim_status times_add_bins(struct times *t, const struct span *spans, const double *readings,
                                   size_t count) PILGRIM_CHECKED;
enum pilgrim_status times_add_exact(struct times *t, const struct span *spans, const double *readings,
                                    size_t count) PILGRIM_CHECKED;

/* number_column_put where there is no room, or more than one plane is needed. errors: PILGRIM_NOMEM */
enum pilgrim_status number_column_put_slowly(struct number_column *c, uint32_t number) PILGRIM_CHECKED;

/* Appends NUMBER, which is below 2^24. errors: PILGRIM_NOMEM */
static inline enum pilgrim_status number_column_put(struct number_column *c, uint32_t number)
{
    if (__builtin_expect(c->count >= c->limit || number > UINT8_MAX, 0))
        return number_column_put_slowly(c, number);
    c->plane[0][c->count++] = (uint8_t)number;
    return PILGRIM_OK;
}

/* times_is_reading. */
static inline bool is_reading(double value)
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

#endif
