/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of requests that change little from call to call, written as what changed (docs/FORMAT.md, section 5: keep,
 * edited, completed).
 *
 * Each call of MPI_Waitany and its like finds the array of the last one with one more MPI_REQUEST_NULL in it, or one
 * new request. What comes out is written as what changed of what went in, and kept in a register of the class; what
 * goes in then is mostly what was kept. */
#ifndef PILGRIM_REQUEST_ARRAY_DELTA_H
#define PILGRIM_REQUEST_ARRAY_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "objects/requests.h"

#define ARRAY_DELTA_MIN           4     /* items: shorter arrays stand as they are */
#define ARRAY_DELTA_MAX           63    /* idem longer ones, which become series */
#define ARRAY_DELTA_SHARE         2     /* of an array with more changes than one in so many, all is written */
#define ARRAY_DELTA_REGISTERS_MAX 65535 /* in a thread */
#define ARRAY_DELTA_WRITTEN_SETS  64
#define ARRAY_DELTA_WRITTEN_WAYS  4

struct operation_array {
    uint32_t count;
    uint64_t null; /* a bit for each item that is the null operation */
    struct operation_name items[ARRAY_DELTA_MAX];
};

struct request_register {
    struct operation_array last; /* count 0: nothing yet */
    /* Hashes of arrays that went in and were not what was kept. They are written out from then on: an array that comes
     * again is to be the same signature again, whatever came before. The newest ones first. */
    uint64_t written[ARRAY_DELTA_WRITTEN_SETS][ARRAY_DELTA_WRITTEN_WAYS];
    uint64_t written_null; /* a bit for each hash of `null` that any of them ever had */
};

/* The registers of a thread, and what its call under way will put there. All zero but for NULL_NAME is without
 * registers. */
struct request_array_delta {
    uint16_t null_name; /* of MPI_REQUEST_NULL, in a key */
    struct request_register **registers;
    uint32_t count, capacity;
    uint32_t own_register;     /* of the call's class: its number + 1, or 0 */
    uint32_t last;             /* the one that was kept in last: its number + 1, or 0 */
    uint32_t pending;          /* where what comes out goes if the call is recorded: its number + 1, or 0 */
    uint64_t over;             /* the items that became null in the call */
    struct operation_array in; /* count 0: none that is followed */
    uint64_t search; /* the book's, when the call ended that had that array: while it is, its requests need not be
                        looked for again */
    uint64_t gone;   /* the items that became null in that call */
};

void array_delta_free(struct request_array_delta *d);

/* A call with COUNT requests begins: an array of so many items, to be filled in, the null operation as {REQUEST_NULL,
 * 0}. NULL: such an array stands as it is. */
struct operation_array *array_delta_begin(struct request_array_delta *d, int64_t count);

/* The same for the array that the last call left. */
static inline struct operation_array *array_delta_again(struct request_array_delta *d)
{
    d->own_register = d->pending = 0;
    d->in.null |= d->gone;
    for (; d->gone; d->gone &= d->gone - 1)
        d->in.items[__builtin_ctzll(d->gone)] = (struct operation_name){.class_number = REQUEST_NULL};
    return &d->in;
}

/* Whether array_delta_begin of the same call was not NULL. */
static inline bool array_delta_under_way(const struct request_array_delta *d)
{
    return d->in.count != 0;
}

/* After array_delta_begin: appends the array to KEY, if it can be as what changed. OWN_REGISTER: the register of the
 * class, its number + 1, or 0, where it is set; NULL: the class has none. Where memory is short the array is written
 * out. Returns whether there is a register. */
bool array_delta_in(struct request_array_delta *d, uint32_t *own_register, struct bytes *key);

/* The places that a call says it has completed. */
struct completed_indices {
    uint8_t parameter; /* that says so: its number in the declaration */
    const int *indices;
    int64_t count;
};

/* After array_delta_begin: the items that are not the null operation, a bit each. */
static inline uint64_t array_delta_live(const struct request_array_delta *d)
{
    return ~d->in.null & UINT64_MAX >> (64 - d->in.count);
}

/* The same of the array that comes out of the same call, in which the items OVER, a bit each, have become the null
 * operation. It is kept if the class has a register. COMPLETED: NULL if the call does not say which. */
void array_delta_out(struct request_array_delta *d, uint64_t over, struct bytes *key,
                     const struct completed_indices *completed);

/* The call is recorded. */
void array_delta_commit(struct request_array_delta *d);

#endif
