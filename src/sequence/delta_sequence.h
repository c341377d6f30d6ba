/* SPDX-License-Identifier: BSD-3-Clause */
/* A sequence of numbers that change nearly every time (the values of an unzipped slot), while it grows.
 *
 * Kept are the first number and the differences from one to the next. They are written as runs into a chunk, of about
 * three bytes a number where nothing repeats. Where a chunk ends depends on the last few runs alone, so that what comes
 * again is cut alike again: chunks are stored once, in a pool that many sequences share, and a sequence is a grammar
 * over them. So two equal sequences cost one, and one that turns out to be periodic, with whatever period, ceases to
 * grow.
 *
 * An append is O(1), amortised. Used by one thread at a time. */
#ifndef PILGRIM_DELTA_SEQUENCE_H
#define PILGRIM_DELTA_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/intern.h"
#include "grammar/grammar.h"
#include "pilgrim/status.h"

/* All zero is the empty sequence. */
struct delta_sequence {
    uint64_t count;
    int64_t first, last;
    int64_t difference; /* of the run that is still growing ... */
    uint64_t run;       /* ... how often; 0: there is none */
    struct bytes chunk; /* the runs since the last chunk was complete */
    uint32_t chunk_runs;
    uint64_t window;        /* what the last runs were */
    struct grammar *chunks; /* numbers of the pool's; NULL: none is complete */
};

/* Whether VALUE may come next: the difference must fit a terminal (docs/FORMAT.md, section 4). */
bool delta_sequence_fits(const struct delta_sequence *n, int64_t value);

/* Whether a run is growing; by how much from value to value in *STEP, or 0. */
static inline bool delta_sequence_step(const struct delta_sequence *n, int64_t *step)
{
    *step = n->run ? n->difference : 0;
    return n->run != 0;
}

/* Appends COUNT values that go on with that run. */
static inline void delta_sequence_go_on(struct delta_sequence *n, uint64_t count)
{
    n->count += count;
    n->run += count;
    n->last = (int64_t)((uint64_t)n->last + count * (uint64_t)n->difference);
}

/* Appends VALUE, which fits. errors: PILGRIM_NOMEM, PILGRIM_LIMIT; the sequence is then without some of it */
enum pilgrim_status delta_sequence_append(struct delta_sequence *n, struct intern *pool, int64_t value) PILGRIM_CHECKED;

/* The differences, divided by *FACTOR: their greatest common divisor, with the sign of the first one that is not 0; as
 * grammar_serialise writes a grammar, over their codes (zigzag). If all are 0 nothing is written, and the factor is 1.
 * Sequences that are equal but for first and factor give the same bytes, if nothing in them repeats over long
 * distances. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED */
enum pilgrim_status delta_sequence_serialise(const struct delta_sequence *n, const struct intern *pool,
                                             struct bytes *out, int64_t *factor) PILGRIM_CHECKED;

/* The differences as they are, and if there are none the empty grammar. errors: as delta_sequence_serialise */
enum pilgrim_status delta_sequence_serialise_differences(const struct delta_sequence *n, const struct intern *pool,
                                                         struct bytes *out) PILGRIM_CHECKED;

size_t delta_sequence_memory_bytes(const struct delta_sequence *n); /* without itself and without the pool */
void delta_sequence_free(struct delta_sequence *n);

#endif
