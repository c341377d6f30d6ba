/* SPDX-License-Identifier: BSD-3-Clause */
/* What one thread did: its structure grammar, its call classes, their signatures and value grammars.
 *
 * Where memory is bounded a stream is recorded in segments. A segment is put into a fragment, and the stream is
 * renewed.
 *
 * Calls come in here; merge/fragment.h takes them out. stream_times.h has the times. Used by one thread at a time. */
#ifndef PILGRIM_STREAM_H
#define PILGRIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/descriptor.h"
#include "base/site.h"
#include "pilgrim/status.h"
#include "unwind/call_path.h"

struct stream;

/* Finds out where SITE lies. Fills in FRAMES, innermost first, which has room for SITE_FRAMES_MAX, and returns their
 * number; 0: unknown. Modules are borrowed and live as long as the stream. */
typedef size_t site_resolver(const void *site, struct code_frame *frames);

/* Returns the path of a call at SITE, where FRAME is CALL_PATH_FRAME. Sets *WALK to how it was found; it is borrowed
 * until the next call. NULL: no memory. */
typedef const struct call_path *path_finder(const void *site, const void *frame, const struct path_walk **walk);

/* Returns a stream without calls, or NULL without memory. VOCABULARY and RESOLVE are borrowed. */
struct stream *stream_new(const struct vocabulary *vocabulary, site_resolver *resolve);

/* From now on calls are told apart by their paths, not by their sites alone. To be called before the first class. */
void stream_set_paths(struct stream *s, path_finder *find);
void stream_free(struct stream *s);

/* Sets *CLASS to the class index of FUNCTION, called at SITE, from Fortran or not. Indices are given by first
 * appearance in this stream, from 0. A class that follows the one that it followed last time costs one comparison.
 * Failed polls are a class of their own at the same site: *CLASS may be either of the two.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status stream_class(struct stream *s, uint32_t function, const void *site, bool fortran,
                                 uint32_t *class) PILGRIM_CHECKED;

/* Records a call of CLASS with the values KEY (base/value.h; LENGTH bytes, copied if new). FAILED_POLL: it asked if
 * something had happened, and nothing had. START and END are in ticks (base/clock.h); they have no meaning if times are
 * not recorded.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (a key of more than 2^31 bytes), errors of the times' sink; the stream has
 * lost this call or its time, and nothing more may be recorded */
enum pilgrim_status stream_append(struct stream *s, uint32_t class, bool failed_poll, const void *key, size_t length,
                                  uint64_t start, uint64_t end) PILGRIM_CHECKED;

/* ---- prediction ---- */

/* The key of a class in the table. */
struct class_key {
    const void *site;
    const struct call_path *path; /* or NULL */
    union {
        struct {
            uint32_t function;
            uint32_t fortran;
        };
        uint64_t what; /* function and fortran together */
    };
};

/* The beginning of each class. NUMBER is its class index. */
struct class_head {
    struct class_key key;
    uint32_t number;
    const struct path_trail *trail; /* of its last call, or one that is no call's; NULL: it has no path */
};

/* The beginning of each stream, for inline functions outside of this folder. */
struct stream_head {
    const struct class_head *expected; /* the likely class of the next call; never NULL */
};

/* Returns the likely class of the next call. */
static inline const struct class_head *stream_expected(const struct stream *s)
{
    return ((const struct stream_head *)s)->expected;
}

/* True if CLASS is that of FUNCTION, called at SITE, from Fortran or not; its path may be another one. */
static inline bool class_is(const struct class_head *class, uint32_t function, const void *site, bool fortran)
{
    const struct class_key key = {.function = function, .fortran = fortran};
    return class->key.site == site && class->key.what == key.what;
}

/* Returns the class as stream_class does; NULL without memory. FRAME: CALL_PATH_FRAME of the function that returns to
 * SITE; NULL: the class has no path. In loops the class is the expected one, and there is no need to call this. */
const struct class_head *stream_class_head(struct stream *s, uint32_t function, const void *site, const void *frame,
                                           bool fortran);

/* Returns the class of a call at SITE that is made inside another call; PATH is its whole path. NULL without memory. */
const struct class_head *stream_class_inside(struct stream *s, uint32_t function, const void *site,
                                             const struct call_path *path, bool fortran);

/* Records, as stream_append does, a call that is made inside another one of the same thread, which ends later. Its time
 * is part of that one's: it has none of its own. NOW: a time between the end of the last call and the beginning of the
 * call that it is inside of, if no call was recorded yet. */
enum pilgrim_status stream_append_inside(struct stream *s, uint32_t class, bool failed_poll, const void *key,
                                         size_t length, uint64_t now) PILGRIM_CHECKED;

/* Returns a number that the caller may set; it is 0 at first. CLASS shares it with its twin, the failed polls or
 * other calls at the same site. The pointer is valid until the next call. */
uint32_t *stream_class_register(struct stream *s, uint32_t class);

/* Tells LOG, which is empty, from now on what it needs to get the calls back, if this process dies. */
struct journal_log;
void stream_set_journal(struct stream *s, struct journal_log *log);

/* Frees memory where it is short: unzips classes, and gives up grammars, that take LEAST bytes or more and do not
 * repeat.
 * errors: as stream_append */
enum pilgrim_status stream_relieve(struct stream *s, size_t least) PILGRIM_CHECKED;

/* Forgets all calls, which have been put into a fragment, and begins the next segment. Classes keep their indices,
 * as requests are named by them; their registers are 0 again. The next gap is measured from the end of the last
 * call. Needs no memory. The log is empty. */
void stream_renew(struct stream *s);

/* Makes S a stream for another thread. What it knows of call sites stays known. Needs no memory. */
void stream_restart(struct stream *s);

/* Frees what only recording needs. S stays readable; nothing more may be recorded. The times have been flushed. */
void stream_close(struct stream *s);

/* Has WATCHER called once, by the stream_append after which S may have taken BYTES more than now. As each call
 * counts with what it may take at most, this mostly happens much earlier. Calls that are predicted take nothing and
 * are not counted. */
void stream_watch(struct stream *s, size_t bytes, void (*watcher)(void *context), void *context);

/* Returns what a call with a key of LENGTH bytes may add at most: to tables and grammars, and the key itself. */
static inline size_t stream_growth(size_t length)
{
    return 512 + 2 * length;
}

/* Forgets where sites lie, because a module was unloaded. A site that lies elsewhere now becomes another class. */
void stream_forget_moved(struct stream *s);

uint64_t stream_calls(const struct stream *s);       /* calls since S was renewed; so below */
uint64_t stream_plain_bytes(const struct stream *s); /* bytes of plain records: 18 and the key for each call */

/* Returns the bytes of S, without the times of calls that are not flushed yet: a few bytes for each. */
size_t stream_memory_bytes(const struct stream *s);

/* Returns the part of them that the table of classes takes, which stays when S is renewed. */
size_t stream_table_bytes(const struct stream *s);

/* Prints the table and the grammars, for people. */
void stream_dump(const struct stream *s, FILE *to);

#endif
