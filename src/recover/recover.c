/* SPDX-License-Identifier: BSD-3-Clause */
/* The fragment of a process that died; see recover.h. */
#include "recover/recover.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/value.h"
#include "recover/log_records.h"
#include "recover/replay.h"

enum { THREADS_MAX = 1 << 24 };

/* What the process's log of shared things says. Bytes are borrowed from it. */
struct shared {
    struct shared_facts facts;
    struct stream *process; /* the process stream */
    uint32_t communicators; /* number of the function pilgrim_communicator */
    struct cursor identity;
};

/* The streams of a process. */
struct streams {
    struct stream **items; /* by number of the thread; NULL: it made no calls */
    size_t count, capacity;
};

/* ---- what the threads share ---- */

static enum pilgrim_status take_communicator(struct shared *s, struct cursor *c)
{
    uint32_t class;
    if (!cursor_left(c))
        return PILGRIM_DAMAGED;
    TRY(stream_class(s->process, s->communicators, NULL, false, &class));
    return stream_append(s->process, class, false, c->data, c->length, 0, 0);
}

static enum pilgrim_status take_shared(struct shared *s, enum journal_record type, struct cursor *c,
                                       const struct vocabulary *vocabulary)
{
    switch (type) {
    case JOURNAL_COMMUNICATORS:
        s->communicators = cursor_u32(c);
        return c->status == PILGRIM_OK && s->communicators < vocabulary->function_count ? PILGRIM_OK : PILGRIM_DAMAGED;
    case JOURNAL_COMMUNICATOR:
        return s->communicators ? take_communicator(s, c) : PILGRIM_DAMAGED;
    case JOURNAL_IDENTITY:
        s->identity = *c;
        return PILGRIM_OK;
    default:
        return shared_facts_take(&s->facts, type, c);
    }
}

/* A process that has no rank bases yet has that of MPI_COMM_WORLD. */
static void put_integers(struct bytes *key, const struct shared *s, const struct read_process *p, bool sizes)
{
    size_t count = s->facts.base_count;
    bytes_put_u8(key, VALUE_ARRAY);
    bytes_put_u32(key, (uint32_t)(count + !count));
    for (size_t i = 0; i < count; i++) {
        bytes_put_u8(key, VALUE_INT);
        bytes_put_u64(key, (uint64_t)(int64_t)(sizes ? s->facts.bases[i].size : s->facts.bases[i].rank));
    }
    if (!count) {
        bytes_put_u8(key, VALUE_INT);
        bytes_put_u64(key, sizes ? p->ranks : p->rank);
    }
}

/* Appends the call of pilgrim_process, which is the last one of the process stream. */
static enum pilgrim_status put_process(struct shared *s, const struct read_process *p,
                                       const struct vocabulary *vocabulary)
{
    struct bytes key = {0};
    uint32_t class, function = cursor_u32(&s->identity);
    if (s->identity.status != PILGRIM_OK || function >= vocabulary->function_count)
        return PILGRIM_DAMAGED;
    put_integers(&key, s, p, false);
    put_integers(&key, s, p, true);
    bytes_put(&key, s->identity.data + s->identity.position, cursor_left(&s->identity));
    enum pilgrim_status status = bytes_status(&key);
    if (status == PILGRIM_OK)
        status = stream_class(s->process, function, NULL, false, &class);
    if (status == PILGRIM_OK)
        status = stream_append(s->process, class, false, key.data, key.length, 0, 0);
    bytes_free(&key);
    return status;
}

static enum pilgrim_status read_shared(struct shared *s, const struct read_process *p,
                                       const struct vocabulary *vocabulary)
{
    struct cursor log, payload;
    enum journal_record type;
    const struct bytes *records = &p->logs[JOURNAL_SHARED].records;
    s->process = stream_new(vocabulary, NULL);
    if (!s->process)
        return PILGRIM_NOMEM;
    cursor_init(&s->identity, NULL, 0);
    cursor_init(&log, records->data, records->length);
    while (cursor_left(&log) && journal_next_record(&log, &type, &payload))
        TRY(take_shared(s, type, &payload, vocabulary));
    if (!s->facts.base_count) { /* it died before its first call was over */
        static const struct journal_rank_base none = {.rank = -1, .size = 1};
        cursor_init(&payload, (const uint8_t *)&none, sizeof none);
        TRY(shared_facts_take(&s->facts, JOURNAL_RANK_BASE, &payload));
    }
    return put_process(s, p, vocabulary);
}

static void shared_free(struct shared *s)
{
    shared_facts_free(&s->facts);
    stream_free(s->process);
}

/* ---- threads ---- */

static enum pilgrim_status add_stream(struct streams *all, uint32_t number, struct stream *s)
{
    struct stream **items =
        number < THREADS_MAX ? array_reserve(all->items, &all->capacity, number, sizeof *items) : NULL;
    if (!items) {
        stream_free(s);
        return number < THREADS_MAX ? PILGRIM_NOMEM : PILGRIM_DAMAGED;
    }
    all->items = items;
    if (items[number]) { /* it died while the thread ended, and has it as an ended one as well */
        stream_free(s);
        return PILGRIM_OK;
    }
    items[number] = s;
    all->count = number >= all->count ? number + 1 : all->count;
    return PILGRIM_OK;
}

static enum pilgrim_status add_thread(struct streams *all, const struct read_thread *t, const struct shared *shared,
                                      const struct vocabulary *vocabulary, bool *whole)
{
    struct stream *s;
    uint64_t calls, steps = UINT64_MAX;
    enum pilgrim_status status = replay_thread(t, vocabulary, &shared->facts.modules, &steps, &s, &calls);
    if (!s)
        return status;
    *whole = *whole && status == PILGRIM_OK && calls >= t->calls;
    if (status == PILGRIM_NOMEM) {
        stream_free(s);
        return status;
    }
    return add_stream(all, t->number, s);
}

/* Adds the threads that have ended. */
static enum pilgrim_status add_ended(struct streams *all, const struct read_process *p, const struct shared *shared,
                                     const struct vocabulary *vocabulary, bool *whole)
{
    struct cursor log, payload;
    enum journal_record type;
    struct read_thread *seen = NULL; /* by number: what AGAIN refers to */
    size_t capacity = 0;
    enum pilgrim_status status = PILGRIM_OK;
    cursor_init(&log, p->logs[JOURNAL_ENDED].records.data, p->logs[JOURNAL_ENDED].records.length);
    while (status == PILGRIM_OK && cursor_left(&log) && journal_next_record(&log, &type, &payload)) {
        uint64_t number = cursor_varint(&payload), what = cursor_varint(&payload);
        if (number >= THREADS_MAX || (type == JOURNAL_THREAD_AGAIN && what >= capacity)) {
            status = PILGRIM_DAMAGED;
            break;
        }
        struct read_thread *more = array_reserve(seen, &capacity, (size_t)number, sizeof *seen);
        if (!more) {
            status = PILGRIM_NOMEM;
            break;
        }
        seen = more;
        struct read_thread *t = &seen[number];
        if (type == JOURNAL_THREAD_AGAIN) {
            *t = seen[what];
        } else {
            t->calls = what;
            t->log.records.data = (uint8_t *)(uintptr_t)payload.data + payload.position;
            t->log.records.length = cursor_left(&payload);
        }
        t->number = (uint32_t)number;
        t->in_flight.class = JOURNAL_NO_CLASS;
        status = add_thread(all, t, shared, vocabulary, whole);
    }
    free(seen);
    return status;
}

static enum pilgrim_status read_streams(struct streams *all, const struct read_process *p, const struct shared *shared,
                                        const struct vocabulary *vocabulary, bool *whole)
{
    TRY(add_ended(all, p, shared, vocabulary, whole));
    for (size_t i = 0; i < p->thread_count; i++)
        TRY(add_thread(all, &p->threads[i], shared, vocabulary, whole));
    return PILGRIM_OK;
}

/* ---- the fragment ---- */

enum pilgrim_status recover_times(const struct read_process *p, struct bytes *sections)
{
    struct cursor log, payload;
    enum journal_record type;
    cursor_init(&log, p->logs[JOURNAL_TIMES].records.data, p->logs[JOURNAL_TIMES].records.length);
    while (cursor_left(&log) && journal_next_record(&log, &type, &payload))
        bytes_put(sections, payload.data, payload.length);
    return bytes_status(sections);
}

enum pilgrim_status recover_fragment(const struct read_journal *j, const struct read_process *p, struct fragment **f,
                                     bool *whole)
{
    struct shared shared = {.communicators = 0};
    struct streams all = {.count = 0};
    *whole = true;
    *f = fragment_new(p->rank);
    enum pilgrim_status status = *f ? read_shared(&shared, p, &j->vocabulary) : PILGRIM_NOMEM;
    if (*f)
        fragment_has_call_times(*f); /* the journal may have some */
    if (status == PILGRIM_OK)
        status = read_streams(&all, p, &shared, &j->vocabulary, whole);
    if (status == PILGRIM_OK)
        status = fragment_add_rank(*f, shared.process, (const struct stream *const *)all.items, all.count);
    for (size_t i = 0; i < all.count; i++)
        stream_free(all.items[i]);
    free(all.items);
    shared_free(&shared);
    if (status != PILGRIM_OK) {
        fragment_free(*f);
        *f = NULL;
    }
    return status;
}

bool recover_is_begun(const struct read_process *p)
{
    struct cursor log, payload;
    enum journal_record type;
    cursor_init(&log, p->logs[JOURNAL_SHARED].records.data, p->logs[JOURNAL_SHARED].records.length);
    while (cursor_left(&log) && journal_next_record(&log, &type, &payload))
        if (type == JOURNAL_IDENTITY)
            return true;
    return false;
}

bool recover_stopped(const struct read_process *p)
{
    bool stopped = false;
    for (size_t i = 0; i < p->thread_count; i++)
        stopped |= p->threads[i].stopped;
    return stopped;
}

uint64_t recover_file_length(const struct read_process *p)
{
    uint64_t most = p->ended_epoch;
    for (uint32_t i = 0; i < JOURNAL_PROCESS_LOGS; i++)
        most = p->logs[i].epoch > most ? p->logs[i].epoch : most;
    for (size_t i = 0; i < p->thread_count; i++)
        most = p->threads[i].log.epoch > most ? p->threads[i].log.epoch : most;
    return most;
}

uint64_t recover_times_length(const struct read_process *p)
{
    return p->logs[JOURNAL_TIMES].epoch;
}

const uint8_t *recover_file_head(const struct read_process *p, size_t *length)
{
    struct cursor log, payload;
    enum journal_record type;
    cursor_init(&log, p->logs[JOURNAL_SHARED].records.data, p->logs[JOURNAL_SHARED].records.length);
    while (cursor_left(&log) && journal_next_record(&log, &type, &payload))
        if (type == JOURNAL_FILE_HEAD) {
            *length = payload.length;
            return payload.data;
        }
    return NULL;
}
