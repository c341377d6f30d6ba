/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are left out (PILGRIM_FILTER): their calls are not recorded, the objects that they make and free are
 * followed, as while recording is paused. Looked at only where a class is not the expected one, so calls that are
 * recorded cost nothing more. */
#ifndef PILGRIM_FILTER_H
#define PILGRIM_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "functions.h"

/* By function. To be read only; all false before filter_begin. */
extern bool filter_left_out[FUNCTION_COUNT] __attribute__((visibility("hidden")));

/* As capture.settings say. Before the first call. */
void filter_begin(void);

/* WARN is called with a line for each pattern that says what cannot be, or fits no function. */
void filter_check(void (*warn)(const char *line));

/* Calls of FUNCTION were not seen: it is left out of the trace, which says so. Any thread. */
void filter_note_unseen(uint32_t function);

/* The I-th of these functions, in any order; NULL: there are no more. */
const char *filter_unseen_name(size_t i);

#endif
