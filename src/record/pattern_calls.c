/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls as bytes, from a stream and back; see pattern_calls.h. */
#include "record/pattern_calls.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "rules/rules_walk.h"
#include "record/stream_inline.h"
#include "sequence/slots.h"

enum {
    AGAIN_MAX = 4096 /* a stream with up to this many calls is not stored but made again from its calls */
};

/* ---- writing ---- */

/* Splits KEY into bytes, with 0 in its slots, and values. Sets *SERIES if a fragment makes an array series of a part
 * of it. */
static enum pilgrim_status put_key(struct ended_threads *e, uint32_t number, const uint8_t *key, size_t length,
                                   bool *series)
{
    bytes_put_u32(&e->scratch, (uint32_t)length);
    uint8_t *to = bytes_reserve(&e->scratch, length);
    if (!to)
        return PILGRIM_NOMEM;
    memcpy(to, key, length);
    e->scratch.length += length;
    int64_t *values = (int64_t *)(void *)bytes_reserve(&e->values, length); /* a slot takes 8 bytes of the key */
    if (!values)
        return PILGRIM_NOMEM;
    struct key_walk w = {.key = key, .length = length};
    while (key_next_slot(&w)) {
        int64_t value;
        size_t at = w.at - sizeof value;
        memcpy(&value, key + at, sizeof value);
        value = (int64_t)le64toh((uint64_t)value);
        memset(to + at, 0, sizeof value);
        if (key_slot_is_class(&w) && value >= 0 && value >> VALUE_THREAD_SHIFT == (int64_t)number) {
            value -= request_class_base(number);
            to[at] = 1;
        }
        *values++ = value;
    }
    e->values.length = (size_t)((uint8_t *)values - e->values.data);
    *series |= w.series;
    return w.damaged ? PILGRIM_DAMAGED : PILGRIM_OK;
}

static enum pilgrim_status put_sequence(struct ended_threads *e, const struct sequence *s, const struct intern *chunks)
{
    size_t at = e->scratch.length;
    bytes_put_u32(&e->scratch, 0);
    TRY(sequence_serialise(s, chunks, &e->scratch));
    uint32_t length = htole32((uint32_t)(e->scratch.length - at - sizeof length));
    memcpy(e->scratch.data + at, &length, sizeof length);
    return PILGRIM_OK;
}

static bool is_unzipped(const struct signatures *s)
{
    return s->unzipped || s->skeletons || s->numbered || s->number_base ||
           (!s->sequence.grammar && s->sequence.deltas.count);
}

static enum pilgrim_status put_class(struct ended_threads *e, uint32_t number, const struct stream_class *class,
                                     const struct intern *chunks, bool *series)
{
    const struct signatures *s = &class->signatures;
    bytes_put_u32(&e->scratch, class->head.key.function << 2 | class->head.key.fortran << 1 | class->failed_poll);
    bytes_put_u32(&e->scratch, class->frame_count);
    bytes_put(&e->scratch, class->frames, class->frame_count * sizeof *class->frames);
    TRY(put_sequence(e, &s->sequence, chunks));
    bytes_put_u32(&e->scratch, s->count);
    *series |= s->count >= SLOT_SERIES_MIN;
    for (uint32_t i = 0; i < s->count; i++) {
        size_t length;
        const uint8_t *key = signature_key(s, i, &length);
        TRY(put_key(e, number, key, length, series));
    }
    return PILGRIM_OK;
}

enum pilgrim_status pattern_calls_write(struct ended_threads *e, uint32_t number, const struct stream *s,
                                        enum thread_storage *storage)
{
    bool is_long = stream_calls(s) > AGAIN_MAX, series = false;
    *storage = THREAD_UNSHARED;
    e->scratch.length = e->values.length = 0;
    if (!s->structure.grammar)
        return PILGRIM_OK;
    for (uint32_t i = 0; i < s->terminal_count; i++)
        if (is_unzipped(&s->by_terminal[i]->signatures))
            return PILGRIM_OK;
    bytes_put_u32(&e->scratch, s->terminal_count);
    TRY(put_sequence(e, &s->structure, &s->chunks));
    for (uint32_t i = 0; i < s->terminal_count; i++)
        TRY(put_class(e, number, s->by_terminal[i], &s->chunks, &series));
    TRY(bytes_status(&e->scratch));
    TRY(bytes_status(&e->values));
    if (!is_long)
        *storage = THREAD_PATTERN;
    else if (!series)
        *storage = THREAD_LONG_PATTERN;
    return PILGRIM_OK;
}

/* ---- reading ---- */

static const uint8_t *read_sequence(struct cursor *c, size_t *length)
{
    *length = cursor_u32(c);
    return cursor_take(c, *length);
}

static uint32_t count_slots(const uint8_t *key, size_t length)
{
    uint32_t count = 0;
    struct key_walk w = {.key = key, .length = length};
    while (key_next_slot(&w))
        count++;
    return count;
}

static void read_class(struct cursor *c, struct pattern_class *class)
{
    uint32_t what = cursor_u32(c);
    class->function = what >> 2;
    class->fortran = what >> 1 & 1;
    class->failed_poll = what & 1;
    class->frame_count = cursor_u32(c);
    class->frames = cursor_take(c, class->frame_count * sizeof(struct code_frame));
    class->sequence = read_sequence(c, &class->sequence_length);
    class->signature_count = cursor_u32(c);
    class->signatures = c->position;
    for (uint32_t i = 0; i < class->signature_count; i++) {
        uint32_t length = cursor_u32(c);
        const uint8_t *key = cursor_take(c, length);
        class->slot_count += key ? count_slots(key, length) : 0;
    }
}

enum pilgrim_status pattern_calls_read(const struct ended_threads *e, uint32_t number, struct pattern_calls *calls)
{
    size_t length;
    uint32_t slots = 0;
    struct cursor c;
    const uint8_t *data = intern_get(&e->calls, number, &length);
    bytes_put(&calls->keys, data, length);
    TRY(bytes_status(&calls->keys));
    cursor_init(&c, data, length);
    calls->class_count = cursor_u32(&c);
    calls->structure = read_sequence(&c, &calls->structure_length);
    calls->classes = calloc(calls->class_count + (size_t)1, sizeof *calls->classes);
    if (!calls->classes)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < calls->class_count; i++) {
        calls->classes[i].first_slot = slots;
        read_class(&c, &calls->classes[i]);
        slots += calls->classes[i].slot_count;
    }
    return c.status;
}

void pattern_calls_free(struct pattern_calls *calls)
{
    bytes_free(&calls->keys);
    free(calls->classes);
}

/* ---- making a stream ---- */

/* The state of a class while calls are made. */
struct class_maker {
    const struct pattern_class *class;
    struct rules rules;
    struct rules_cursor at;
    const uint8_t **keys;
    uint32_t *lengths;
};

static size_t resolve(const void *site, struct code_frame *frames)
{
    const struct pattern_class *class = site;
    if (class->frame_count)
        memcpy(frames, class->frames, class->frame_count * sizeof *frames);
    return class->frame_count;
}

static enum pilgrim_status open_sequence(const uint8_t *data, size_t length, struct rules *rules,
                                         struct rules_cursor *at)
{
    struct cursor c;
    cursor_init(&c, data, length);
    TRY(rules_parse(&c, (uint64_t)GRAMMAR_TERMINAL_MAX + 1, rules));
    return rules_cursor_init(at, rules, RULES_SEQUENCE(0));
}

/* KEYS has the keys with their values. */
static enum pilgrim_status open_maker(struct class_maker *m, const struct pattern_class *class,
                                      const struct bytes *keys)
{
    struct cursor c;
    m->class = class;
    m->keys = malloc(class->signature_count * sizeof *m->keys + 1);
    m->lengths = malloc(class->signature_count * sizeof *m->lengths + 1);
    if (!m->keys || !m->lengths)
        return PILGRIM_NOMEM;
    cursor_init(&c, keys->data, keys->length);
    cursor_take(&c, class->signatures);
    for (uint32_t i = 0; i < class->signature_count; i++) {
        m->lengths[i] = cursor_u32(&c);
        m->keys[i] = cursor_take(&c, m->lengths[i]);
    }
    return open_sequence(class->sequence, class->sequence_length, &m->rules, &m->at);
}

static void close_maker(struct class_maker *m)
{
    rules_cursor_free(&m->at);
    rules_free(&m->rules);
    free(m->keys);
    free(m->lengths);
}

static enum pilgrim_status make_call(struct stream *s, struct class_maker *m)
{
    uint64_t signature;
    uint32_t number;
    const struct pattern_class *class = m->class;
    if (!rules_cursor_next(&m->at, &signature) || signature >= class->signature_count)
        return PILGRIM_DAMAGED;
    TRY(stream_class(s, class->function, class, class->fortran, &number));
    return stream_append(s, number, class->failed_poll, m->keys[signature], m->lengths[signature], 0, 0);
}

static enum pilgrim_status make_calls(struct stream *s, const struct pattern_calls *calls, struct class_maker *makers)
{
    struct rules rules = {0};
    struct rules_cursor at = {0};
    uint64_t class;
    enum pilgrim_status status = open_sequence(calls->structure, calls->structure_length, &rules, &at);
    while (status == PILGRIM_OK && rules_cursor_next(&at, &class))
        status = class < calls->class_count ? make_call(s, &makers[class]) : PILGRIM_DAMAGED;
    rules_cursor_free(&at);
    rules_free(&rules);
    return status;
}

enum pilgrim_status pattern_calls_make(const struct ended_threads *e, const struct pattern_calls *calls,
                                       struct stream **s)
{
    enum pilgrim_status status = PILGRIM_OK;
    struct class_maker *makers = calloc(calls->class_count + (size_t)1, sizeof *makers);
    *s = stream_new(e->vocabulary, resolve);
    if (!makers || !*s)
        status = PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < calls->class_count; i++)
        status = open_maker(&makers[i], &calls->classes[i], &calls->keys);
    if (status == PILGRIM_OK)
        status = make_calls(*s, calls, makers);
    for (uint32_t i = 0; makers && i < calls->class_count; i++)
        close_maker(&makers[i]);
    free(makers);
    if (status == PILGRIM_OK && (*s)->terminal_count != calls->class_count)
        status = PILGRIM_DAMAGED;
    return status;
}
