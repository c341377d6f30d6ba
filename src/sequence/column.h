/* SPDX-License-Identifier: BSD-3-Clause */
/* A column: the values of one slot over the members of a value group. Two columns of neighbouring ranges are joined in
 * time that does not depend on how many members they stand for.
 *
 * A column is its first value and the differences from each value to the next, as nested runs (sequence/nested_runs.h).
 * It also knows which functions of the rank give all of its values so far (docs/FORMAT.md, section 4, "Columns"). */
#ifndef PILGRIM_COLUMN_H
#define PILGRIM_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/trace_format.h"
#include "sequence/nested_runs.h"
#include "pilgrim/status.h"

/* How a value may depend on the rank. */
enum rank_meaning {
    RANK_WORLD,    /* an ordinary value: x is the rank in MPI_COMM_WORLD */
    RANK_RELATIVE, /* a rank, relative to the caller's rank x in its communicator, of size n; values are equal modulo n
                    */
    RANK_NOTHING   /* no function of the rank applies */
};

struct rank {
    enum rank_meaning meaning;
    int64_t x;
    int64_t n;
};

/* A column of zeros is empty. */
struct column {
    int64_t first;
    int64_t last;
    uint64_t length;
    struct nested_runs differences;
    bool is_stored_deltas; /* the values are hashes of stored deltas (sequence/slots.h) */
    uint32_t kinds;        /* bit k: the expression of kind k, PLUS to MODULO, gives every value, ... */
    int64_t constants[6];  /* ... with this c; index: kind - 1 */
    int64_t other; /* MODULO: the other result of (value - x), which is c - n; equal to c while only one was seen */
    int64_t most;  /* MODULO: the largest value; no value is negative */
};

/* Makes C, which is empty, a column of one value, of a member with RANK. */
void column_begin(struct column *c, int64_t value, struct rank rank);

/* Appends FROM with OFFSET added to each of its values. If OFFSET is not 0, both columns must not be functions of the
 * rank. FROM does not change.
 * errors: PILGRIM_NOMEM, C can then only be freed */
enum pilgrim_status column_join(struct column *c, const struct column *from, int64_t offset) PILGRIM_CHECKED;

enum pilgrim_status column_append(struct column *c,
                                  int64_t value) PILGRIM_CHECKED; /* for a column that is no function of the rank */
enum pilgrim_status column_continue(struct column *c, uint64_t count)
    PILGRIM_CHECKED; /* COUNT values, each 1 more than the one before; also for such a column only */
enum pilgrim_status column_copy(struct column *c, const struct column *from) PILGRIM_CHECKED;
void column_free(struct column *c);

/* Sets *CONSTANT and *N to the c and n of the expression of KIND, CONSTANT to MODULO. False: it does not give all
 * values. */
bool column_is(const struct column *c, enum expression_kind kind, int64_t *constant, int64_t *n);

/* Calls EACH for each value in turn until it returns something other than PILGRIM_OK, and returns that. */
typedef enum pilgrim_status column_visitor(void *context, int64_t value);
enum pilgrim_status column_visit(const struct column *c, column_visitor *each, void *context) PILGRIM_CHECKED;

/* Serialises a column for transport to another process, and back. */
void column_pack(const struct column *c, struct bytes *out);
enum pilgrim_status column_unpack(struct cursor *in, struct column *c) PILGRIM_CHECKED;

#endif
