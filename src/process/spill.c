/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound on memory while calls are recorded; see spill.h.
 *
 * The bound includes what a segment needs later. Encoding it takes one to two times the stream's memory; writing it
 * into the trace at the end takes five to ten times. One thread at a time encodes. So with n threads each one may have
 * 1/(n + ENCODING_SHARES) of the bound.
 *
 * The program must not notice: errno stays as it is, and no function here is a cancellation point. */
#define _GNU_SOURCE 1
#include "process/spill.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/try.h"
#include "process/times_sections.h"
#include "process/capture.h"
#include "process/rank_fragment.h"
#include "process/spill_file.h"
#include "record/stream_times.h"

enum {
    ENCODING_SHARES = 9,         /* shares of the bound that no thread has */
    MACHINE_SHARE = 8,           /* all processes on a machine may use 1/MACHINE_SHARE of its memory */
    LOOK_BYTES = 1 << 14,        /* growth until the first look, while the bound is unknown */
    WAIT_SHARE = 32,             /* a stream may grow by 1/WAIT_SHARE of its limit while it waits for a good point */
    WAIT_BYTES_MIN = 1 << 15,    /* ... or by these bytes: at most some fifty calls */
    SEGMENT_BYTES_MIN = 1 << 15, /* a segment may have these bytes in any case, ... */
    SEGMENT_TABLES = 3,          /* ... and the size of the class table so many times */
    LOOP_TABLES = 10,            /* an iteration of most loops takes less than this many class tables */
    ENDED_BYTES_MIN = 1 << 16,   /* ended threads may have these bytes in any case */
    JOURNAL_SHARE = 4,           /* the journal may have 1/JOURNAL_SHARE of the bound, ... */
    JOURNAL_BYTES_MIN = 1 << 18, /* ... and each thread these bytes in any case */
    LOOK_SHARE = 32,             /* look at a stream when it has grown by 1/LOOK_SHARE of its limit, or later */
    RELIEF_SHARE = 32,           /* relieving leaves alone what takes less than 1/RELIEF_SHARE of the limit */
    RELIEF_PART = 4              /* relieving must free 1/RELIEF_PART of the limit, else the stream is encoded */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`: */
static bool ended;
static struct spill_extent *segments; /* in the process's fragment file */
static uint32_t segment_count, segment_capacity;

static atomic_size_t bound; /* in bytes; 0: not known yet */

/* ---- shares ---- */

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
    return atomic_load_explicit(&bound, memory_order_relaxed) / (thread_shares() + ENCODING_SHARES);
}

static void grown(void *context)
{
    ((struct thread *)context)->grown = true;
}

/* Watches T's stream, which now takes MEMORY bytes. */
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

/* Appends a segment to the file, behind the times of its calls. */
static enum pilgrim_status put_segment(const struct bytes *encoded)
{
    TRY(reserve_segment());
    times_sections_write_out();
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

/* Makes a segment of F and frees F, which may be NULL for lack of memory. */
static enum pilgrim_status spill_fragment(struct fragment *f)
{
    struct bytes encoded = {0};
    enum pilgrim_status status = f ? fragment_encode_last(f, &encoded) : PILGRIM_NOMEM;
    if (status == PILGRIM_OK)
        status = put_segment(&encoded);
    bytes_free(&encoded);
    return status;
}

/* Makes a segment of T's stream and empties the stream. If that fails, the stream is as before. */
static enum pilgrim_status spill_thread(struct thread *t)
{
    TRY(spill_fragment(rank_fragment_segment(t)));
    journal_log_renew(&t->log, spill_file_length(), &t->journal->epoch);
    stream_renew(t->stream);
    array_delta_free(&t->request_delta);
    live_free(&t->live);
    t->segment++;
    return PILGRIM_OK;
}

static void stop(enum pilgrim_status status)
{
    if (status != PILGRIM_IO)
        capture_fail("out of memory while recorded calls were written to a file");
    else if (!(atomic_fetch_or(&capture.off, OFF_FAILED) & OFF_FAILED))
        capture_say("%s: %s; recorded calls cannot be written to this file, recording stops", spill_file_path(),
                    strerror(errno));
}

static enum pilgrim_status spill_ended(struct ended_threads *e)
{
    TRY(ended_flush_times(e));
    TRY(spill_fragment(rank_fragment_segment_ended(e)));
    ended_renew(e);
    journal_written(JOURNAL_ENDED, spill_file_length());
    return PILGRIM_OK;
}

/* What the program must find unchanged after a thread has encoded. */
struct application_state {
    int error;
    int cancel_state;
};

static void encode_begin(struct application_state *c)
{
    c->error = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel_state);
    pthread_mutex_lock(&lock);
}

static void encode_end(const struct application_state *c, enum pilgrim_status status)
{
    if (status != PILGRIM_OK)
        stop(status);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(c->cancel_state, NULL);
    errno = c->error;
}

/* Spills T's stream or, if T is NULL, the ended threads' calls in E, under the lock. */
static void spill_locked(struct thread *t, struct ended_threads *e)
{
    struct application_state saved;
    encode_begin(&saved);
    encode_end(&saved, ended ? PILGRIM_OK : t ? spill_thread(t) : spill_ended(e));
}

/* Tries to make T's stream smaller without encoding it. True if that freed enough. */
static bool relieve(struct thread *t, size_t limit)
{
    struct application_state saved;
    encode_begin(&saved);
    encode_end(&saved, ended ? PILGRIM_OK : stream_relieve(t->stream, limit / RELIEF_SHARE));
    return stream_memory_bytes(t->stream) <= limit - limit / RELIEF_PART;
}

/* Notes the fewest operations that were live at a time, and the class of the last call before that number rose. A
 * segment ends well after a call of this class. */
static void note_live(struct segment_wait *p, size_t live)
{
    if (live < p->live_least) {
        p->live_least = live;
        p->end_class = NULL;
    } else if (live > p->live_before && p->live_before == p->live_least) {
        p->end_class = p->class_before;
    }
}

/* True if T's stream should grow a little more before it is encoded. The best point is where no operation is live and
 * the next call begins one. Then a send, a receive and their completion have equal values at equal indices of each
 * segment, and are stored once. The first half of the wait finds out what such a point looks like; the second half ends
 * at the next one. */
static bool wait_for_good_end(struct thread *t, size_t limit)
{
    struct segment_wait *p = &t->wait;
    size_t live = atomic_load_explicit(&t->requests->live, memory_order_relaxed);
    size_t whole = larger(limit / WAIT_SHARE, WAIT_BYTES_MIN);
    if (!p->bytes_left)
        *p = (struct segment_wait){.bytes_left = whole, .bytes = whole, .live_least = live, .live_before = live};
    size_t taken = stream_growth(t->key.length);
    p->bytes_left = p->bytes_left > taken ? p->bytes_left - taken : 0;
    if (p->bytes_left > p->bytes / 2)
        note_live(p, live);
    else if (live <= p->live_least && (!p->end_class || p->end_class == t->class))
        p->bytes_left = 0;
    p->live_before = live;
    p->class_before = t->class;
    return p->bytes_left;
}

/* Returns how much T's stream may take, if the share of a thread is SHARE. The table of classes survives a segment, and
 * each class in use has tables of its own. These tables must not fill the share, or each call, or a few calls of a
 * loop, would become a segment. So the limit is higher if there are many classes, and higher still if there are few
 * threads: a single thread may use a quarter of the bound. */
static size_t segment_limit(const struct thread *t, size_t share)
{
    size_t table = stream_table_bytes(t->stream);
    size_t segment = larger(larger(share / 4, SEGMENT_BYTES_MIN), SEGMENT_TABLES * table);
    size_t most = atomic_load_explicit(&bound, memory_order_relaxed) / (2 * (thread_shares() + 1));
    size_t wanted = LOOP_TABLES * table;
    return larger(larger(share, table + segment), wanted < most ? wanted : most);
}

/* Returns how many bytes a thread's log in the journal may have. */
static size_t journal_share(void)
{
    size_t share = atomic_load_explicit(&bound, memory_order_relaxed) / JOURNAL_SHARE / thread_shares();
    return larger(share, JOURNAL_BYTES_MIN);
}

bool spill_journal_full(const struct thread *t)
{
    return (t->log.full || t->log.bytes > journal_share()) && atomic_load_explicit(&bound, memory_order_relaxed);
}

bool spill_is_overdue(const struct thread *t)
{
    const size_t limit = spill_share();
    return t->log.full || (limit && stream_memory_bytes(t->stream) > 2 * segment_limit(t, limit));
}

void spill_consider(struct thread *t)
{
    bool full = spill_journal_full(t);
    size_t memory = t->wait.bytes_left ? 0 : stream_memory_bytes(t->stream), limit = spill_share();
    if (limit)
        limit = segment_limit(t, limit);
    if (limit && (t->wait.bytes_left || memory >= limit || full)) {
        if (t->wait.bytes_left || full || !relieve(t, limit)) {
            if (!t->log.full && wait_for_good_end(t, limit))
                return; /* t->grown stays set, so the next call gets here again */
            spill_locked(t, NULL);
        }
        memory = stream_memory_bytes(t->stream);
    }
    t->grown = false;
    watch_again(t, memory, limit ? limit : memory + 2 * (size_t)LOOK_BYTES);
}

void spill_consider_ended(struct ended_threads *e)
{
    size_t limit = spill_share();
    size_t most = limit > ENDED_BYTES_MIN ? limit : (size_t)ENDED_BYTES_MIN;
    if (e && limit && (ended_memory_bytes(e) > most || journal_log_bytes(JOURNAL_ENDED) > journal_share()))
        spill_locked(NULL, e);
}

bool spill_now(struct thread *t)
{
    uint32_t before = t->segment;
    spill_locked(t, NULL);
    return t->segment != before;
}

void spill_ended_now(struct ended_threads *e)
{
    if (e && ended_any(e))
        spill_locked(NULL, e);
}

/* ---- the end ---- */

void spill_end(void)
{
    thread_keep_all();
    if (atomic_load(&capture.off) & OFF_FAILED)
        return;
    struct ended_threads *gone = thread_ended();
    size_t total = gone ? ended_memory_bytes(gone) : 0, most = atomic_load(&bound) / (ENCODING_SHARES + 1);
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
