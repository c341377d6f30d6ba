/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing sequence of numbers that change nearly every time: the values of an unzipped slot.
 *
 * It stores the first number and the differences from each number to the next. The differences are written as runs into
 * chunks, about three bytes a number if nothing repeats. The last few runs alone decide where a chunk ends, so a
 * repeated stretch is cut at the same points. Chunks are stored once, in a pool that many sequences share, and a
 * sequence is a grammar over chunks. So two equal sequences cost as much as one, and a periodic sequence, whatever its
 * period, stops growing.
 *
 * An append is O(1) amortised. One thread uses a sequence at a time. */
#ifndef PILGRIM_DELTA_SEQUENCE_H
#define PILGRIM_DELTA_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/intern.h"
#include "grammar/grammar.h"
#include "pilgrim/status.h"

/* A struct of zeros is the empty sequence. */
struct delta_sequence {
    uint64_t count;
    int64_t first, last;
    int64_t difference; /* difference of the growing run, ... */
    uint64_t run;       /* ... which has come so often; 0: there is no run */
    struct bytes chunk; /* the runs since the last complete chunk */
    uint32_t chunk_runs;
    uint64_t window;        /* a digest of the last four runs */
    struct grammar *chunks; /* grammar over the pool's numbers of complete chunks; NULL: no chunk is complete */
};

/* True if VALUE may come next: the difference must fit into a terminal (docs/FORMAT.md, section 4). */
bool delta_sequence_fits(const struct delta_sequence *n, int64_t value);

/* True if a run is growing. *STEP: its difference from value to value, or 0. */
static inline bool delta_sequence_step(const struct delta_sequence *n, int64_t *step)
{
    *step = n->run ? n->difference : 0;
    return n->run != 0;
}

/* Appends COUNT values that continue the growing run. */
static inline void delta_sequence_go_on(struct delta_sequence *n, uint64_t count)
{
    n->count += count;
    n->run += count;
    n->last = (int64_t)((uint64_t)n->last + count * (uint64_t)n->difference);
}

/* Appends VALUE, which fits. The pool takes complete chunks.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT; part of the sequence is then lost */
enum pilgrim_status delta_sequence_append(struct delta_sequence *n, struct intern *pool, int64_t value) PILGRIM_CHECKED;

/* Appends to OUT the differences divided by *FACTOR, as a serialised grammar (grammar_serialise) over their zigzag
 * codes. *FACTOR is the greatest common divisor of the differences, with the sign of the first one that is not 0. If
 * all are 0, nothing is appended and the factor is 1. Sequences that are equal but for first number and factor give
 * equal bytes if nothing in them repeats over long distances.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status delta_sequence_serialise(const struct delta_sequence *n, const struct intern *pool,
                                             struct bytes *out, int64_t *factor) PILGRIM_CHECKED;

/* Appends the undivided differences in the same way; if there are none, the empty grammar.
 * errors: as delta_sequence_serialise */
enum pilgrim_status delta_sequence_serialise_differences(const struct delta_sequence *n, const struct intern *pool,
                                                         struct bytes *out) PILGRIM_CHECKED;

size_t delta_sequence_memory_bytes(const struct delta_sequence *n); /* without the struct and the pool */
void delta_sequence_free(struct delta_sequence *n);

#endif
