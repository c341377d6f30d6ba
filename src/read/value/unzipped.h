/* SPDX-License-Identifier: BSD-3-Clause */
/* Unzipped signatures: one signature stands for other values each time that a member calls with it. */
#ifndef PILGRIM_UNZIPPED_H
#define PILGRIM_UNZIPPED_H

#include "read/value/evaluate.h"

/* One slot: first + factor x (the sum of the differences so far). */
struct unzipped_slot {
    uint64_t first, factor;
    uint64_t value;    /* the current one */
    uint64_t sequence; /* of differences; 0: all differences are 0 */
    struct rules_cursor differences;
};

struct slot_use;

/* The values of an unzipped signature for one member, from call to call. All zero: it is not open. */
struct unzipped_values {
    const struct shard *shard;
    struct unzipped_slot *slots;
    uint32_t slot_count;
    uint64_t met; /* calls passed, with the current one; 0: there is no current call */
    /* Filled in by unzipped_values.h. */
    bool tried;                 /* VALUES were asked for */
    struct call_values *values; /* of the current call, changed in place from call to call; NULL: impossible */
    struct slot_use *uses;      /* where the slots stand that change */
    uint32_t use_count;
    const struct request_use *requests; /* requests that begin with each call */
    struct arena arena;                 /* owns the four above */
};

/* Opens signature S, which is unzipped, for the member at POSITION, of rank RANK; it stands before the first call.
 * Memory comes off *BUDGET (bytes). *U is to be freed, also after an error.
 * errors: PILGRIM_NOMEM; PILGRIM_DAMAGED and PILGRIM_LIMIT with *PROBLEM set to a constant */
enum pilgrim_status unzipped_open(const struct shard *v, const struct stored_signature *s, uint64_t position,
                                  uint32_t rank, uint64_t *budget, struct unzipped_values *u,
                                  const char **problem) PILGRIM_CHECKED;
void unzipped_free(struct unzipped_values *u);

/* Moves to the next call, in O(slots).
 * errors: PILGRIM_DAMAGED with *PROBLEM set to a constant: there is none */
enum pilgrim_status unzipped_next(struct unzipped_values *u, const char **problem) PILGRIM_CHECKED;

/* Moves over COUNT calls, in a time that depends on the size of the grammars.
 * errors: as unzipped_next */
enum pilgrim_status unzipped_skip(struct unzipped_values *u, uint64_t count, const char **problem) PILGRIM_CHECKED;

/* True if NUMBER, a value of a column, is a sequence of differences. */
bool is_differences(const struct shard *v, int64_t number);

#endif
