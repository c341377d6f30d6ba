/* SPDX-License-Identifier: BSD-3-Clause */
/* Value runs: consecutive values of a long array in a key (base/value.h) that are equal but for slots, and each slot
 * grows by a constant step. Only the first two values are stored, behind the token VALUE_SERIES and the number of
 * values. So 10^5 requests and their statuses take some dozen bytes in the key, in the signature table, and in
 * comparisons of keys. The file stores such an array without runs (merge/shape.h).
 *
 * Equal arrays have equal runs: a run begins at the first three consecutive values with equal steps and ends at the
 * first value that breaks them. */
#ifndef PILGRIM_VALUE_RUN_H
#define PILGRIM_VALUE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    RUN_HEAD_BYTES = 5,   /* VALUE_SERIES, and the number of values, which is 3 or more */
    RUN_VALUE_BYTES = 64, /* longer values never form a run ... */
    RUN_SLOTS = 8         /* ... nor do values with more changing slots */
};

/* The steps from one value to the next. */
struct run_steps {
    uint32_t count;
    uint8_t offsets[RUN_SLOTS]; /* of the slots that change */
    uint64_t steps[RUN_SLOTS];
};

/* True if the values A and B, of LENGTH bytes each, may stand in one run: they differ only in slots, none sets a rank
 * base, and the classes of requests are equal. Sets *S. */
bool run_steps_between(const uint8_t *a, const uint8_t *b, size_t length, struct run_steps *s);

/* Changes VALUE into the next value of the run. */
void run_advance(uint8_t *value, const struct run_steps *s);

/* An array that is being written. COUNT 0: before the first value; all else is then undefined. */
struct run_writer {
    uint8_t *first; /* the last value, the first of two, or the head of the run */
    size_t length;  /* of one value */
    uint32_t count; /* 1 or 2: so many values, no run yet; else values of the run */
    struct run_steps steps;
    uint8_t next[RUN_VALUE_BYTES]; /* the value that would continue the run */
};

/* Begins an array. Clears no more than it must, because most arrays are too short for a run. */
static inline void run_begin(struct run_writer *w)
{
    w->count = 0;
}

uint8_t *run_put_other(struct run_writer *w, uint8_t *value, uint8_t *end);

/* Takes the next value of the array, which the caller has stored from VALUE to END. Returns where the value after it
 * goes. May use bytes behind END, fewer than RUN_HEAD_BYTES a value. */
static inline uint8_t *run_put(struct run_writer *w, uint8_t *value, uint8_t *end)
{
    if (w->count < 3 || (size_t)(end - value) != w->length || memcmp(value, w->next, w->length) != 0)
        return run_put_other(w, value, end);
    w->count++;
    memcpy(w->first + 1,
           &(uint8_t[4]){(uint8_t)w->count, (uint8_t)(w->count >> 8), (uint8_t)(w->count >> 16),
                         (uint8_t)(w->count >> 24)},
           4);
    run_advance(w->next, &w->steps);
    return value;
}

#endif
