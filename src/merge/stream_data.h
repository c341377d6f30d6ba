/* The inside of a stream, for fragment.c, which takes it apart, and for what records a call that is foretold. */
#ifndef PILGRIM_STREAM_DATA_H
#define PILGRIM_STREAM_DATA_H

#include "base/hash.h"
#include "grammar/sequence.h"
#include "merge/stream.h"
#include "signature/signature.h"
#include "timing/timing.h"

struct stream_class {
    struct class_head head; /* first */
    UT_hash_handle hh;
    uint32_t terminal;              /* in the segment's structure grammar; NO_TERMINAL: not called in it yet */
    struct stream_class *successor; /* the class that was called after this one last time */
    struct stream_class *twin;      /* the same but for failed_poll, or NULL; of the two the first one is in the table */
    bool failed_poll;               /* of all of its calls */
    bool called;                    /* ever: failed_poll is settled */
    uint32_t kept;                  /* stream_class_register; of the two, that of the first one */
    struct code_frame *frames;      /* the call site, then its callers */
    uint32_t frame_count;           /* 0: unknown */
    struct signatures signatures;
    struct timing timing;
};

#define NO_TERMINAL (UINT32_MAX - 1) /* nor is it GRAMMAR_NOTHING: it is never foretold */

struct stream {
    struct stream_head head; /* first */
    const struct grammar_next *foretold; /* by the structure; never NULL */
    const struct vocabulary *vocabulary;
    site_resolver *resolve;
    site_locator *locate; /* or NULL */
    struct stream_class *table; /* uthash, by key */
    struct stream_class **classes; /* by number */
    uint32_t class_count;
    uint32_t class_capacity;
    struct stream_class *last;
    /* Since it was renewed: */
    struct stream_class **segment; /* classes that were called, by terminal */
    uint32_t segment_count;
    uint32_t segment_capacity;
    struct sequence structure;
    struct intern chunks;    /* of all that is kept as numbers */
    uint64_t key_bytes;
    size_t growth;           /* since stream_watch, at most */
    size_t watched;          /* the watcher is called when GROWTH is that */
    void (*watcher)(void *context);
    void *watcher_context;
};

static inline void stream_count(struct stream *s, struct stream_class *class, size_t length, uint64_t duration)
{
    timing_append(&class->timing, duration);
    s->last = class;
    s->key_bytes += length;
}

/* Whether a call of class HEAD with the values KEY is what structure and values foretell, as in loops: stream_step then takes the place
 * of stream_append. */
static inline bool stream_foretells(const struct stream *s, const struct class_head *head, bool failed_poll, const void *key,
                                    size_t length)
{
    const struct stream_class *class = (const struct stream_class *)head;
    return s->foretold->terminal == class->terminal && class->failed_poll == failed_poll &&
           signature_expects(&class->signatures, key, length);
}

/* Records it: two cursors move. False: stream_turn is to be called. */
static inline bool stream_step(struct stream *s, const struct class_head *head, size_t length, uint64_t duration)
{
    struct stream_class *class = (struct stream_class *)(uintptr_t)head;
    stream_count(s, class, length, duration);
    if (__builtin_expect(!grammar_step(class->signatures.sequence.grammar), 0)) {
        (void)grammar_step(s->structure.grammar);
        return false;
    }
    return grammar_step(s->structure.grammar);
}

/* Sees what the cursors foretell that have come to the end of a run. */
void stream_turn(struct stream *s, const struct class_head *head);

#endif
