/* SPDX-License-Identifier: BSD-3-Clause */
/* A cursor's position in the values of a class. */
#ifndef PILGRIM_CLASS_VALUES_H
#define PILGRIM_CLASS_VALUES_H

#include "read/cursor/cursor.h"

/* Takes BYTES off *LEFT. False: there are fewer; the problem is then the shard's memory_problem. */
bool memory_fits(uint64_t *left, uint64_t bytes);

/* Allocates what the state of the class needs.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status class_begin(struct pilgrim_cursor *c, struct class_state *state) PILGRIM_CHECKED;
void class_close(struct class_state *state);

/* Moves to the values of the next call of the class, behind those that the walk has passed. *NUMBER: of these values.
 * *AT is filled in if some signature of the class is unzipped or needs registers; else AT->signature is NULL.
 * errors: PILGRIM_NOMEM; PILGRIM_DAMAGED and PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status class_next(struct pilgrim_cursor *c, struct class_state *state, uint64_t *number,
                               struct values_position *at, const char **problem) PILGRIM_CHECKED;

#endif
