/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes journals under right check bytes; see journal_blocks.h. */
#include "journal_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "journal/journal_format.h"
#include "journal/journal_log.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t length, size_t max);

enum { BLOCKS_MAX = 256, RECORDS_MAX = 512, GROWTH = 32 };

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A block, copied so that it is aligned. */
struct part {
    size_t at, length; /* in the file */
    struct journal_block head;
};

static size_t find_parts(const uint8_t *data, size_t length, struct part *parts)
{
    size_t count = 0;
    for (size_t at = JOURNAL_PAGE; at + JOURNAL_PAGE <= length && count < BLOCKS_MAX; at += JOURNAL_PAGE) {
        struct part *p = &parts[count];
        memcpy(&p->head, data + at, sizeof p->head);
        if (memcmp(p->head.magic, JOURNAL_BLOCK_MAGIC, sizeof p->head.magic) != 0)
            continue;
        size_t pages = p->head.pages, room = (length - at) / JOURNAL_PAGE;
        p->at = at;
        p->length = (pages && pages <= room ? pages : 1) * JOURNAL_PAGE;
        count++;
    }
    return count;
}

/* Where the records of a block begin; 0: it has none. */
static size_t records_begin(const struct part *p)
{
    uint32_t kind = atomic_load(&p->head.kind);
    return kind == JOURNAL_LOG || kind == JOURNAL_STATISTICS   ? sizeof(struct journal_block)
           : kind == JOURNAL_PROCESS || kind == JOURNAL_THREAD ? JOURNAL_PAGE
                                                               : 0;
}

/* Changes a payload, or the type, of a record. Appends the record. */
static void put_changed(struct bytes *out, uint8_t type, const uint8_t *payload, size_t length, uint64_t *state)
{
    uint8_t *copy = malloc(length + GROWTH);
    memcpy(copy, payload, length);
    if (next(state) % 16)
        length = LLVMFuzzerMutate(copy, length, length + GROWTH);
    else
        type = (uint8_t)(next(state) % JOURNAL_RECORD_COUNT);
    bytes_put_varint(out, length);
    bytes_put_u8(out, type);
    bytes_put(out, copy, length);
    bytes_put_u8(out, journal_check(copy, length, type));
    free(copy);
}

/* Changes one of the records of LENGTH bytes at DATA: changes, doubles, or drops it. */
static void change_records(const uint8_t *data, size_t length, struct bytes *out, uint64_t *state)
{
    size_t begins[RECORDS_MAX + 1], count = 0;
    struct cursor c;
    cursor_init(&c, data, length);
    while (cursor_left(&c) && count < RECORDS_MAX) {
        begins[count] = c.position;
        uint64_t payload = cursor_varint(&c);
        if (payload >= cursor_left(&c) || !cursor_take(&c, (size_t)payload + 2))
            break;
        begins[++count] = c.position;
    }
    if (!count)
        return;
    size_t chosen = next(state) % count, from = begins[chosen], to = begins[chosen + 1];
    bytes_put(out, data, from);
    uint64_t what = next(state) % 16;
    if (what > 1) {
        cursor_init(&c, data + from, to - from);
        uint64_t payload = cursor_varint(&c);
        put_changed(out, cursor_u8(&c), data + from + c.position, (size_t)payload, state);
    } else if (what == 1) {
        bytes_put(out, data + from, to - from);
        bytes_put(out, data + from, to - from);
    }
    bytes_put(out, data + to, length - to);
}

static void change_log(uint8_t *data, struct part *p, uint64_t *state)
{
    size_t begin = records_begin(p), room = p->length > begin ? p->length - begin : 0;
    uint64_t used = atomic_load(&p->head.used);
    struct bytes out = {0};
    if (atomic_load(&p->head.kind) == JOURNAL_STATISTICS) {
        bytes_put(&out, data + p->at + begin, used < room ? (size_t)used : 0);
        size_t length = out.length;
        if (bytes_reserve(&out, GROWTH))
            out.length = LLVMFuzzerMutate(out.data, length, length + GROWTH);
        p->head.check = journal_statistics_check(out.data, out.length < room ? out.length : room);
    } else {
        change_records(data + p->at + begin, used < room ? (size_t)used : room, &out, state);
    }
    size_t length = out.length < room ? out.length : room;
    if (length) {
        memcpy(data + p->at + begin, out.data, length);
        atomic_store(&p->head.used, length);
        memcpy(data + p->at, &p->head, sizeof p->head);
    }
    bytes_free(&out);
}

/* Changes words of a block: its head, and what a process or a thread has behind it. Numbers stay small mostly. */
static void change_words(uint8_t *data, const struct part *p, uint64_t *state)
{
    size_t words = (sizeof(struct journal_live) + 32) / 4, at = p->at + 8 + 4 * (next(state) % words);
    uint32_t word;
    memcpy(&word, data + at, 4);
    word = next(state) % 4 ? word + (uint32_t)(next(state) % 5) - 2 : (uint32_t)next(state);
    memcpy(data + at, &word, 4);
}

/* Appends a copy of a block, which is moved to its new place. */
static size_t append_copy(uint8_t *data, size_t length, size_t max, const struct part *p, uint64_t *state)
{
    if (length % JOURNAL_PAGE || length + p->length > max)
        return length;
    struct journal_block head = p->head;
    memcpy(data + length, data + p->at, p->length);
    head.page = length / JOURNAL_PAGE;
    head.index += (uint32_t)(next(state) % 2);
    if (head.owner == p->head.page)
        head.owner = head.page;
    memcpy(data + length, &head, sizeof head);
    return length + p->length;
}

size_t journal_mutate(uint8_t *data, size_t length, size_t max, unsigned seed)
{
    uint64_t state = seed;
    struct part *parts = malloc(BLOCKS_MAX * sizeof *parts);
    size_t count = find_parts(data, length, parts);
    if (!count || !(next(&state) % 64)) {
        free(parts);
        return LLVMFuzzerMutate(data, length, max);
    }
    for (uint64_t i = next(&state) % 3 + 1; i > 0; i--) {
        struct part *p = &parts[next(&state) % count];
        uint64_t what = next(&state) % 16;
        if (what == 0)
            length = append_copy(data, length, max, p, &state);
        else if (what < 5)
            change_words(data, p, &state);
        else if (what < 6) /* the key of a thread's call, among others */
            LLVMFuzzerMutate(data + p->at + sizeof(struct journal_live), 64, 64);
        else if (records_begin(p))
            change_log(data, p, &state);
    }
    free(parts);
    return length;
}
