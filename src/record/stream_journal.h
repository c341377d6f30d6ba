/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stream tells the journal: classes, calls that were not predicted, and what was done for lack of memory. A
 * stream that is told the same (recover/replay.c) becomes the same. For src/record. */
#ifndef PILGRIM_STREAM_JOURNAL_H
#define PILGRIM_STREAM_JOURNAL_H

#include "record/stream_inline.h"

/* Says that CLASS has been added. */
void stream_tell_class(struct stream *s, const struct stream_class *class);

/* Says that a call was recorded, as one of CLASS, where stream_append was given the class ASKED. PREDICTED: the
 * structure predicted it. KEY: its key, LENGTH bytes. What the values predicted is not told again. */
void stream_tell_call(struct stream *s, struct stream_class *asked, const struct stream_class *class, bool failed_poll,
                      bool predicted, const void *key, size_t length);

/* Says that stream_relieve changed the class with TERMINAL, or, if that is GRAMMAR_NOTHING, the structure. */
void stream_tell_relief(struct stream *s, uint32_t terminal);

/* Says that the times of COUNT more calls are in the statistics. Those are told when their calls have doubled, or a
 * second is over. */
void stream_tell_settled(struct stream *s, size_t count);

/* Begins the log again, which is empty, with the classes that there are. */
void stream_tell_begin(struct stream *s);

/* The payload of JOURNAL_CALL: flags, calls since the last one that was told, and as the flags say the class, and the
 * number of a signature or a key. */
enum {
    TOLD_FAILED_POLL = 1,
    TOLD_PREDICTED = 2,  /* the class is the predicted one; else its number follows */
    TOLD_SIGNATURE = 4,  /* the number of a signature follows */
    TOLD_KEY = 8,        /* the length of a key and its bytes follow */
    TOLD_DIFFERENCE = 16 /* ... as what differs from the last key of this class that was told: a bit for each word of 8
                            bytes, then for each that differs the exclusive or, as a varint */
};

/* A flag of a class in JOURNAL_BEGIN and JOURNAL_CLASS. */
enum { TOLD_FORTRAN = 1, TOLD_FAILING = 2, TOLD_CALLED = 4, TOLD_TWIN = 8 };

/* ---- the way back ---- */

/* A class as it was told. */
struct told_class {
    uint32_t function;
    bool fortran, failed_poll, called, is_twin;
    uint32_t twin;    /* class index, if it is a twin */
    const void *site; /* for the stream's resolver, now only */
};

/* Adds the class that TOLD describes. errors: PILGRIM_NOMEM, PILGRIM_DAMAGED (there is such a twin already) */
enum pilgrim_status stream_be_told_class(struct stream *s, const struct told_class *told) PILGRIM_CHECKED;

/* Takes the statistics at C. errors: PILGRIM_DAMAGED, PILGRIM_NOMEM */
enum pilgrim_status stream_be_told_statistics(struct stream *s, struct cursor *c) PILGRIM_CHECKED;

/* Records a call of CLASS with signature number SIGNATURE, which is there and zipped; UINT64_MAX: with the key that
 * the class predicts. errors: as stream_append, and PILGRIM_DAMAGED (there is no such signature, or no prediction) */
enum pilgrim_status stream_be_told_signature(struct stream *s, struct stream_class *class, bool failed_poll,
                                             uint64_t signature) PILGRIM_CHECKED;

/* Records the next calls as predicted, COUNT at most, if they are whole iterations of a loop, or all one call, whose
 * values are predicted as well. Takes a time that does not depend on how many. *DONE: how many were recorded; 0 if they
 * must be told one by one. Their bytes do not count in stream_plain_bytes.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status stream_be_told_iterations(struct stream *s, uint64_t count, uint64_t *done) PILGRIM_CHECKED;

/* Changes TOLD, a key of LENGTH bytes, by the difference at C. */
void told_key_change(struct cursor *c, uint8_t *told, size_t length);

#endif
