/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of one call class: its signatures, and the sequence in which they came.
 *
 * Each distinct key (base/value.h) is a signature and has a terminal: 0, 1, 2, ... in order of first appearance. This
 * is the call-signature table (Wang et al., "Pilgrim", SC'21, section 2.1), with one table for each class. The
 * sequence of terminals is a grammar (sequence/sequence.h).
 *
 * A class is *unzipped* if its signatures keep being new. The slots that vary most leave the key and become delta
 * sequences (sequence/delta_sequence.h). Keys that differ in those slots only are then one signature. What was
 * recorded before stays as it is, unless that is little. Equal calls lead to equal decisions on all ranks. If
 * strings keep being new, they become slots first: numbers of texts (record/texts.h). */
#ifndef PILGRIM_SIGNATURE_H
#define PILGRIM_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/equal_inline.h"
#include "base/intern.h"
#include "sequence/delta_sequence.h"
#include "sequence/sequence.h"
#include "pilgrim/status.h"

/* A class is unzipped when it has UNZIP_NEW new signatures since the last look, and at least one of UNZIP_SHARE
 * calls since then had one. If fewer had one, nothing is done: a loop over many different partners comes back to its
 * signatures in the end. */
#define UNZIP_NEW   512
#define UNZIP_SHARE 4

/* As UNZIP_SHARE, for a class that is unzipped already. What stays in its keys may change seldom but be new each
 * time. */
#define UNZIP_SHARE_AGAIN 32

/* The slots with more distinct values than this among the signatures of one skeleton leave; if there is none, the
 * slot with the most. The other slots stay together, as one of them may follow from another (the source from the
 * index that MPI_Waitany returns). */
#define UNZIP_DISTINCT 64

/* The calls of a class with at most this many are recorded again, unzipped. */
#define UNZIP_REPLAY 8192

/* The same limits where memory is short. */
#define UNZIP_NEW_SHORT      16
#define UNZIP_DISTINCT_SHORT 8

struct class_signature;
struct skeleton;

/* All zero, but for `texts`, has recorded nothing. Used by one thread at a time. */
struct signatures {
    const uint8_t *expected; /* key that the sequence and the steps of varying slots predict; NULL: none */
    size_t expected_length;  /* of `expected`; 0 if that is NULL */
    struct class_signature *expected_varies; /* its signature, if that is unzipped; else NULL */
    struct class_signature *table;           /* uthash by key: the zipped signatures */
    struct class_signature *only; /* the zipped signature as long as there is one only; then `table` is empty */
    /* Uthash by key, with 0 in the varying slots: the unzipped signatures that can come again. */
    struct class_signature *unzipped;
    struct skeleton *skeletons; /* uthash by key, with 0 in all slots: those of unzipped signatures */
    struct class_signature **by_terminal;
    uint32_t count;
    uint32_t capacity;
    /* Mostly the signature of the last call; its successor is tried where the sequence predicts nothing. */
    struct class_signature *last;
    struct sequence sequence; /* of the terminals */
    struct intern *texts;     /* borrowed, of the thread: where strings go that leave the keys; NULL: they stay */
    bool numbered;            /* the strings have left: keys are as texts_number makes them */
    struct bytes numbered_key;
    struct bytes scratch;
    /* A signature has number terminal + number_base; numbers that were given up are not used again. */
    uint32_t number_base;
    uint32_t recorded;      /* number of the signature of the last call, if signature_append recorded it */
    bool foreseen;          /* the last call that signature_append recorded was predicted, key and all */
    uint32_t found;         /* terminal of its signature if that was there before and is zipped; else GRAMMAR_NOTHING */
    uint32_t checked;       /* count of signatures when unzipping was last considered */
    uint64_t checked_calls; /* count of calls at that time */
    struct arena memory;
};

/* True if the sequence of signatures predicts a call with the values KEY. LENGTH is not 0. */
static inline bool signature_expects(const struct signatures *s, const void *key, size_t length)
{
    return s->expected_length == length && equal_bytes(s->expected, key, length);
}

/* Returns the number of the predicted signature. No meaning if nothing is predicted. */
static inline uint32_t signature_predicted(const struct signatures *s)
{
    return sequence_predicted(&s->sequence)->terminal + s->number_base;
}

void signature_advance(struct signatures *s); /* the part of signature_step that is not inline */

/* To be called before signature_step if S->expected_varies: its slots step to the values after these. */
void signature_go_on(struct signatures *s);

/* Records the call that signature_expects has found to be predicted. It stands in for signature_append. */
static inline void signature_step(struct signatures *s)
{
    if (!grammar_step(s->sequence.grammar))
        signature_advance(s);
}

/* Records a call with the values KEY (LENGTH bytes, 1 to 2^31, copied if new). It costs a comparison and no hash if KEY
 * is expected, or equals the key that followed the last one before, but for varying slots. POOL is shared by all
 * classes of a stream.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT; the call is lost, and nothing more may be recorded */
enum pilgrim_status signature_append(struct signatures *s, struct intern *pool, const void *key,
                                     size_t length) PILGRIM_CHECKED;

/* Returns the key that is predicted for the next call, as signature_append_stored takes it; NULL if none is. Borrowed
 * until the next call. */
const uint8_t *signature_foreseen(const struct signatures *s, size_t *length);

/* As signature_append, for a key that has come from S: its texts are numbers already if others are. */
enum pilgrim_status signature_append_stored(struct signatures *s, struct intern *pool, const void *key,
                                            size_t length) PILGRIM_CHECKED;

/* True if signature_skip can be called: what comes next is predicted for any number of calls. */
bool signature_can_skip(const struct signatures *s);

/* As COUNT calls of signature_append_stored with what signature_foreseen returns, 1 or more, but does not say which
 * signature was recorded. False: no memory; S can only be freed then. */
bool signature_skip(struct signatures *s, uint64_t count);

/* Returns the key of TERMINAL, which is below s->count. Varying slots are 0. Borrowed until the next call. */
const uint8_t *signature_key(const struct signatures *s, uint32_t terminal, size_t *length);

/* Returns the number of varying slots of TERMINAL, 0 if it is zipped. *OFFSETS are their positions in the key,
 * increasing; *DELTAS their delta sequences. Both are borrowed until the next call. */
uint32_t signature_varying(const struct signatures *s, uint32_t terminal, const uint32_t **offsets,
                           const struct delta_sequence **deltas);

/* Frees memory where it is short. Unzips the class if its signatures keep being new, even if they are few, and gives up
 * the grammar of a sequence that does not repeat. *UNZIPPED is true if signatures have other numbers from now on.
 * errors: as signature_append */
enum pilgrim_status signatures_relieve(struct signatures *s, struct intern *pool, bool *unzipped) PILGRIM_CHECKED;

size_t signatures_memory_bytes(const struct signatures *s);
void signatures_free(struct signatures *s);

/* Forgets everything, as signatures_free does, but keeps a little memory for what comes next. */
void signatures_restart(struct signatures *s);

#endif
