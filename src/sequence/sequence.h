/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing sequence of terminals: a grammar, as long as a grammar pays.
 *
 * If the grammar turns out to be nearly as long as the sequence, the sequence gives it up and stores its terminals as a
 * delta sequence (sequence/delta_sequence.h). That is several times as fast and takes less memory. Repetitions that it
 * misses are found when the sequence is written (rulebook.h). One thread uses a sequence at a time. */
#ifndef PILGRIM_SEQUENCE_H
#define PILGRIM_SEQUENCE_H

#include "base/bytes.h"
#include "base/intern.h"
#include "grammar/grammar.h"
#include "sequence/delta_sequence.h"
#include "pilgrim/status.h"

/* A sequence of zeros is empty. */
struct sequence {
    struct grammar *grammar;      /* NULL: the sequence is empty, or stored in ... */
    struct delta_sequence deltas; /* ... these: a 0, then numbers whose differences' codes are the terminals */
    uint64_t next_look;           /* the length at which to check again if the grammar pays */
    struct grammar *spare;        /* an empty grammar for reuse, or NULL */
};

/* Appends TERMINAL, at most GRAMMAR_TERMINAL_MAX. POOL: as for delta_sequence_append.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status sequence_append(struct sequence *s, struct intern *pool, uint32_t terminal) PILGRIM_CHECKED;

/* Saves memory when it is short: gives up a grammar that does not pay so far, earlier than usual.
 * errors: as sequence_append */
enum pilgrim_status sequence_relieve(struct sequence *s, struct intern *pool) PILGRIM_CHECKED;

uint64_t sequence_length(const struct sequence *s);

/* Returns the predicted terminal. If the next terminal is that one, grammar_step may replace sequence_append. Valid
 * until the next sequence_append. */
static inline const struct grammar_next *sequence_predicted(const struct sequence *s)
{
    static const struct grammar_next nothing = {0, GRAMMAR_NOTHING};
    return s->grammar ? grammar_predicted(s->grammar) : &nothing;
}

/* Appends the sequence to OUT in the form of grammar_serialise. errors: as delta_sequence_serialise */
enum pilgrim_status sequence_serialise(const struct sequence *s, const struct intern *pool,
                                       struct bytes *out) PILGRIM_CHECKED;

size_t sequence_memory_bytes(const struct sequence *s); /* without the struct and the pool */
void sequence_free(struct sequence *s);

/* Empties the sequence like sequence_free, but keeps a small grammar's memory for reuse. */
void sequence_restart(struct sequence *s);

#endif
