/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns: the values of one slot over the members of a value group, kept so that two neighbouring ranges are joined
 * in time that does not depend on how many members they stand for.
 *
 * A column is its first value and the differences from one to the next, as repeats (sequence/nested_runs.h); beside
 * that it knows of which functions of the rank it is still a value (docs/FORMAT.md, section 4, "Columns"). */
#ifndef PILGRIM_COLUMN_H
#define PILGRIM_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "format/trace_format.h"
#include "sequence/nested_runs.h"
#include "pilgrim/status.h"

/* What the rank means to a value. */
enum rank_meaning {
    RANK_WORLD,    /* a value like any other: x is the rank in MPI_COMM_WORLD */
    RANK_RELATIVE, /* a rank, relative to the caller's in its communicator: that is x, the size n, and values agree
                      modulo n */
    RANK_NOTHING   /* no function of the rank is considered */
};

struct rank {
    enum rank_meaning meaning;
    int64_t x;
    int64_t n;
};

/* All zero is an empty column. */
struct column {
    int64_t first;
    int64_t last;
    uint64_t length;
    struct nested_runs differences;
    bool is_delta_list;   /* values stand for lists (sequence/slots.h) */
    uint32_t kinds;       /* bit k: the expression of kind k, PLUS to MODULO, gives every value ... */
    int64_t constants[6]; /* ... with this c, by kind - 1 */
    int64_t other;        /* MODULO: the other value of (value - x), c - n; equal to c: only one was seen */
    int64_t most;         /* MODULO: the largest value; none is negative */
};

/* One value, of a member with RANK. C must be empty. */
void column_begin(struct column *c, int64_t value, struct rank rank);

/* Appends FROM with OFFSET added to each value; if that is not 0 no column may be a function of the rank. FROM is not
 * changed. errors: PILGRIM_NOMEM, C is then of no use */
enum pilgrim_status column_join(struct column *c, const struct column *from, int64_t offset) PILGRIM_CHECKED;

enum pilgrim_status column_append(struct column *c,
                                  int64_t value) PILGRIM_CHECKED; /* of a column that is no function of the rank */
enum pilgrim_status column_continue(struct column *c,
                                    uint64_t count) PILGRIM_CHECKED; /* COUNT more, each the one before + 1; idem */
enum pilgrim_status column_copy(struct column *c, const struct column *from) PILGRIM_CHECKED;
void column_free(struct column *c);

/* The C and N of the expression of KIND, CONSTANT to MODULO; false: it does not give the values. */
bool column_is(const struct column *c, enum expression_kind kind, int64_t *constant, int64_t *n);

/* Calls EACH for every value in turn until it returns something else than PILGRIM_OK, and returns that. */
typedef enum pilgrim_status column_visitor(void *context, int64_t value);
enum pilgrim_status column_visit(const struct column *c, column_visitor *each, void *context) PILGRIM_CHECKED;

/* For transport. */
void column_pack(const struct column *c, struct bytes *out);
enum pilgrim_status column_unpack(struct cursor *in, struct column *c) PILGRIM_CHECKED;

#endif
