/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of one call class: its signatures, and in which order they came.
 *
 * Each distinct key (base/value.h) is a signature and has a terminal, 0, 1, 2, ... in order of first appearance (SC'21
 * paper 2.1, the call signature table; here one table a class). The sequence of terminals is a grammar
 * (sequence/sequence.h).
 *
 * Where signatures keep being new the class is *unzipped*: the slots that vary most leave the key and become sequences
 * of their own (sequence/delta_sequence.h); keys that differ in those slots alone are one signature. What was recorded
 * before stays as it is, unless that is little. The same calls make the same split. Where it is strings that keep being
 * new they become slots first: numbers of texts (record/texts.h). */
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

/* When a class is unzipped: of the last calls of the class that had UNZIP_NEW new signatures, one in UNZIP_SHARE or
 * more had one. Fewer: a loop over as many different partners comes segment in the end. */
#define UNZIP_NEW   512
#define UNZIP_SHARE 4

/* The same of a class that is unzipped: what stays in its keys may change seldom, but be new each time. */
#define UNZIP_SHARE_AGAIN 32

/* Which slots: those with more distinct values than that among the signatures of the same shape, or else the one with
 * the most. The others stay together, as what one of them is may well follow from another one (the source from the
 * index that MPI_Waitany returns). */
#define UNZIP_DISTINCT 64

/* And if the class has had so few calls, those are recorded anew. */
#define UNZIP_REPLAY 8192

/* The same where memory is short: so few are enough, and slots with so many distinct values leave. */
#define UNZIP_NEW_SHORT      16
#define UNZIP_DISTINCT_SHORT 8

struct class_signature;
struct skeleton;

/* All zero, but for TEXTS, has recorded nothing. Used by one thread at a time. */
struct signatures {
    const uint8_t *expected;       /* key of the signature that the sequence predicts, if it is not unzipped; or NULL */
    size_t expected_length;        /* 0: none is expected */
    struct class_signature *table; /* uthash by key; the zipped ones ... */
    struct class_signature *only;  /* ... or that one, as long as there are no others: then there is no table. NULL:
                                      there is one, or are none */
    struct class_signature *unzipped; /* uthash by key, with 0 in the slots that vary; those that can come again */
    struct skeleton *skeletons;       /* uthash by key with 0 in all slots: those of unzipped signatures */
    struct class_signature **by_terminal;
    uint32_t count;
    uint32_t capacity;
    struct class_signature
        *last; /* of the last call, mostly: its successor is expected where the sequence predicts another one */
    struct sequence sequence; /* of terminals */
    struct intern
        *texts; /* borrowed, of all classes of a thread: where strings go that leave the keys; NULL: they stay there */
    bool numbered; /* they have left them: keys are what texts_number makes of them */
    struct bytes numbered_key;
    struct bytes scratch;
    uint32_t number_base; /* number of a signature = terminal + this: those of signatures that are given up are not used
                             again */
    uint32_t recorded;    /* the number of the last call's that signature_append recorded */
    uint32_t checked;     /* signatures ... */
    uint64_t checked_calls; /* ... and calls, when it was last considered to unzip */
    struct arena memory;
};

/* Whether a call with the values KEY, of LENGTH not 0, is what the sequence of signatures predicts. */
static inline bool signature_expects(const struct signatures *s, const void *key, size_t length)
{
    return s->expected_length == length && equal_bytes(s->expected, key, length);
}

/* The number of the signature that is expected, or of another one that the sequence predicts. */
static inline uint32_t signature_predicted(const struct signatures *s)
{
    return sequence_predicted(&s->sequence)->terminal + s->number_base;
}

void signature_advance(struct signatures *s); /* of signature_step */

/* Records the call that signature_expects: the place of signature_append. */
static inline void signature_step(struct signatures *s)
{
    if (!grammar_step(s->sequence.grammar))
        signature_advance(s);
}

/* Records a call with the values KEY, LENGTH bytes, 1..2^31 (copied if new). A key that is expected, or equal to the
 * one that followed the last key the time before, but for unzipped slots, costs a comparison, no hash. POOL: of all
 * classes that share chunks of numbers. errors: PILGRIM_NOMEM, PILGRIM_LIMIT: the call is lost, record no more */
enum pilgrim_status signature_append(struct signatures *s, struct intern *pool, const void *key,
                                     size_t length) PILGRIM_CHECKED;

/* The key of TERMINAL < s->count, with 0 in the slots that vary; borrowed until the next call. */
const uint8_t *signature_key(const struct signatures *s, uint32_t terminal, size_t *length);

/* The slots of TERMINAL that vary, where they are in the key, in increasing order; returns how many: 0, it is not
 * unzipped. */
uint32_t signature_varying(const struct signatures *s, uint32_t terminal, const uint32_t **offsets,
                           const struct delta_sequence **deltas);

/* Memory is short: the class is unzipped if its signatures keep being new, few as they may be, and a sequence of which
 * a grammar makes nothing is given up. *UNZIPPED: signatures have other numbers from now on. errors: as
 * signature_append */
enum pilgrim_status signatures_relieve(struct signatures *s, struct intern *pool, bool *unzipped) PILGRIM_CHECKED;

size_t signatures_memory_bytes(const struct signatures *s);
void signatures_free(struct signatures *s);

/* Forgets everything as signatures_free does, but keeps memory, if it is little, for what comes next. */
void signatures_restart(struct signatures *s);

#endif
