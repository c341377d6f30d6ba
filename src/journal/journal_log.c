/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs; see journal_log.h. */
#include "journal/journal_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "journal/journal.h"
#include "journal/journal_blocks.h"
#include "journal/journal_file.h"

enum {
    HEAD_BYTES_MAX = 6,
    CHECK_BYTES = 1,
    LENGTH_MAX = 1 << 28,
    SEGMENT_BYTES_MIN = 1 << 14 /* a log that found no more room is renewed, by a segment, if it has these bytes */
};

uint8_t journal_check(const uint8_t *payload, size_t length, uint8_t type)
{
    return (uint8_t)(XXH3_64bits(payload, length) + type);
}

struct bytes *journal_record_begin(struct journal_log *log)
{
    if (log->scratch.failed)
        bytes_free(&log->scratch);
    log->scratch.length = 0;
    return &log->scratch;
}

static struct journal_block *last_block(const struct journal_log *log)
{
    return log->blocks[log->count - 1];
}

/* Stops the log, because a record could not be stored. The calls of a full one become a segment next, and it is
 * renewed. */
static void stop(struct journal_log *log)
{
    log->stopped = true;
    log->full = log->live && log->bytes >= SEGMENT_BYTES_MIN;
    if (log->live) {
        atomic_store(&log->live->cut_calls, atomic_load_explicit(&log->live->calls, memory_order_relaxed));
        atomic_store_explicit(&log->live->state, JOURNAL_THREAD_CUT, memory_order_release);
    }
    if (!log->full)
        journal_cut();
}

/* Makes B the block that records go to. False: out of memory. */
static bool add_block(struct journal_log *log, struct journal_block *b)
{
    if (log->count == log->capacity) {
        uint32_t capacity = log->capacity * 2 + 32; /* blocks double: enough for all there may be */
        struct journal_block **blocks = realloc(log->blocks, capacity * sizeof *blocks);
        if (!blocks)
            return false;
        log->blocks = blocks;
        log->capacity = capacity;
    }
    log->blocks[log->count++] = b;
    log->used = 0;
    log->data = journal_block_data(b);
    log->room = journal_block_room(b);
    return true;
}

/* Returns where the next LENGTH bytes go; NULL: there is no room for them. */
static uint8_t *reserve(struct journal_log *log, size_t length)
{
    if (!log->owner)
        return bytes_reserve(&log->early, length);
    if (!log->count || length > log->room - log->used) {
        struct journal_block *b = journal_block_take(log, length);
        log->grown = true;
        if (!b)
            return NULL;
        if (!add_block(log, b)) {
            journal_block_give(b);
            return NULL;
        }
    }
    return log->data + log->used;
}

/* The LENGTH bytes behind the last record are records now. */
static void commit(struct journal_log *log, size_t length)
{
    log->bytes += length;
    if (!log->owner) {
        log->early.length += length;
        return;
    }
    log->used += length;
    atomic_store_explicit(&last_block(log)->used, log->used, memory_order_release);
}

void journal_record_end(struct journal_log *log, enum journal_record type)
{
    const struct bytes *payload = &log->scratch;
    size_t length = payload->length;
    if (log->stopped)
        return;
    if (!log->owner && !journal_wanted()) {
        journal_log_give_up(log);
        return;
    }
    uint8_t *begin = NULL;
    if (!payload->failed && length < LENGTH_MAX)
        begin = reserve(log, HEAD_BYTES_MAX + length + CHECK_BYTES);
    if (!begin) {
        stop(log);
        return;
    }
    uint8_t *at = begin;
    for (; length >= 0x80; length >>= 7)
        *at++ = (uint8_t)(length | 0x80);
    *at++ = (uint8_t)length;
    *at++ = (uint8_t)type;
    if (payload->length)
        memcpy(at, payload->data, payload->length);
    at += payload->length;
    *at++ = journal_check(payload->data, payload->length, (uint8_t)type);
    commit(log, (size_t)(at - begin));
}

uint32_t journal_statistics_check(const uint8_t *packed, size_t length)
{
    return (uint32_t)XXH3_64bits(packed, length);
}

void journal_statistics_end(struct journal_log *log)
{
    const struct bytes *packed = &log->scratch;
    struct journal_block **b = &log->statistics[log->turn % 2];
    if (!log->owner || packed->failed)
        return;
    if (!*b || journal_block_room(*b) < packed->length) {
        struct journal_block *larger = journal_statistics_block(log->owner, 2 * packed->length);
        if (!larger)
            return; /* the statistics before are kept */
        if (*b)
            atomic_store(&(*b)->kind, JOURNAL_NONE);
        *b = larger;
    }
    atomic_store(&(*b)->used, 0);
    memcpy(journal_block_data(*b), packed->data, packed->length);
    (*b)->epoch = log->epoch;
    (*b)->index = log->turn++;
    (*b)->check = journal_statistics_check(packed->data, packed->length);
    atomic_store_explicit(&(*b)->used, packed->length, memory_order_release);
}

void journal_log_give_up(struct journal_log *log)
{
    bytes_free(&log->early);
    log->stopped = true;
}

bool journal_log_move(struct journal_log *log, struct journal_block *owner, bool first)
{
    struct bytes early = log->early;
    if (first && !add_block(log, owner))
        return false;
    log->owner = owner->page;
    log->early = (struct bytes){0};
    uint8_t *to = early.length ? reserve(log, early.length) : NULL;
    if (to) {
        memcpy(to, early.data, early.length);
        log->bytes -= early.length;
        commit(log, early.length);
    } else if (early.length) {
        stop(log);
    }
    bytes_free(&early);
    return true;
}

void journal_log_renew(struct journal_log *log, uint64_t epoch, _Atomic uint64_t *word)
{
    uint32_t kept = log->count > 0;
    for (uint32_t i = kept; i < log->count; i++)
        journal_block_give(log->blocks[i]);
    log->count = kept;
    log->used = log->bytes = log->early.length = 0;
    log->epoch = epoch;
    log->stopped = log->full = log->grown = false;
    for (unsigned i = 0; i < 2; i++)
        if (log->statistics[i])
            atomic_store(&log->statistics[i]->used, 0);
    if (kept) {
        atomic_store_explicit(&log->blocks[0]->used, 0, memory_order_relaxed);
        log->blocks[0]->epoch = epoch;
        log->data = journal_block_data(log->blocks[0]);
        log->room = journal_block_room(log->blocks[0]);
    }
    if (log->live) {
        uint32_t cut_off = JOURNAL_THREAD_CUT;
        log->told = atomic_load_explicit(&log->live->calls, memory_order_relaxed);
        atomic_compare_exchange_strong(&log->live->state, &cut_off, JOURNAL_THREAD_RUNS);
    }
    atomic_store_explicit(word, epoch, memory_order_release);
}

void journal_log_free(struct journal_log *log)
{
    for (uint32_t i = 0; i < log->count; i++)
        if (atomic_load(&log->blocks[i]->kind) == JOURNAL_LOG)
            journal_block_give(log->blocks[i]);
    for (unsigned i = 0; i < 2; i++)
        if (log->statistics[i])
            atomic_store(&log->statistics[i]->kind, JOURNAL_NONE);
    free(log->blocks);
    bytes_free(&log->early);
    bytes_free(&log->scratch);
    *log = (struct journal_log){0};
}

void journal_log_forget(struct journal_log *log, const struct journal_block *own)
{
    for (uint32_t i = 0; i < log->count; i++)
        if (log->blocks[i] != own)
            journal_unmap(log->blocks[i]);
    for (unsigned i = 0; i < 2; i++)
        if (log->statistics[i])
            journal_unmap(log->statistics[i]);
    free(log->blocks);
    bytes_free(&log->early);
    bytes_free(&log->scratch);
    *log = (struct journal_log){.live = log->live, .stopped = true};
}

static size_t used_of(const struct journal_block *b)
{
    size_t used = atomic_load(&b->used), room = journal_block_room(b);
    return used < room ? used : room; /* something else may have overwritten it */
}

void journal_log_copy(const struct journal_log *log, struct bytes *to)
{
    if (!log->owner)
        bytes_put(to, log->early.data, log->early.length);
    for (uint32_t i = 0; i < log->count; i++)
        bytes_put(to, journal_block_data(log->blocks[i]), used_of(log->blocks[i]));
}
