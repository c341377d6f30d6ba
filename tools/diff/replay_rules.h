/* SPDX-License-Identifier: BSD-3-Clause */
/* What a replay (pilgrim-replay) does not repeat: which calls and values are left out where trace B is a replay of A.
 *
 * Requests have numbers by what began before, and calls that are left out shift them. So a request is compared by how
 * many its thread had begun before it. */
#ifndef PILGRIM_DIFF_REPLAY_RULES_H
#define PILGRIM_DIFF_REPLAY_RULES_H

#include <pilgrim/reader.h>

#include "analysis/key_table.h"

/* What is known of a thread that is walked. All 0: nothing yet. */
struct replayed_thread {
    struct key_table requests; /* class, number -> how many had begun, itself included */
    struct key_table general;  /* those that MPI_Grequest_start began */
    struct key_table windows;  /* those whose displacements are addresses */
    uint64_t begun;
};

void replayed_thread_free(struct replayed_thread *t);

/* True if a replay does not repeat CALL of thread T. NOT_REPLAYED: names of functions with commas between them. */
bool replay_leaves_out(const struct replayed_thread *t, const struct pilgrim_call *call, const char *not_replayed);

/* Notes what CALL began and ended. To be called for each call, before its values are compared. */
void replay_follow(struct replayed_thread *t, const struct pilgrim_call *call);

/* True if parameter I may differ in the replay of call A. TEXTS: texts are not compared. */
bool replay_changes(const struct replayed_thread *t, const struct pilgrim_call *a, size_t i, bool texts);

/* True if item J of parameter I, an array, may differ: the call completes some of its requests, and others are not
 * passed in the replay. */
bool replay_changes_item(const struct pilgrim_call *a, size_t i, size_t j);

/* The same for item J of a status. */
bool replay_changes_status(const struct pilgrim_call *a, size_t j);

/* Returns the number of a request as above; 0: it is not known. */
uint64_t replay_request(const struct replayed_thread *t, const struct pilgrim_value *request);

#endif
