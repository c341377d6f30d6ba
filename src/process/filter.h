/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are left out (PILGRIM_FILTER). Their calls are not recorded; the objects that they create and free are
 * still followed, as while recording is paused. A wrapper looks here only if a call's class is not the predicted one,
 * so the filter costs recorded calls nothing. */
#ifndef PILGRIM_FILTER_H
#define PILGRIM_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "functions.h"

/* By function: true if its calls are left out. Read-only; all false before filter_begin. */
extern bool filter_left_out[FUNCTION_COUNT] __attribute__((visibility("hidden")));

/* Fills filter_left_out from capture.settings. Call it before the first MPI call. */
void filter_begin(void);

/* Calls WARN with a line for each pattern that cannot have an effect: it fits no function, or names one that is always
 * recorded. */
void filter_check(void (*warn)(const char *line));

/* Why calls of a function are not recorded. */
enum filter_reason {
    FILTER_UNSEEN, /* another tool hides them */
    FILTER_INSIDE, /* they were made inside another call, which could not have them (wrap/inside.h) */
    FILTER_REASONS
};

/* Notes that calls of FUNCTION were not recorded for REASON; the trace lists it. Any thread, and signal handlers. */
void filter_note(enum filter_reason reason, uint32_t function);

bool filter_is_noted(enum filter_reason reason, uint32_t function);

/* Returns the I-th function that was noted for REASON, in any order; NULL if there are no more. */
const char *filter_noted_name(enum filter_reason reason, size_t i);

#endif
