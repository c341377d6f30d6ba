/* SPDX-License-Identifier: BSD-3-Clause */
/* Request array deltas: arrays of requests that change little from call to call, written as changes (docs/FORMAT.md,
 * section 5: keep, edited, completed).
 *
 * Each call of MPI_Waitany and its like gets the array of the call before with one more MPI_REQUEST_NULL in it, or
 * one new request. The array that comes out is written as the change to the array that went in, and is stored in a
 * register of the class. The array that goes into the next call mostly equals the stored one. */
#ifndef PILGRIM_REQUEST_ARRAY_DELTA_H
#define PILGRIM_REQUEST_ARRAY_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "objects/requests.h"

#define ARRAY_DELTA_MIN           4          /* items; shorter arrays are written out */
#define ARRAY_DELTA_MAX           65535      /* items; longer arrays are array series */
#define ARRAY_DELTA_SHARE         2          /* if more than one item in 2 changed, the whole array is written */
#define ARRAY_DELTA_REGISTERS_MAX 65535      /* of a thread */
#define ARRAY_DELTA_KEPT_MAX      (1U << 19) /* items that long arrays take in the registers of a thread */
#define ARRAY_DELTA_WRITTEN_SETS  64
#define ARRAY_DELTA_WRITTEN_WAYS  4

struct operation_array {
    uint32_t count, capacity;
    uint64_t *null; /* a bit for each item that is the null operation, in words of 64; the bits behind them are 0 */
    struct operation_name *items;
};

struct request_register {
    struct operation_array last; /* count 0: none yet */
    /* Hashes of arrays that went in and differed from the stored one, newest first. Such arrays are always written
     * out from then on: an array that comes again gets the same signature again, whatever came before it. */
    uint64_t written[ARRAY_DELTA_WRITTEN_SETS][ARRAY_DELTA_WRITTEN_WAYS];
    uint64_t written_null; /* a bit for each hash of `null` in any of these arrays */
    uint32_t again;        /* the register that has the long one of them that came last: its number + 1; 0: none */
};

/* The registers of a thread, and what the current call will store there. Initially all zero but for null_name. */
struct request_array_delta {
    uint16_t null_name; /* name of MPI_REQUEST_NULL in a key */
    struct request_register **registers;
    uint32_t count, capacity;
    uint32_t kept;              /* items that there is room for in the registers with long arrays */
    uint32_t own_register;      /* register of the call's class: its number + 1; 0: none */
    uint32_t last;              /* the register that was set last: its number + 1; 0: none */
    uint32_t pending_again;     /* the register that the array `in` goes to then; its number + 1; 0: none */
    uint32_t pending;           /* the register to set if the call is recorded: its number + 1; 0: none */
    uint32_t left;              /* the register that has what the last call left: its number + 1; 0: unknown */
    uint32_t in_register;       /* the register that has the array `in`: its number + 1; 0: unknown */
    struct operation_array in;  /* the array that goes in; count 0: it is not written as changes */
    uint64_t *over;             /* a bit for each item that became null in the call, as in->null */
    uint64_t *changed, *others; /* memory for two more such sets */
    uint64_t search; /* `search` of the thread requests when the call with array `in` ended; while both are equal, the
                        requests of that array need not be looked for again */
};

void array_delta_free(struct request_array_delta *d);

/* The words that COUNT bits take. */
static inline uint32_t array_delta_words(uint32_t count)
{
    return (count + 63) / 64;
}

/* Begins a call with COUNT requests. Returns an array of COUNT items, which the caller fills; the null operation is
 * {REQUEST_NULL, 0}, and all bits of `null` are 0. NULL: such an array is always written out, or memory is short. */
struct operation_array *array_delta_begin(struct request_array_delta *d, int64_t count);

/* As array_delta_begin, for the array that the last call left, already filled. */
struct operation_array *array_delta_again(struct request_array_delta *d);

/* True if array_delta_begin of this call did not return NULL. */
static inline bool array_delta_under_way(const struct request_array_delta *d)
{
    return d->in.count != 0;
}

/* Appends the array to KEY, as changes if possible. After array_delta_begin. OWN_REGISTER: the register of the
 * class, its number + 1; if 0, one is made and stored there. NULL: the class has none. If memory is short the array
 * is written out. Returns true if there is a register. */
bool array_delta_in(struct request_array_delta *d, uint32_t *own_register, struct bytes *key);

/* The indices that a call says it has completed. */
struct completed_indices {
    uint8_t parameter; /* the parameter that says so: its number in the declaration */
    const int *indices;
    int64_t count;
};

/* Returns word number WORD of the bits for the items that are not the null operation. After array_delta_begin. */
static inline uint64_t array_delta_live(const struct request_array_delta *d, uint32_t word)
{
    const uint32_t left = d->in.count - 64 * word;
    return ~d->in.null[word] & (left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1);
}

/* Appends the array that comes out of the call to KEY. The caller has set D->over. If the class has a register, the
 * array is stored in it. COMPLETED: NULL if the call does not say which items it completed. */
void array_delta_out(struct request_array_delta *d, struct bytes *key, const struct completed_indices *completed);

/* Stores the array in the register, if array_delta_out says so. To be called for each call that is recorded, whether it
 * was predicted or not: the reader does the same. */
void array_delta_commit(struct request_array_delta *d);

#endif
