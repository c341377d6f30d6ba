/* SPDX-License-Identifier: BSD-3-Clause */
/* What one thread did: its structure grammar, its call classes, their signatures and value grammars.
 *
 * Where memory is bounded a stream is recorded in segments: each is put into a fragment, and the stream is renewed.
 *
 * The recording end of the data model; fragment.h makes it mergeable. Used by one thread at a time. */
#ifndef PILGRIM_STREAM_H
#define PILGRIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/descriptor.h"
#include "base/site.h"
#include "pilgrim/status.h"

struct stream;

/* Where a site lies: fills in FRAMES, which has room for SITE_FRAMES_MAX, innermost first, and returns how many there
 * are; 0: unknown. Modules are borrowed, live as long as the stream. */
typedef size_t site_resolver(const void *site, struct code_frame *frames);

/* From the site that stream_class is given to the one that its class is known by, and that is resolved: the stack that
 * the calling thread is on. NULL: no memory. */
typedef const void *site_locator(const void *site);

/* VOCABULARY and RESOLVE are borrowed. NULL where memory is short. */
struct stream *stream_new(const struct vocabulary *vocabulary, site_resolver *resolve);

/* Before the first class; without a locator, sites are what they are. */
void stream_set_locator(struct stream *s, site_locator *locate);
void stream_free(struct stream *s);

/* The number of the call class (FUNCTION, SITE, FORTRAN: called from there) in *CLASS: order of first appearance in
 * this stream, from 0. An unchanged class costs one comparison with the class that followed last time. Polls that fail
 * are a class beside those of the same site that do not: which of the two *CLASS is has no meaning. errors:
 * PILGRIM_NOMEM */
enum pilgrim_status stream_class(struct stream *s, uint32_t function, const void *site, bool fortran,
                                 uint32_t *class) PILGRIM_CHECKED;

/* Records a call of class CLASS with the values KEY (base/value.h, copied if new), LENGTH bytes. FAILED_POLL: it asked
 * whether something had happened, and nothing had. START, END: in ticks (base/clock.h); no meaning if times are not
 * kept. errors: PILGRIM_NOMEM, PILGRIM_LIMIT (a key of 2^31 bytes), what the times' sink says: the stream has lost this
 * call or its time, record no more */
enum pilgrim_status stream_append(struct stream *s, uint32_t class, bool failed_poll, const void *key, size_t length,
                                  uint64_t start, uint64_t end) PILGRIM_CHECKED;

/* ---- what is predicted ---- */

/* What a class is known by. */
struct class_key {
    const void *site;
    union {
        struct {
            uint32_t function;
            uint32_t fortran;
        };
        uint64_t what; /* both */
    };
};

/* The beginning of a class. */
struct class_head {
    struct class_key key;
    uint32_t number;
};

/* The beginning of a stream; never NULL. */
struct stream_head {
    const struct class_head *expected; /* what the next call is likely to be of */
};

static inline const struct class_head *stream_expected(const struct stream *s)
{
    return ((const struct stream_head *)s)->expected;
}

static inline bool class_is(const struct class_head *class, uint32_t function, const void *site, bool fortran)
{
    const struct class_key key = {.function = function, .fortran = fortran};
    return class->key.site == site && class->key.what == key.what;
}

/* As stream_class. NULL: no memory. Where the class is the expected one, as in loops, it need not be asked for. */
const struct class_head *stream_class_head(struct stream *s, uint32_t function, const void *site, bool fortran);

/* A number that its user may set, 0 at first: that of CLASS and of the failed polls, or other calls, of the same site.
 * Valid until the next call. */
uint32_t *stream_class_register(struct stream *s, uint32_t class);

/* Memory is short: what takes LEAST bytes or more and keeps being new, values and the order of classes, goes on as
 * numbers, which take less. errors: as stream_append */
enum pilgrim_status stream_relieve(struct stream *s, size_t least) PILGRIM_CHECKED;

/* Forgets all calls, as if S were new: what was recorded has been put into a fragment, and another segment begins.
 * Classes keep their numbers, as requests are named by them, and their registers are 0 again; gaps are measured from
 * the last call's end. Needs no memory. */
void stream_renew(struct stream *s);

/* Forgets the thread, too: S is as if it were new, for another thread, but what it knows of call sites it need not ask
 * again. Needs no memory. */
void stream_restart(struct stream *s);

/* Nothing more is recorded in S, which is kept for what was: it takes less memory. Its times are flushed. */
void stream_close(struct stream *s);

/* WATCHER is called, once, by the stream_append after which S may have taken BYTES more memory than now. What a call
 * takes at most is counted, so this is mostly much sooner; calls that take none are not counted. */
void stream_watch(struct stream *s, size_t bytes, void (*watcher)(void *context), void *context);

/* What a call with a key of LENGTH bytes may add at most, as the watcher counts: to tables and grammars, and the key,
 * which is once a signature, or less than that in the sequences of its slots. */
static inline size_t stream_growth(size_t length)
{
    return 512 + 2 * length;
}

/* Something was unloaded: from now on a site that no longer lies where its class says is another class. */
void stream_forget_moved(struct stream *s);

uint64_t stream_calls(const struct stream *s);       /* since it was renewed; so the others, too */
uint64_t stream_plain_bytes(const struct stream *s); /* what plain records would take: 18 bytes and the key, a call */
/* But for calls on their way to statistics and codec, and the times of one block: some bytes for each of its calls. */
size_t stream_memory_bytes(const struct stream *s);
size_t
stream_table_bytes(const struct stream *s); /* of that, the table of classes, which is there when it has been renewed */

/* Prints the table and the grammars as they are now, for people. */
void stream_dump(const struct stream *s, FILE *to);

#endif
