/* SPDX-License-Identifier: BSD-3-Clause */
/* A sequence of terminals while it grows: a grammar, as long as there is something for it to find.
 *
 * Where the grammar turns out to be nearly as long as the sequence, it is given up, and the terminals go on as numbers
 * do (sequence/delta_sequence.h), which is several times as fast and takes less memory. What that misses is found when
 * the sequence is written (rulebook.h). Used by one thread at a time. */
#ifndef PILGRIM_SEQUENCE_H
#define PILGRIM_SEQUENCE_H

#include "base/bytes.h"
#include "base/intern.h"
#include "grammar/grammar.h"
#include "sequence/delta_sequence.h"
#include "pilgrim/status.h"

/* All zero is the empty sequence. */
struct sequence {
    struct grammar *grammar;      /* or NULL: it is empty, or in ... */
    struct delta_sequence deltas; /* ... these: a 0, then differences whose codes are the terminals */
    uint64_t next_look;           /* the length from which on to see whether the grammar is worth it */
    struct grammar *spare;        /* an empty one, or NULL */
};

/* Appends TERMINAL, at most GRAMMAR_TERMINAL_MAX. POOL: as delta_sequence_append. errors: PILGRIM_NOMEM, PILGRIM_LIMIT
 */
enum pilgrim_status sequence_append(struct sequence *s, struct intern *pool, uint32_t terminal) PILGRIM_CHECKED;

/* Memory is short: a grammar that is no use so far is given up before its time. errors: as sequence_append */
enum pilgrim_status sequence_relieve(struct sequence *s, struct intern *pool) PILGRIM_CHECKED;

uint64_t sequence_length(const struct sequence *s);

/* What comes next, as far as that can be predicted. If that comes, grammar_step may take the place of sequence_append.
 * Valid until the next sequence_append. */
static inline const struct grammar_next *sequence_predicted(const struct sequence *s)
{
    static const struct grammar_next nothing = {0, GRAMMAR_NOTHING};
    return s->grammar ? grammar_predicted(s->grammar) : &nothing;
}

/* Appends the sequence to OUT, as grammar_serialise. errors: as delta_sequence_serialise */
enum pilgrim_status sequence_serialise(const struct sequence *s, const struct intern *pool,
                                       struct bytes *out) PILGRIM_CHECKED;

size_t sequence_memory_bytes(const struct sequence *s); /* without itself and the pool */
void sequence_free(struct sequence *s);

/* The empty sequence, as by sequence_free, but for memory, if it is little, that is kept for what comes next. */
void sequence_restart(struct sequence *s);

#endif
