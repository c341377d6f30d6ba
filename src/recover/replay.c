/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams from logs; see replay.h, and record/stream_journal.h for the payloads. */
#include "recover/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/value.h"
#include "record/stream_journal.h"

/* The last key of a class that was told whole. */
struct told {
    uint8_t *data;
    size_t length;
};

/* A stream that is made again. */
struct remake {
    struct stream *stream;
    const struct vocabulary *vocabulary;
    const struct replay_modules *modules;
    struct told *told; /* by class index */
    size_t told_capacity;
    uint64_t calls; /* so far */
    uint64_t steps; /* calls that may still be told one by one */
};

/* SKIP_MIN: as many predicted calls are told at once, if they can be. CALLS_MAX: no thread makes more. */
enum { SKIP_MIN = 1024 };
#define CALLS_MAX (UINT64_C(1) << 56)

/* ---- classes ---- */

/* A class record is the site that its class is found by. */
static size_t resolve_told(const void *site, struct code_frame *frames)
{
    const struct class_record *told = site;
    memcpy(frames, told->frames, told->frame_count * sizeof *frames);
    return told->frame_count;
}

static enum pilgrim_status take_class(struct remake *r, struct cursor *c)
{
    struct class_record class;
    TRY(class_record_take(c, r->modules, r->vocabulary->function_count, r->stream->class_count, &class));
    const struct told_class told = {.function = class.function,
                                    .fortran = class.flags & TOLD_FORTRAN,
                                    .failed_poll = class.flags & TOLD_FAILING,
                                    .called = class.flags & TOLD_CALLED,
                                    .is_twin = class.flags & TOLD_TWIN,
                                    .twin = (uint32_t) class.twin,
                                    .site = &class};
    return stream_be_told_class(r->stream, &told);
}

static enum pilgrim_status take_begin(struct remake *r, struct cursor *c)
{
    r->calls = cursor_varint(c);
    size_t count = cursor_count(c, 3);
    if (r->stream->class_count)
        return PILGRIM_DAMAGED;
    for (size_t i = 0; i < count; i++)
        TRY(take_class(r, c));
    return c->status == PILGRIM_OK ? PILGRIM_OK : PILGRIM_DAMAGED;
}

/* ---- calls ---- */

/* Records COUNT calls that came as predicted. */
static enum pilgrim_status go_on(struct remake *r, uint64_t count)
{
    struct stream *s = r->stream;
    uint64_t done = 0;
    if (count > CALLS_MAX || r->calls > CALLS_MAX - count)
        return PILGRIM_DAMAGED;
    if (count >= SKIP_MIN)
        TRY(stream_be_told_iterations(s, count, &done));
    r->calls += done;
    for (count -= done; count; count--, r->calls++) {
        if (r->steps == 0)
            return PILGRIM_LIMIT;
        r->steps--;
        uint32_t terminal = s->predicted->terminal;
        if (terminal >= s->terminal_count)
            return PILGRIM_DAMAGED;
        struct stream_class *class = s->by_terminal[terminal];
        TRY(stream_be_told_signature(s, class, class->failed_poll, UINT64_MAX));
    }
    return PILGRIM_OK;
}

static enum pilgrim_status reserve_told(struct remake *r, uint32_t class)
{
    if (class < r->told_capacity)
        return PILGRIM_OK;
    size_t capacity = 2 * (size_t) class + 16;
    struct told *told = realloc(r->told, capacity * sizeof *told);
    if (!told)
        return PILGRIM_NOMEM;
    memset(told + r->told_capacity, 0, (capacity - r->told_capacity) * sizeof *told);
    r->told = told;
    r->told_capacity = capacity;
    return PILGRIM_OK;
}

/* Sets the told key of CLASS to the one at C. */
static enum pilgrim_status take_key(struct remake *r, struct cursor *c, uint32_t class, bool difference)
{
    TRY(reserve_told(r, class));
    struct told *told = &r->told[class];
    uint64_t length = cursor_varint(c);
    if (difference) {
        if (length != told->length)
            return PILGRIM_DAMAGED;
        told_key_change(c, told->data, told->length);
        return c->status == PILGRIM_OK ? PILGRIM_OK : PILGRIM_DAMAGED;
    }
    const uint8_t *key = length <= cursor_left(c) ? cursor_take(c, (size_t)length) : NULL;
    if (!key || !length)
        return PILGRIM_DAMAGED;
    uint8_t *data = realloc(told->data, (size_t)length);
    if (!data)
        return PILGRIM_NOMEM;
    told->data = data;
    told->length = (size_t)length;
    memcpy(data, key, (size_t)length);
    return PILGRIM_OK;
}

static enum pilgrim_status take_call(struct remake *r, struct cursor *c)
{
    struct stream *s = r->stream;
    unsigned flags = cursor_u8(c);
    TRY(go_on(r, cursor_varint(c)));
    uint32_t terminal = s->predicted->terminal;
    struct stream_class *class;
    if (!(flags & TOLD_PREDICTED)) {
        class = s->class_count ? s->classes[cursor_index(c, s->class_count)] : NULL;
    } else {
        class = terminal < s->terminal_count ? s->by_terminal[terminal] : NULL;
    }
    if (!class || c->status != PILGRIM_OK)
        return PILGRIM_DAMAGED;
    bool failed_poll = flags & TOLD_FAILED_POLL;
    r->calls++;
    if (flags & TOLD_KEY) {
        TRY(take_key(r, c, class->head.number, flags & TOLD_DIFFERENCE));
        const struct told *told = &r->told[class->head.number];
        return stream_append(s, class->head.number, failed_poll, told->data, told->length, 0, 0);
    }
    return stream_be_told_signature(s, class, failed_poll, flags & TOLD_SIGNATURE ? cursor_varint(c) : UINT64_MAX);
}

static enum pilgrim_status take_relief(struct remake *r, struct cursor *c)
{
    TRY(go_on(r, cursor_varint(c)));
    uint64_t terminal = cursor_varint(c);
    if (terminal == GRAMMAR_NOTHING)
        return stream_relieve_structure(r->stream);
    return terminal < r->stream->terminal_count ? stream_relieve_class(r->stream, (uint32_t)terminal) : PILGRIM_DAMAGED;
}

static enum pilgrim_status take_record(struct remake *r, enum journal_record type, struct cursor *payload)
{
    switch (type) {
    case JOURNAL_BEGIN:
        return take_begin(r, payload);
    case JOURNAL_CLASS:
        return take_class(r, payload);
    case JOURNAL_CALL:
        return take_call(r, payload);
    case JOURNAL_RELIEF:
        return take_relief(r, payload);
    default:
        return PILGRIM_DAMAGED;
    }
}

/* Appends the call that the thread is in: its inputs, and nothing else. Inputs that are not known are all nothing. */
static enum pilgrim_status put_in_flight(struct remake *r, const struct call_in_flight *call)
{
    struct stream *s = r->stream;
    struct bytes key = {0};
    if (call->class >= s->class_count)
        return PILGRIM_DAMAGED;
    const struct stream_class *class = s->classes[call->class];
    const struct function_descriptor *f = &r->vocabulary->functions[class->head.key.function];
    bytes_put(&key, call->key.data, call->key.length);
    for (unsigned i = 0; i < f->parameter_count; i++) {
        if (f->parameters[i].direction & DIRECTION_IN && !call->has_key)
            bytes_put_u8(&key, VALUE_NONE);
        if (f->parameters[i].direction & DIRECTION_OUT)
            bytes_put_u8(&key, VALUE_NONE);
    }
    bytes_put_u8(&key, VALUE_NONE);
    enum pilgrim_status status = bytes_status(&key);
    if (status == PILGRIM_OK)
        status = stream_append(s, call->class, false, key.data, key.length, 0, 0);
    bytes_free(&key);
    return status;
}

static enum pilgrim_status remake_all(struct remake *r, const struct read_thread *t)
{
    struct cursor log, payload;
    enum journal_record type;
    cursor_init(&log, t->log.records.data, t->log.records.length);
    if (t->log.epoch && !t->log.records.length) {
        r->calls = t->calls; /* it died when it began its log again: all calls are in segments */
        return PILGRIM_OK;
    }
    while (cursor_left(&log) && journal_next_record(&log, &type, &payload))
        TRY(take_record(r, type, &payload));
    bool whole = !cursor_left(&log) && log.status == PILGRIM_OK;
    uint64_t end = t->cut ? t->cut_calls : t->calls;
    if (whole && end > r->calls)
        TRY(go_on(r, end - r->calls));
    if (whole && !t->cut && t->entered > r->calls && t->in_flight.class != JOURNAL_NO_CLASS)
        TRY(put_in_flight(r, &t->in_flight));
    struct cursor statistics;
    cursor_init(&statistics, t->statistics.data, t->statistics.length);
    if (t->statistics.length)
        TRY(stream_be_told_statistics(r->stream, &statistics));
    return whole ? PILGRIM_OK : PILGRIM_DAMAGED;
}

enum pilgrim_status replay_thread(const struct read_thread *t, const struct vocabulary *vocabulary,
                                  const struct replay_modules *modules, uint64_t *steps, struct stream **s,
                                  uint64_t *calls)
{
    struct remake r = {
        .vocabulary = vocabulary, .modules = modules, .stream = stream_new(vocabulary, resolve_told), .steps = *steps};
    enum pilgrim_status status = r.stream ? remake_all(&r, t) : PILGRIM_NOMEM;
    for (size_t i = 0; i < r.told_capacity; i++)
        free(r.told[i].data);
    free(r.told);
    *s = r.stream;
    *calls = r.calls;
    *steps = r.steps;
    return status;
}
