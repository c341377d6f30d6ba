/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a stream, for fragment.c, which takes it apart, and for what records a call that is predicted. */
#ifndef PILGRIM_STREAM_INLINE_H
#define PILGRIM_STREAM_INLINE_H

#include "base/hash.h"
#include "sequence/sequence.h"
#include "record/stream_times.h"
#include "record/signature.h"
#include "record/statistics.h"

struct stream_class {
    struct class_head head; /* first */
    UT_hash_handle hh;
    uint32_t terminal;              /* in the segment's structure grammar; NO_TERMINAL: not called in it yet */
    struct stream_class *successor; /* the class that was called after this one last time */
    struct stream_class *twin; /* the same but for failed_poll, or NULL; of the two the first one is in the table */
    bool failed_poll;          /* of all of its calls */
    bool called;               /* ever: failed_poll is settled */
    uint32_t register_number;  /* stream_class_register; of the two, that of the first one */
    struct code_frame *frames; /* the call site, then its callers */
    uint32_t frame_count;      /* 0: unknown */
    struct signatures signatures;
    struct statistics statistics;
};

#define CLASS_INHERITED                                                                                                \
    UINT32_MAX /* the number of a class that this thread has not met, but one before it (stream_restart) */
#define NO_TERMINAL (UINT32_MAX - 1) /* nor is it GRAMMAR_NOTHING: it is never predicted */

struct stream {
    struct stream_head head;              /* first */
    const struct grammar_next *predicted; /* by the structure; never NULL */
    struct span *next;                    /* where the next call's time goes, in ticks ... */
    struct span *full; /* ... unless that is here: they are to be settled; NULL: times are not kept */
    size_t step;       /* from one to the next: 1; 0: times are not kept */
    const struct vocabulary *vocabulary;
    site_resolver *resolve;
    site_locator *locate;          /* or NULL */
    struct stream_class *table;    /* uthash, by key */
    struct stream_class **classes; /* by number */
    uint32_t class_count;
    uint32_t class_capacity;
    struct stream_class *last;
    struct stream_times times;
    struct times *codec; /* or NULL */
    uint32_t announced;  /* classes of the segment that it knows */
    double *readings;    /* for each of spans, if its class has some; NULL without a codec */
    struct span *spans;  /* NEXT is one of them */
    struct span unused;  /* or this one */
    uint64_t last_ticks; /* of the end of the last call that was settled ... */
    uint64_t last_end;   /* ... and that in ns */
    uint64_t taken;      /* calls that went to the sink */
    /* Since it was renewed: */
    struct stream_class **by_terminal; /* classes that were called, by terminal */
    uint32_t terminal_count;
    uint32_t terminal_capacity;
    struct sequence structure;
    struct intern chunks; /* of all that is kept as numbers */
    struct intern texts;  /* strings that have left the keys */
    uint64_t key_bytes;
    uint32_t predecessor; /* the class's place of the last call that was settled; or STATISTICS_FIRST */
    size_t growth;        /* since stream_watch, at most */
    size_t watched;       /* the watcher is called when GROWTH is that */
    void (*watcher)(void *context);
    void *watcher_context;
};

/* Notes a call of CLASS that has been recorded, with signature number SIGNATURE. False: its time was the last one for
 * which there was room; stream_settle is to be called. */
static inline bool stream_count(struct stream *s, struct stream_class *class, size_t length, uint32_t signature,
                                uint64_t start, uint64_t end)
{
    struct span *span = s->next;
    *span = (struct span){.start = start, .end = end, .class = class->terminal, .signature = signature};
    s->next = span + s->step;
    s->last = class;
    s->key_bytes += length;
    return s->next != s->full;
}

/* Puts the times in ticks into statistics and codec, and a block, if it is large enough, into the sink. errors: as
 * stream_append */
enum pilgrim_status stream_settle(struct stream *s) PILGRIM_CHECKED;

/* What times take in S, without the statistics, and without what is bounded whatever is recorded. */
size_t stream_times_bytes(const struct stream *s);

/* S may have taken BYTES more memory. */
void stream_grow(struct stream *s, size_t bytes);

/* Whether a call of class HEAD with the values KEY is what structure and values predict, as in loops: stream_step then
 * takes the place of stream_append. */
static inline bool stream_predicts(const struct stream *s, const struct class_head *head, bool failed_poll,
                                   const void *key, size_t length)
{
    const struct stream_class *class = (const struct stream_class *)head;
    return s->predicted->terminal == class->terminal && class->failed_poll == failed_poll &&
           signature_expects(&class->signatures, key, length);
}

/* Records it: two cursors move. False: stream_turn is to be called. */
static inline bool stream_step(struct stream *s, const struct class_head *head, size_t length, uint64_t start,
                               uint64_t end)
{
    struct stream_class *class = (struct stream_class *)(uintptr_t)head;
    bool room = stream_count(s, class, length, signature_predicted(&class->signatures), start, end);
    bool same = grammar_step(class->signatures.sequence.grammar);
    return grammar_step(s->structure.grammar) & same & room;
}

/* Sees what the cursors predict that have come to the end of a run, and settles times if there is no room for more.
 * errors: as stream_append */
enum pilgrim_status stream_turn(struct stream *s, const struct class_head *head) PILGRIM_CHECKED;

#endif
