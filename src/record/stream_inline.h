/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a stream, and the inline functions that record a predicted call. For src/record, for src/merge, which
 * takes streams apart, and for src/wrap/call.c. */
#ifndef PILGRIM_STREAM_INLINE_H
#define PILGRIM_STREAM_INLINE_H

#include "base/hash.h"
#include "grammar/loop_turn_inline.h"
#include "sequence/sequence.h"
#include "record/stream_times.h"
#include "record/signature.h"
#include "record/statistics.h"

struct stream_class {
    struct class_head head; /* must be first */
    UT_hash_handle hh;
    uint32_t terminal; /* in the structure grammar of the segment; NO_TERMINAL if it was not called in it yet */
    struct stream_class *successor; /* the class that followed this one last time */
    struct stream_class *twin;      /* differs in failed_poll only; NULL if none. The older one is in the table */
    bool failed_poll;               /* true if all of its calls are failed polls */
    bool called;                    /* it had a call, so failed_poll is settled */
    uint32_t register_number;       /* stream_class_register; twins use that of the older one */
    struct code_frame *frames;      /* the call site, then its callers */
    uint32_t frame_count;           /* 0 if unknown */
    struct signatures signatures;
    struct statistics statistics;
    struct told_key { /* the last key of this class that the journal was told whole */
        uint8_t *data;
        size_t length, capacity;
    } told;
};

/* The number of an inherited class: a thread that had this stream before called it, this one has not (stream_restart).
 */
#define CLASS_INHERITED UINT32_MAX
#define NO_TERMINAL     (UINT32_MAX - 1) /* not GRAMMAR_NOTHING either, so it is never the predicted terminal */

struct trails;

struct stream {
    struct stream_head head;              /* must be first */
    const struct grammar_next *predicted; /* by the structure grammar; never NULL */
    struct span *next;                    /* where the time of the next call goes, in ticks */
    struct span *full;                    /* end of the room: times are settled here; NULL if times are not recorded */
    size_t step;                          /* bytes from one time to the next; 0 if times are not recorded */
    const struct vocabulary *vocabulary;
    site_resolver *resolve;
    path_finder *find_path;        /* or NULL */
    struct trails *trails;         /* NULL: none yet */
    size_t trail_bytes;            /* of them */
    struct stream_class *table;    /* uthash by key */
    struct stream_class **classes; /* by class index */
    uint32_t class_count;
    uint32_t class_capacity;
    struct stream_class *last;
    struct stream_times times;
    struct times *encoder;       /* or NULL */
    uint32_t announced;          /* classes of this segment that the encoder knows */
    bool inside;                 /* the call in progress is inside another one: its reading is a value */
    double *readings;            /* for each of `spans`, if its class reads a clock; NULL without a encoder */
    struct span *spans;          /* array that `next` points into ... */
    struct span unused;          /* ... or to this one if times are not recorded */
    uint64_t last_ticks;         /* end of the last settled call, in ticks */
    uint64_t last_end;           /* the same in ns */
    uint64_t taken;              /* calls whose times went to the sink */
    struct journal_log *journal; /* or NULL */
    uint64_t settled;            /* calls of the current segment whose times are in the statistics; ... */
    uint64_t told_settled;       /* ... when the journal was told of the statistics, ... */
    uint64_t told_ns;            /* ... at what time, ... */
    uint64_t told_bytes;         /* ... and how many bytes that were */
    /* The rest is of the current segment. */
    struct stream_class **by_terminal; /* classes that were called */
    uint32_t terminal_count;
    uint32_t terminal_capacity;
    struct sequence structure;
    struct intern chunks; /* of all delta sequences */
    struct intern texts;  /* strings that have left the keys */
    uint64_t key_bytes;
    uint32_t predecessor; /* terminal of the last settled call, or STATISTICS_FIRST */
    size_t growth;        /* bytes since stream_watch, at most */
    size_t watched;       /* the watcher is called when `growth` gets there */
    void (*watcher)(void *context);
    void *watcher_context;
};

/* Notes a recorded call of CLASS, whose signature has number SIGNATURE. False if there is no room for another time:
 * stream_settle must be called. */
static inline bool stream_count(struct stream *s, struct stream_class *class, size_t length, uint32_t signature,
                                uint64_t start, uint64_t end)
{
    struct span *span = s->next;
    *span = (struct span){.start = start, .end = end, .class = class->terminal, .signature = signature};
    s->next = (struct span *)((char *)span + s->step);
    s->last = class;
    s->key_bytes += length;
    return s->next != s->full;
}

/* Sends the noted times to statistics and encoder, and a block to the sink if it is large enough.
 * errors: as stream_append */
enum pilgrim_status stream_settle(struct stream *s) PILGRIM_CHECKED;

/* Returns the bytes that times take, without statistics and without what is bounded whatever is recorded. */
size_t stream_times_bytes(const struct stream *s);

/* Counts BYTES more that S may take, and calls the watcher if that is enough. */
void stream_grow(struct stream *s, size_t bytes);

/* True if structure and values predict a call of class HEAD with the values KEY, as in loops. stream_step then
 * stands in for stream_append. */
static inline bool stream_predicts(const struct stream *s, const struct class_head *head, bool failed_poll,
                                   const void *key, size_t length)
{
    const struct stream_class *class = (const struct stream_class *)head;
    return s->predicted->terminal == class->terminal && class->failed_poll == failed_poll &&
           signature_expects(&class->signatures, key, length);
}

/* The class that follows has come to the end of its run. Goes to the next one. False: this is not as easy as in most
 * loops, and nothing was done. */
static inline bool stream_follow(struct stream *s)
{
    if (!grammar_turn_quickly(s->structure.grammar))
        return false;
    s->head.expected = &s->by_terminal[s->predicted->terminal]->head;
    return true;
}

/* Records the predicted call: two cursors move. False if stream_turn must be called. */
static inline bool stream_step(struct stream *s, const struct class_head *head, size_t length, uint64_t start,
                               uint64_t end)
{
    struct stream_class *class = (struct stream_class *)(uintptr_t)head;
    struct grammar *values = class->signatures.sequence.grammar; /* there is one if it predicts */
    uint32_t signature = grammar_predicted(values)->terminal + class->signatures.number_base;
    bool room = stream_count(s, class, length, signature, start, end);
    bool same = grammar_step(values) & !class->signatures.expected_varies;
    bool run = grammar_step(s->structure.grammar);
    return __builtin_expect(same & room, 1) && (run || stream_follow(s));
}

/* The two parts of stream_relieve: one class, and the structure. errors: as stream_append */
enum pilgrim_status stream_relieve_class(struct stream *s, uint32_t terminal) PILGRIM_CHECKED;
enum pilgrim_status stream_relieve_structure(struct stream *s) PILGRIM_CHECKED;

/* Turns cursors that have come to the end of a run, steps slots that vary, and settles times if there is no room for
 * more. errors: as stream_append */
enum pilgrim_status stream_turn(struct stream *s, const struct class_head *head) PILGRIM_CHECKED;

#endif
