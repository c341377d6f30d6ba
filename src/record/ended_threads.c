/* SPDX-License-Identifier: BSD-3-Clause */
/* Ended threads: finds patterns by the bytes of their calls (base/intern.h).
 *
 * Threads end in nearly the order in which they began. So a thread waits until ENDED_WAITING others have ended after
 * it; then the one with the lowest number is appended to its pattern. This makes columns as regular as the threads
 * are. A pattern that is still out of order is sorted when it is put into a fragment. */
#include "record/ended_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "record/pattern_calls.h"
#include "record/stream_inline.h"
#include "timing/common_times.h"

struct ended_threads *ended_new(const struct vocabulary *vocabulary)
{
    struct ended_threads *e = calloc(1, sizeof *e);
    if (e)
        e->vocabulary = vocabulary;
    return e;
}

static void free_statistics(struct statistics *s, uint32_t count)
{
    for (uint32_t i = 0; s && i < count; i++)
        statistics_free(&s[i]);
    free(s);
}

static void pattern_free(struct thread_pattern *p)
{
    for (uint32_t i = 0; i < p->column_count; i++)
        column_free(&p->columns[i].values);
    column_free(&p->members);
    free(p->columns);
    free(p->slots);
    free(p->values);
    stream_free(p->stream);
    bytes_free(&p->packed);
    free_statistics(p->statistics, p->class_count);
}

static void free_content(struct ended_threads *e)
{
    for (uint32_t i = 0; i < e->calls.count; i++)
        pattern_free(&e->patterns[i]);
    for (uint32_t i = 0; i < e->unshared_count; i++)
        stream_free(e->unshared[i].stream);
    for (uint32_t i = 0; i < e->waiting_count; i++)
        free(e->waiting[i].values);
    intern_free(&e->calls);
    free(e->patterns);
    free(e->unshared);
    bytes_free(&e->scratch);
    bytes_free(&e->values);
    free(e->spare);
}

void ended_free(struct ended_threads *e)
{
    if (!e)
        return;
    free_content(e);
    common_times_free(e->times);
    free(e);
}

void ended_renew(struct ended_threads *e)
{
    const struct ended_threads fresh = {.vocabulary = e->vocabulary, .times = e->times};
    free_content(e);
    *e = fresh;
}

enum pilgrim_status ended_share_times(struct ended_threads *e, struct common_times *common)
{
    e->times = common;
    return common ? PILGRIM_OK : PILGRIM_NOMEM;
}

enum pilgrim_status ended_flush_times(struct ended_threads *e)
{
    return e->times ? common_times_flush(e->times) : PILGRIM_OK;
}

bool ended_any(const struct ended_threads *e)
{
    return e->calls.count || e->unshared_count;
}

size_t ended_memory_bytes(const struct ended_threads *e)
{
    return sizeof *e + e->memory + intern_memory_bytes(&e->calls);
}

/* ---- statistics ---- */

static enum pilgrim_status pack_statistics(struct thread_pattern *p, const struct stream *s)
{
    for (uint32_t i = 0; i < s->terminal_count; i++)
        statistics_pack(&s->by_terminal[i]->statistics, &p->packed);
    return bytes_status(&p->packed);
}

enum pilgrim_status pattern_statistics(struct thread_pattern *p)
{
    struct cursor in;
    if (p->stream || p->statistics || !p->packed.length)
        return PILGRIM_OK;
    p->statistics = calloc(p->class_count + 1u, sizeof *p->statistics);
    if (!p->statistics)
        return PILGRIM_NOMEM;
    cursor_init(&in, p->packed.data, p->packed.length);
    for (uint32_t i = 0; i < p->class_count; i++)
        TRY(statistics_unpack(&in, &p->statistics[i]));
    bytes_free(&p->packed);
    return PILGRIM_OK;
}

/* Adds the statistics of thread NUMBER to those of P. The calls of a short thread go there directly: they are not in
 * its own statistics yet. */
static enum pilgrim_status add_statistics(struct ended_threads *e, struct thread_pattern *p, uint32_t number,
                                          struct stream *s)
{
    TRY(pattern_statistics(p));
    if (p->statistics && !stream_settled(s))
        return stream_flush_last_times(s, number, p->statistics, e->times);
    TRY(stream_flush_last_times(s, number, NULL, e->times));
    if (!p->stream && !p->statistics)
        return PILGRIM_OK;
    for (uint32_t i = 0; i < s->terminal_count; i++) {
        struct statistics *to = p->stream ? &p->stream->by_terminal[i]->statistics : &p->statistics[i];
        TRY(statistics_merge(to, &s->by_terminal[i]->statistics, NULL, 0));
    }
    return PILGRIM_OK;
}

/* ---- patterns ---- */

static enum pilgrim_status reserve_pattern(struct ended_threads *e)
{
    if (e->calls.count < e->pattern_capacity)
        return PILGRIM_OK;
    uint32_t capacity = e->pattern_capacity * 2 + 16;
    struct thread_pattern *patterns = realloc(e->patterns, capacity * sizeof *patterns);
    if (!patterns)
        return PILGRIM_NOMEM;
    e->patterns = patterns;
    e->pattern_capacity = capacity;
    return PILGRIM_OK;
}

static enum pilgrim_status pattern_begin(struct ended_threads *e, struct thread_pattern *p, uint32_t number,
                                         struct stream **s, enum thread_storage storage)
{
    *p = (struct thread_pattern){.sorted = true,
                                 .number = number,
                                 .class_count = (*s)->terminal_count,
                                 .slot_count = (uint32_t)(e->values.length / sizeof(int64_t)),
                                 .calls = stream_calls(*s),
                                 .plain_bytes = stream_plain_bytes(*s)};
    e->memory += sizeof *p;
    TRY(stream_flush_last_times(*s, number, NULL, e->times));
    if (storage == THREAD_LONG_PATTERN) {
        e->memory += stream_memory_bytes(*s);
        stream_close(*s);
        p->stream = *s;
        *s = NULL;
        return PILGRIM_OK;
    }
    if ((*s)->step)
        TRY(pack_statistics(p, *s));
    e->memory += p->packed.capacity;
    return PILGRIM_OK;
}

static bool reserve_column(struct ended_threads *e, struct thread_pattern *p)
{
    if (p->column_count < p->column_capacity)
        return true;
    uint32_t capacity = p->column_capacity + p->column_capacity / 2 + 4;
    struct pattern_column *columns = realloc(p->columns, capacity * sizeof *columns);
    if (!columns)
        return false;
    e->memory += (capacity - p->column_capacity) * sizeof *columns;
    p->columns = columns;
    p->column_capacity = capacity;
    return true;
}

/* Goes from one thread to several. Slots with equal values share a column as long as they stay equal. */
static enum pilgrim_status begin_columns(struct ended_threads *e, struct thread_pattern *p)
{
    struct intern distinct = {0};
    p->slots = malloc(p->slot_count * sizeof *p->slots + 1);
    enum pilgrim_status status = p->slots ? PILGRIM_OK : PILGRIM_NOMEM;
    for (uint32_t i = 0; status == PILGRIM_OK && i < p->slot_count; i++) {
        status = intern_add(&distinct, &p->values[i], sizeof p->values[i], &p->slots[i]);
        if (status != PILGRIM_OK || p->slots[i] < p->column_count)
            continue;
        if (!reserve_column(e, p)) {
            status = PILGRIM_NOMEM;
            continue;
        }
        struct pattern_column *c = &p->columns[p->column_count++];
        c->slot = i;
        column_begin(&c->values, p->values[i], (struct rank){.meaning = RANK_NOTHING});
    }
    intern_free(&distinct);
    free(p->values);
    p->values = NULL;
    return status;
}

/* Gives SLOT a column for VALUE, which differs from the new value of its column so far: a new column, or one that
 * was split off for this thread. BEFORE is the number of columns before this thread. */
static enum pilgrim_status split_slot(struct ended_threads *e, struct thread_pattern *p, uint32_t slot, int64_t value,
                                      uint32_t before)
{
    uint32_t from = p->slots[slot], k = before;
    while (k < p->column_count && (p->columns[k].origin != from || p->columns[k].value != value))
        k++;
    p->slots[slot] = k;
    if (k < p->column_count)
        return PILGRIM_OK;
    if (!reserve_column(e, p))
        return PILGRIM_NOMEM;
    struct pattern_column *c = &p->columns[k];
    TRY(column_copy(&c->values, &p->columns[from].values));
    c->slot = slot;
    c->origin = from;
    c->value = value;
    p->column_count++;
    e->memory += c->values.differences.capacity * sizeof *c->values.differences.items;
    return PILGRIM_OK;
}

static bool is_constant(const struct column *c)
{
    return !c->differences.count && !c->differences.open.value;
}

static enum pilgrim_status append_value(struct ended_threads *e, struct column *c, int64_t value)
{
    size_t before = c->differences.capacity;
    TRY(column_append(c, value));
    e->memory += (c->differences.capacity - before) * sizeof *c->differences.items;
    e->memory += is_constant(c) ? 0 : sizeof value; /* needed while the pattern is taken apart */
    return PILGRIM_OK;
}

static enum pilgrim_status append_values(struct ended_threads *e, struct thread_pattern *p, const int64_t *values)
{
    uint32_t before = p->column_count;
    for (uint32_t i = 0; i < before; i++)
        p->columns[i].value = values[p->columns[i].slot];
    for (uint32_t i = 0; i < p->slot_count; i++)
        if (p->columns[p->slots[i]].value != values[i])
            TRY(split_slot(e, p, i, values[i], before));
    for (uint32_t i = 0; i < p->column_count; i++)
        TRY(append_value(e, &p->columns[i].values, p->columns[i].value));
    return PILGRIM_OK;
}

/* Appends the values of W to P. Takes or frees them. */
static enum pilgrim_status take_values(struct ended_threads *e, struct thread_pattern *p,
                                       const struct waiting_thread *w)
{
    p->sorted = p->members.length == 0 || (p->sorted && (int64_t)w->number > p->members.last);
    if (p->members.length == 0) {
        p->values = w->values;
        return column_append(&p->members, (int64_t)w->number);
    }
    enum pilgrim_status status = p->values ? begin_columns(e, p) : PILGRIM_OK;
    if (status == PILGRIM_OK)
        status = append_values(e, p, w->values);
    if (status == PILGRIM_OK)
        status = append_value(e, &p->members, (int64_t)w->number);
    free(e->spare);
    e->spare = w->values;
    e->spare_count = p->slot_count;
    return status;
}

static int64_t *take_room(struct ended_threads *e, uint32_t count)
{
    int64_t *room = e->spare;
    if (!room || e->spare_count != count)
        return malloc(count * sizeof *room + 1);
    e->spare = NULL;
    return room;
}

/* ---- threads that wait ---- */

static enum pilgrim_status let_first_go(struct ended_threads *e)
{
    struct waiting_thread first = e->waiting[0];
    e->waiting_count--;
    memmove(e->waiting, e->waiting + 1, e->waiting_count * sizeof *e->waiting);
    return take_values(e, &e->patterns[first.pattern], &first);
}

static enum pilgrim_status let_wait(struct ended_threads *e, struct waiting_thread w)
{
    enum pilgrim_status status = e->waiting_count == ENDED_WAITING ? let_first_go(e) : PILGRIM_OK;
    uint32_t at = e->waiting_count++;
    for (; at > 0 && e->waiting[at - 1].number > w.number; at--)
        e->waiting[at] = e->waiting[at - 1];
    e->waiting[at] = w;
    return status;
}

enum pilgrim_status ended_settle(struct ended_threads *e)
{
    while (e->waiting_count)
        TRY(let_first_go(e));
    return PILGRIM_OK;
}

/* ---- adding ---- */

static enum pilgrim_status add_unshared(struct ended_threads *e, uint32_t number, struct stream **s)
{
    if (e->unshared_count == e->unshared_capacity) {
        uint32_t capacity = e->unshared_capacity * 2 + 16;
        struct unshared_thread *unshared = realloc(e->unshared, capacity * sizeof *unshared);
        if (!unshared)
            return PILGRIM_NOMEM;
        e->unshared = unshared;
        e->unshared_capacity = capacity;
    }
    TRY(stream_flush_last_times(*s, number, NULL, e->times));
    e->memory += stream_memory_bytes(*s) + sizeof *e->unshared;
    stream_close(*s);
    e->unshared[e->unshared_count++] = (struct unshared_thread){.number = number, .stream = *s};
    *s = NULL;
    return PILGRIM_OK;
}

static enum pilgrim_status add_to_pattern(struct ended_threads *e, uint32_t number, struct stream **s,
                                          enum thread_storage storage)
{
    uint32_t pattern_count = e->calls.count;
    struct waiting_thread w = {.number = number};
    TRY(reserve_pattern(e));
    TRY(intern_add(&e->calls, e->scratch.data, e->scratch.length, &w.pattern));
    struct thread_pattern *p = &e->patterns[w.pattern];
    TRY(w.pattern == pattern_count ? pattern_begin(e, p, number, s, storage) : add_statistics(e, p, number, *s));
    w.values = take_room(e, p->slot_count);
    if (!w.values)
        return PILGRIM_NOMEM;
    if (e->values.length)
        memcpy(w.values, e->values.data, e->values.length);
    if (w.pattern == pattern_count)
        e->memory += e->values.length;
    return let_wait(e, w);
}

enum pilgrim_status ended_add(struct ended_threads *e, uint32_t number, struct stream **s)
{
    enum thread_storage storage;
    TRY(pattern_calls_write(e, number, *s, &storage));
    return storage == THREAD_UNSHARED ? add_unshared(e, number, s) : add_to_pattern(e, number, s, storage);
}
