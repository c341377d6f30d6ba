/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks a structure grammar through its loops. */
#ifndef PILGRIM_LOOP_WALK_H
#define PILGRIM_LOOP_WALK_H

#include "read/cursor/cursor.h"

/* Moves to the next call, and sets *CLASS_INDEX to its class, or, if the cursor tells loops, to that of a loop which
 * has been entered. Before it, whole iterations of a loop with up to LIMIT calls together may be passed: *PASSED
 * calls. *CLASS_INDEX is PLACE_NONE if these are as many as LIMIT. PILGRIM_END: there is no call.
 * errors: as class_next */
enum pilgrim_status loops_next(struct pilgrim_cursor *c, uint64_t limit, uint64_t *passed, uint64_t *class_index,
                               const char **problem) PILGRIM_CHECKED;

/* Sets *TRIPS to the number of iterations of the loop of STATE, which is entered.
 * errors: as class_next */
enum pilgrim_status loop_trips(struct pilgrim_cursor *c, struct class_state *state, uint64_t *trips,
                               const char **problem) PILGRIM_CHECKED;

/* Frees what the walk has allocated for a loop. */
void loop_close(struct loop_position *l);

#endif
