/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs: values of a long array in a key (base/value.h) that are alike but for slots, each of which goes on by equal
 * steps. The first two of them stand for all, behind the token VALUE_SERIES with their number. So 10^5 requests, and
 * their statuses, take some dozen bytes in the key, in the table of signatures and wherever keys are compared. In the
 * file an array is written without them (merge/shape.h).
 *
 * Equal arrays have equal runs: a run begins at the first three values in a row that go on so, and ends where one does
 * not. */
#ifndef PILGRIM_VALUE_RUN_H
#define PILGRIM_VALUE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    RUN_HEAD_BYTES = 5,   /* VALUE_SERIES, and how many values: 3 or more */
    RUN_VALUE_BYTES = 64, /* longer values stand as they are ... */
    RUN_SLOTS = 8         /* ... and so do those with more slots */
};

/* From one value to the next. */
struct run_steps {
    uint32_t count;
    uint8_t offsets[RUN_SLOTS]; /* of slots */
    uint64_t steps[RUN_SLOTS];
};

/* Whether the values A and B, of LENGTH bytes each, may go on in a run: they differ in slots at most, none sets a rank
 * base, and a request's class stays. */
bool run_steps_between(const uint8_t *a, const uint8_t *b, size_t length, struct run_steps *s);

/* Makes of VALUE the one that follows it. */
void run_advance(uint8_t *value, const struct run_steps *s);

/* An array that is being put. All zero is before its first value. */
struct run_writer {
    uint8_t *first; /* value, or head, of what may go on */
    size_t length;  /* of a value */
    uint32_t count; /* 1 or 2 values stand there, or those of a run */
    struct run_steps steps;
    uint8_t next[RUN_VALUE_BYTES]; /* the value that would go on */
};

uint8_t *run_put_other(struct run_writer *w, uint8_t *value, uint8_t *end);

/* The next value of the array has been stored from VALUE to END. Returns where the one behind it goes; bytes behind END
 * may be used, fewer than RUN_HEAD_BYTES for each value. */
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
