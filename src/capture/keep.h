/* Arrays of requests that change little from call to call, written as what changed (docs/FORMAT.md, section 5: keep, edited, completed).
 *
 * Each call of MPI_Waitany and its like finds the array of the last one with one more MPI_REQUEST_NULL in it, or one new request. What
 * comes out is written as what changed of what went in, and kept in a register of the class; what goes in then is mostly what was
 * kept. */
#ifndef PILGRIM_KEEP_H
#define PILGRIM_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define KEEP_MIN 4         /* items: shorter arrays stand as they are */
#define KEEP_MAX 63        /* idem longer ones, which become series */
#define KEEP_SHARE 2       /* of an array with more changes than one in so many, all is written */
#define KEEP_REGISTERS_MAX 65535 /* in a thread */
#define KEEP_KNOWN_SETS 64
#define KEEP_KNOWN_WAYS 4

/* An array as it stands in a key. Items: named constants, or requests. */
struct keep_array {
    struct bytes bytes;
    uint32_t count;
};

struct keep_register {
    struct keep_array kept; /* count 0: nothing yet */
    /* Hashes of arrays that went in and were not what was kept. They are written out from then on: an array that comes again is to be
     * the same signature again, whatever came before. The newest ones first. */
    uint64_t known[KEEP_KNOWN_SETS][KEEP_KNOWN_WAYS];
};

/* The registers of a thread, and what its call under way will put there. All zero is without registers. */
struct keeper {
    struct keep_register **registers;
    uint32_t count, capacity;
    uint32_t own;    /* of the call's class: its number + 1, or 0 */
    uint32_t last;   /* the one that was kept in last: its number + 1, or 0 */
    uint32_t pending; /* where `out` goes if the call is recorded: its number + 1, or 0 */
    struct keep_array in, out;
};

void keeper_free(struct keeper *k);

/* From START on, KEY has an array of requests that goes in: written anew as what changed. OWN: the register of the class, its number + 1,
 * or 0, where it is set; NULL: the class has none. Where memory is short the array stays as it is. */
void keep_in(struct keeper *k, uint32_t *own, struct bytes *key, size_t start);

/* The places that a call says it has completed. */
struct keep_places {
    uint8_t parameter; /* that says so: its number in the declaration */
    const int *places;
    int64_t count;
};

/* The same of the array that comes out of the same call. It is kept if the class has a register. COMPLETED: NULL if the call does not
 * say which. */
void keep_out(struct keeper *k, struct bytes *key, size_t start, const struct keep_places *completed);

/* The call is recorded. */
void keep_commit(struct keeper *k);

#endif
