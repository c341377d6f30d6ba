/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stream tells the journal; see stream_journal.h. */
#include "record/stream_journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "journal/journal.h"

enum {
    WORD = 4, /* bytes of a key that are told together */
    TELL_AFTER_NS = 1000000000,
    TELL_NS_A_BYTE = 10, /* what it takes to tell the statistics, about; ... */
    TELL_SHARE = 64      /* ... at most one in so many parts of the time */
};

/* ---- keys ---- */

/* A difference is a bit for each word of the key, and the words whose bits are set. */

static size_t mask_length(size_t length)
{
    return ((length + WORD - 1) / WORD + 7) / 8;
}

/* Appends the LEFT bytes at AT, which are one word, behind TO if TOLD and KEY differ there. Returns the end. Inlined,
 * so that LEFT is a constant. */
static inline __attribute__((always_inline)) uint8_t *put_word(uint8_t *to, uint8_t *mask, const uint8_t *told,
                                                               const uint8_t *key, size_t at, size_t left)
{
    if (!memcmp(told + at, key + at, left))
        return to;
    mask[at / WORD / 8] |= (uint8_t)(1 << at / WORD % 8);
    memcpy(to, key + at, left);
    return to + left;
}

/* Appends what differs between TOLD and KEY. Most words are the same. */
static void put_difference(struct bytes *b, const uint8_t *told, const uint8_t *key, size_t length)
{
    const size_t mask_bytes = mask_length(length);
    uint8_t *const mask = bytes_reserve(b, mask_bytes + length);
    if (!mask)
        return;
    memset(mask, 0, mask_bytes);
    uint8_t *to = mask + mask_bytes;
    size_t at = 0;
    for (; at + 2 * WORD <= length; at += 2 * WORD)
        if (__builtin_expect(memcmp(told + at, key + at, 2 * WORD) != 0, 0)) {
            to = put_word(to, mask, told, key, at, WORD);
            to = put_word(to, mask, told, key, at + WORD, WORD);
        }
    if (at + WORD <= length) {
        to = put_word(to, mask, told, key, at, WORD);
        at += WORD;
    }
    if (at < length)
        to = put_word(to, mask, told, key, at, length - at);
    b->length += (size_t)(to - mask);
}

void told_key_change(struct cursor *c, uint8_t *told, size_t length)
{
    const uint8_t *mask = cursor_take(c, mask_length(length));
    for (size_t at = 0; mask && at < length; at += WORD) {
        const size_t left = length - at < WORD ? length - at : WORD;
        const uint8_t *word = mask[at / WORD / 8] >> at / WORD % 8 & 1 ? cursor_take(c, left) : NULL;
        if (word)
            memcpy(told + at, word, left);
    }
}

/* Appends KEY, and makes it the told key of CLASS. True: as a difference. */
static bool put_key(struct bytes *b, struct told_key *told, const uint8_t *key, size_t length)
{
    bool difference = told->length == length;
    bytes_put_varint(b, length);
    if (difference)
        put_difference(b, told->data, key, length);
    else
        bytes_put(b, key, length);
    if (told->capacity < length) {
        free(told->data);
        told->data = malloc(length);
        told->capacity = told->data ? length : 0;
    }
    told->length = told->data ? length : 0;
    if (told->data)
        memcpy(told->data, key, length);
    return difference;
}

/* ---- records ---- */

void stream_tell_call(struct stream *s, struct stream_class *asked, const struct stream_class *class, bool failed_poll,
                      bool predicted, const void *key, size_t length)
{
    struct journal_log *log = s->journal;
    const struct signatures *values = &class->signatures;
    uint64_t calls = atomic_load_explicit(&log->live->calls, memory_order_relaxed);
    struct bytes *b = journal_record_begin(log);
    unsigned flags = (failed_poll ? TOLD_FAILED_POLL : 0) | (predicted ? TOLD_PREDICTED : 0);
    bytes_put_u8(b, 0);
    bytes_put_varint(b, calls - log->told);
    if (!predicted)
        bytes_put_varint(b, asked->head.number);
    if (values->found != GRAMMAR_NOTHING) {
        flags |= TOLD_SIGNATURE;
        bytes_put_varint(b, values->found);
    } else if (!values->foreseen) {
        flags |= TOLD_KEY;
        if (put_key(b, &asked->told, key, length))
            flags |= TOLD_DIFFERENCE;
    }
    if (!b->failed)
        b->data[0] = (uint8_t)flags;
    log->told = calls + 1;
    journal_record_end(log, JOURNAL_CALL);
}

static void put_class(struct bytes *b, const struct stream_class *class)
{
    bool twin = class->twin && class->twin->head.number < class->head.number;
    bytes_put_u8(b, (uint8_t)((class->head.key.fortran ? TOLD_FORTRAN : 0) | (class->failed_poll ? TOLD_FAILING : 0) |
                              (class->called ? TOLD_CALLED : 0) | (twin ? TOLD_TWIN : 0)));
    bytes_put_varint(b, class->head.key.function);
    if (twin)
        bytes_put_varint(b, class->twin->head.number);
    bytes_put_varint(b, class->frame_count);
    for (uint32_t i = 0; i < class->frame_count; i++) {
        bytes_put_varint(b, journal_module(class->frames[i].module));
        bytes_put_varint(b, class->frames[i].offset);
    }
}

void stream_tell_class(struct stream *s, const struct stream_class *class)
{
    put_class(journal_record_begin(s->journal), class);
    journal_record_end(s->journal, JOURNAL_CLASS);
}

void stream_tell_relief(struct stream *s, uint32_t terminal)
{
    struct bytes *b = journal_record_begin(s->journal);
    uint64_t calls = atomic_load_explicit(&s->journal->live->calls, memory_order_relaxed);
    bytes_put_varint(b, calls - s->journal->told);
    bytes_put_varint(b, terminal);
    s->journal->told = calls;
    journal_record_end(s->journal, JOURNAL_RELIEF);
}

void stream_tell_settled(struct stream *s, size_t count)
{
    s->settled += count;
    const uint64_t since = s->last_end - s->told_ns;
    if (!s->journal->owner || (s->settled < 2 * s->told_settled && since < TELL_AFTER_NS) ||
        since / TELL_SHARE < s->told_bytes * TELL_NS_A_BYTE)
        return;
    struct bytes *b = journal_record_begin(s->journal);
    bytes_put_varint(b, s->terminal_count);
    for (uint32_t i = 0; i < s->terminal_count; i++)
        statistics_pack(&s->by_terminal[i]->statistics, b);
    s->told_bytes = b->length;
    journal_statistics_end(s->journal);
    s->told_settled = s->settled;
    s->told_ns = s->last_end;
}

enum pilgrim_status stream_be_told_statistics(struct stream *s, struct cursor *c)
{
    size_t count = cursor_count(c, 2);
    if (count > s->terminal_count)
        return PILGRIM_DAMAGED;
    for (size_t i = 0; i < count; i++) {
        struct statistics *to = &s->by_terminal[i]->statistics;
        statistics_free(to);
        TRY(statistics_unpack(c, to));
    }
    return c->status == PILGRIM_OK ? PILGRIM_OK : PILGRIM_DAMAGED;
}

void stream_tell_begin(struct stream *s)
{
    struct bytes *b = journal_record_begin(s->journal);
    bytes_put_varint(b, s->journal->told);
    bytes_put_varint(b, s->class_count);
    for (uint32_t i = 0; i < s->class_count; i++)
        put_class(b, s->classes[i]);
    journal_record_end(s->journal, JOURNAL_BEGIN);
}
