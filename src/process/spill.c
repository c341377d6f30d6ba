/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounded memory while recording; see spill.h.
 *
 * What becomes of a segment is in the bound, too: encoding it takes one to two times the stream's memory, writing it
 * into the trace at the end five to ten times. One thread at a time encodes, so with n threads each may have a part in
 * n + SEALING of the bound.
 *
 * The application must not notice: errno is as before, and this is no point where a thread may be cancelled. */
#define _GNU_SOURCE 1
#include "process/spill.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/try.h"
#include "process/blocks.h"
#include "process/capture.h"
#include "process/rank_fragment.h"
#include "process/spill_file.h"
#include "record/stream_times.h"

enum {
    SEALING = 9,          /* shares of the bound that no thread has */
    MACHINE_SHARE = 8,    /* of the machine's memory the processes on it may have a part in so many */
    LOOK_BYTES = 1 << 14, /* as long as the bound is not known */
    PATIENCE_SHARE =
        32, /* of its limit a stream may grow by a part in so many while a good point to encode it is looked for */
    PATIENCE_BYTES_MIN = 1 << 15, /* some fifty calls, at most */
    SEGMENT_BYTES_MIN = 1 << 15,  /* a segment may grow by so much in any case, ... */
    SEGMENT_TABLES = 3,           /* ... and by so many times the table of classes */
    LOOP_TABLES = 10,             /* what an iteration of a loop takes is mostly less than so many times that table */
    ENDED_BYTES_MIN = 1 << 16,    /* what ended threads may have in any case */
    LOOK_SHARE = 32, /* a stream is looked at again when it has grown by a part in so many of its limit, or later */
    RELIEF_SHARE =
        32, /* what takes less than a part in so many of the limit is left alone when a stream is relieved, ... */
    RELIEF_PART = 4 /* ... which must gain a part in so many: else it is encoded */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static bool ended;
static struct spill_extent *segments; /* in the process's file */
static uint32_t segment_count, segment_capacity;

static atomic_size_t bound; /* 0: not known yet */

/* ---- how much ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void spill_begin(int processes)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t most = capture.settings.memory_bytes;
    if (pages > 0 && page > 0 && processes > 0) {
        uint64_t part = (uint64_t)pages * (uint64_t)page / MACHINE_SHARE / (uint64_t)processes;
        most = part < most ? part : most;
    }
    atomic_store(&bound, most > SETTINGS_MEMORY_MIN ? (size_t)most : (size_t)SETTINGS_MEMORY_MIN);
}

size_t spill_share(void)
{
    return atomic_load_explicit(&bound, memory_order_relaxed) / (thread_shares() + SEALING);
}

static void grown(void *context)
{
    ((struct thread *)context)->grown = true;
}

/* Looks again at T, which has MEMORY. */
static void watch_again(struct thread *t, size_t memory, size_t limit)
{
    size_t left = limit > memory ? limit - memory : 0, least = limit / LOOK_SHARE;
    stream_watch(t->stream, left / 2 > least ? left / 2 : least, grown, t);
}

void spill_watch(struct thread *t)
{
    size_t limit = spill_share();
    stream_watch(t->stream, limit ? limit / 2 : LOOK_BYTES, grown, t);
}

/* ---- segments ---- */

static enum pilgrim_status reserve_segment(void)
{
    if (segment_count < segment_capacity)
        return PILGRIM_OK;
    uint32_t capacity = segment_capacity * 2 + 16;
    struct spill_extent *more = realloc(segments, capacity * sizeof *segments);
    if (!more)
        return PILGRIM_NOMEM;
    segments = more;
    segment_capacity = capacity;
    return PILGRIM_OK;
}

/* Behind the times of its calls. */
static enum pilgrim_status put_segment(const struct bytes *encoded)
{
    TRY(reserve_segment());
    blocks_put_away();
    TRY(spill_file_append(encoded, &segments[segment_count]));
    segment_count++;
    return PILGRIM_OK;
}

bool spill_forget(void)
{
    pthread_mutex_lock(&lock);
    bool some = segment_count;
    segment_count = 0;
    pthread_mutex_unlock(&lock);
    return some;
}

/* ---- encoding ---- */

/* F, which may be NULL and is used up, becomes a segment. */
static enum pilgrim_status spill_fragment(struct fragment *f)
{
    struct bytes encoded = {0};
    enum pilgrim_status status = f ? fragment_encode_last(f, &encoded) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = put_segment(&encoded);
    bytes_free(&encoded);
    return status;
}

/* T's stream becomes a segment and is empty. If that fails it is as before. */
static enum pilgrim_status spill_thread(struct thread *t)
{
    TRY(spill_fragment(rank_fragment_segment(t)));
    stream_renew(t->stream);
    array_delta_free(&t->request_delta);
    live_free(&t->live);
    t->segment++;
    return PILGRIM_OK;
}

static void stop(enum pilgrim_status status)
{
    if (status != PILGRIM_IO)
        capture_fail("out of memory to put away what was recorded");
    else if (!(atomic_fetch_or(&capture.off, OFF_FAILED) & OFF_FAILED))
        capture_say("%s: %s; what is recorded cannot be put away there, recording stops", spill_file_path(),
                    strerror(errno));
}

static enum pilgrim_status spill_ended(struct ended_threads *e)
{
    TRY(ended_flush_times(e));
    TRY(spill_fragment(rank_fragment_segment_ended(e)));
    ended_renew(e);
    return PILGRIM_OK;
}

/* The application's state, while a thread encodes. */
struct care {
    int error;
    int cancel_state;
};

static void care_begin(struct care *c)
{
    c->error = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel_state);
    pthread_mutex_lock(&lock);
}

static void care_end(const struct care *c, enum pilgrim_status status)
{
    if (status != PILGRIM_OK)
        stop(status);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(c->cancel_state, NULL);
    errno = c->error;
}

/* Of T, or if that is NULL of E. */
static void spill_carefully(struct thread *t, struct ended_threads *e)
{
    struct care care;
    care_begin(&care);
    care_end(&care, ended ? PILGRIM_OK : t ? spill_thread(t) : spill_ended(e));
}

/* Whether T's stream now takes so much less that it need not be encoded yet. */
static bool relieve(struct thread *t, size_t limit)
{
    struct care care;
    care_begin(&care);
    care_end(&care, ended ? PILGRIM_OK : stream_relieve(t->stream, limit / RELIEF_SHARE));
    return stream_memory_bytes(t->stream) <= limit - limit / RELIEF_PART;
}

/* Notes how few operations are live at a time, and the class of the last call before there are more: there a segment
 * ends well. */
static void look(struct patience *p, size_t live)
{
    if (live < p->fewest) {
        p->fewest = live;
        p->end = NULL;
    } else if (live > p->live && p->live == p->fewest) {
        p->end = p->class;
    }
}

/* Whether it is better to wait: segments that begin where nothing is under way, and something is begun, have equal
 * values of a send, a receive and their completion at equal places, and so need to be stored once. First it is seen
 * where that is, then the next such place is taken. */
static bool waits(struct thread *t, size_t limit)
{
    struct patience *p = &t->patience;
    size_t live = atomic_load_explicit(&t->requests->live, memory_order_relaxed);
    size_t whole = larger(limit / PATIENCE_SHARE, PATIENCE_BYTES_MIN);
    if (!p->left)
        *p = (struct patience){.left = whole, .whole = whole, .fewest = live, .live = live};
    size_t taken = stream_growth(t->key.length);
    p->left = p->left > taken ? p->left - taken : 0;
    if (p->left > p->whole / 2)
        look(p, live);
    else if (live <= p->fewest && (!p->end || p->end == t->class))
        p->left = 0;
    p->live = live;
    p->class = t->class;
    return p->left;
}

/* What T's stream may take, whose share is SHARE. The table of classes stays, and each class that is called has some
 * tables: they must not make a segment of each call, nor of a few calls of a loop. So where there are many classes the
 * limit is higher, and if there are few threads still higher: a single one may then have a quarter of the bound. */
static size_t segment_limit(const struct thread *t, size_t share)
{
    size_t table = stream_table_bytes(t->stream);
    size_t segment = larger(larger(share / 4, SEGMENT_BYTES_MIN), SEGMENT_TABLES * table);
    size_t most = atomic_load_explicit(&bound, memory_order_relaxed) / (2 * (thread_shares() + 1));
    size_t wanted = LOOP_TABLES * table;
    return larger(larger(share, table + segment), wanted < most ? wanted : most);
}

void spill_consider(struct thread *t)
{
    size_t memory = t->patience.left ? 0 : stream_memory_bytes(t->stream), limit = spill_share();
    if (limit)
        limit = segment_limit(t, limit);
    if (limit && (t->patience.left || memory >= limit)) {
        if (t->patience.left || !relieve(t, limit)) {
            if (waits(t, limit))
                return; /* grown still: for the next call */
            spill_carefully(t, NULL);
        }
        memory = stream_memory_bytes(t->stream);
    }
    t->grown = false;
    watch_again(t, memory, limit ? limit : memory + 2 * (size_t)LOOK_BYTES);
}

void spill_consider_ended(struct ended_threads *e)
{
    size_t limit = spill_share();
    if (e && limit && ended_memory_bytes(e) > (limit > ENDED_BYTES_MIN ? limit : (size_t)ENDED_BYTES_MIN))
        spill_carefully(NULL, e);
}

/* ---- the end ---- */

void spill_end(void)
{
    thread_keep_all();
    struct ended_threads *gone = thread_ended();
    size_t total = gone ? ended_memory_bytes(gone) : 0, most = atomic_load(&bound) / (SEALING + 1);
    for (const struct thread *t = thread_first(); t; t = t->next)
        total += stream_memory_bytes(t->stream);
    for (struct thread *t = thread_first(); t; t = t->next)
        if (stream_flush_times(t->stream) != PILGRIM_OK)
            capture_fail("out of memory");
    if (gone && ended_flush_times(gone) != PILGRIM_OK)
        capture_fail("out of memory");
    pthread_mutex_lock(&lock);
    bool good = !(atomic_load(&capture.off) & OFF_FAILED) && most;
    for (struct thread *t = thread_first(); t && good && total > most; t = t->next) {
        total -= stream_memory_bytes(t->stream);
        good = !stream_calls(t->stream) || spill_thread(t) == PILGRIM_OK;
    }
    if (good && total > most && gone && ended_any(gone))
        (void)!spill_ended(gone);
    ended = true;
    pthread_mutex_unlock(&lock);
}

uint32_t spill_segments(void)
{
    return segment_count;
}

enum pilgrim_status spill_read(uint32_t number, struct bytes *encoded)
{
    return spill_file_read(&segments[number], encoded);
}
