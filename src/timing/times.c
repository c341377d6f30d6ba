/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder of times: the object, its classes and columns, and sections of what was encoded; see times.h.
 * times_bins.c and times_exact.c encode calls.
 *
 * The two numbers of a call go straight into the columns of its class. A column consists of planes, one for each
 * byte of its numbers, as in the file. It gets a second and a third plane with the first number that needs them. */
#include "timing/times.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "timing/times_inline.h"

enum { CAPACITY_MIN = 64, CLASSES_MIN = 16 };

struct times *times_new(enum times_kind kind)
{
    struct times *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->kind = kind;
    t->readings.last_start = NO_START;
    return t;
}

static void column_free(struct number_column *c)
{
    for (unsigned i = 0; i < PLANES_MAX; i++)
        free(c->plane[i]);
    *c = (struct number_column){.width = 1};
}

static void class_numbers_free(struct class_numbers *n)
{
    column_free(&n->of[0]);
    column_free(&n->of[1]);
}

static void class_free(struct class_times *c)
{
    class_numbers_free(&c->gaps);
    class_numbers_free(&c->durations);
    column_free(&c->readings);
    column_free(&c->corrections);
    free(c->starts);
}

void times_renew(struct times *t)
{
    for (uint32_t i = 0; i < t->class_count; i++)
        class_free(&t->classes[i]);
    free(t->classes);
    t->classes = NULL;
    t->class_count = 0;
}

void times_jump(struct times *t, uint64_t end)
{
    for (uint32_t i = 0; i < t->class_count; i++)
        for (uint32_t k = 0; k < t->classes[i].start_count; k++)
            t->classes[i].starts[k] = NO_START;
    t->readings.last_start = NO_START;
    t->readings.is_seen = false;
    t->end = end;
}

void times_restart(struct times *t)
{
    times_renew(t);
    t->end = t->begin = 0;
    t->is_high = false;
}

void times_free(struct times *t)
{
    if (!t)
        return;
    times_renew(t);
    for (uint32_t i = 0; i < t->base_count; i++)
        bins_free(&t->bases[i]);
    bytes_free(&t->bits);
    bytes_free(&t->readings.anchors);
    free(t);
}

uint64_t times_pending(const struct times *t)
{
    return t->pending;
}

static size_t column_bytes(const struct number_column *c)
{
    return (size_t)c->width * c->capacity;
}

static size_t class_bytes(const struct class_times *c)
{
    size_t bytes = column_bytes(&c->readings) + column_bytes(&c->corrections);
    for (unsigned i = 0; i < 2; i++)
        bytes += column_bytes(&c->gaps.of[i]) + column_bytes(&c->durations.of[i]);
    return bytes;
}

size_t times_segment_bytes(const struct times *t)
{
    size_t bytes = t->class_count * sizeof *t->classes;
    for (uint32_t i = 0; i < t->class_count; i++)
        bytes += t->classes[i].start_count * sizeof *t->classes[i].starts;
    return bytes;
}

size_t times_memory_bytes(const struct times *t)
{
    size_t bytes = sizeof *t + t->bits.capacity + t->readings.anchors.capacity + times_segment_bytes(t);
    for (uint32_t i = 0; i < t->class_count; i++)
        bytes += class_bytes(&t->classes[i]);
    for (uint32_t i = 0; i < t->base_count; i++)
        bytes +=
            t->bases[i].capacity * sizeof *t->bases[i].bounds + t->bases[i].slot_capacity * sizeof *t->bases[i].slots;
    return bytes;
}

/* ---- classes ---- */

/* Sets *NUMBER to the index of BASE, which is added if it is new. */
static enum pilgrim_status base_number(struct times *t, uint32_t base, uint8_t *number)
{
    uint32_t i = 0;
    while (i < t->base_count && t->bases[i].base != base)
        i++;
    if (i == TIMES_BASES_MAX || base < BINS_BASE_MIN || base > BINS_BASE_MAX)
        return PILGRIM_LIMIT;
    if (i == t->base_count) {
        bins_init(&t->bases[i], base);
        TRY(bins_reach(&t->bases[i], 0));
        t->base_count++;
    }
    *number = (uint8_t)i;
    return PILGRIM_OK;
}

static enum pilgrim_status make_room(struct times *t, uint32_t class)
{
    if (class < t->class_count)
        return PILGRIM_OK;
    size_t count = t->class_count ? t->class_count : CLASSES_MIN;
    while (count <= class)
        count *= 2;
    if (count > UINT32_MAX)
        return PILGRIM_LIMIT;
    struct class_times *classes = realloc(t->classes, count * sizeof *classes);
    if (!classes)
        return PILGRIM_NOMEM;
    for (size_t i = t->class_count; i < count; i++)
        classes[i] = (struct class_times){.gaps.of = {{.width = 1}, {.width = 1}},
                                          .durations.of = {{.width = 1}, {.width = 1}},
                                          .readings.width = 1,
                                          .corrections.width = 1};
    t->classes = classes;
    t->class_count = (uint32_t)count;
    return PILGRIM_OK;
}

enum pilgrim_status times_class(struct times *t, uint32_t class, uint32_t base, bool reads)
{
    uint8_t number = 0;
    TRY(make_room(t, class));
    if (t->kind == TIMES_BINS)
        TRY(base_number(t, base, &number));
    struct class_times *c = &t->classes[class];
    c->base = number;
    c->reads = reads;
    c->is_known = true;
    return PILGRIM_OK;
}

/* ---- columns ---- */

static enum pilgrim_status column_grow(struct number_column *c)
{
    uint32_t capacity = c->capacity ? 2 * c->capacity : CAPACITY_MIN;
    for (unsigned i = 0; i < c->width; i++) {
        uint8_t *plane = realloc(c->plane[i], capacity);
        if (!plane)
            return PILGRIM_NOMEM;
        c->plane[i] = plane;
    }
    c->capacity = capacity;
    c->limit = c->width == 1 ? capacity : 0;
    return PILGRIM_OK;
}

enum pilgrim_status number_column_put_slowly(struct number_column *c, uint32_t number)
{
    if (c->count == c->capacity)
        TRY(column_grow(c));
    for (; c->width < PLANES_MAX && number >> (8 * c->width); c->width++) {
        uint8_t *plane = malloc(c->capacity);
        if (!plane)
            return PILGRIM_NOMEM;
        memset(plane, 0, c->count);
        c->plane[c->width] = plane;
        c->limit = 0;
    }
    for (unsigned i = 0; i < c->width; i++)
        c->plane[i][c->count] = (uint8_t)(number >> (8 * i));
    c->count++;
    return PILGRIM_OK;
}
/* Empties the column. It keeps one plane, and no room if little of it was used: else each of many classes would come
 * to have room for whole blocks. */
static void column_renew(struct number_column *c)
{
    if (c->count < c->capacity / 4)
        c->capacity = 0;
    for (unsigned i = c->capacity ? 1 : 0; i < PLANES_MAX; i++) {
        free(c->plane[i]);
        c->plane[i] = NULL;
    }
    c->width = 1;
    c->limit = c->capacity;
    c->count = 0;
}

static void class_renew(struct class_times *c)
{
    for (unsigned i = 0; i < 2; i++) {
        column_renew(&c->gaps.of[i]);
        column_renew(&c->durations.of[i]);
    }
    column_renew(&c->readings);
    column_renew(&c->corrections);
    c->gaps.mean = c->durations.mean = 0;
}
/* ---- calls ---- */

bool times_is_reading(double value)
{
    return is_reading(value);
}

enum pilgrim_status times_add(struct times *t, const struct span *spans, const double *readings, size_t count)
{
    if (!t->pending)
        t->begin = t->end;
    t->pending += count;
    return t->kind == TIMES_BINS ? times_add_bins(t, spans, readings, count)
                                 : times_add_exact(t, spans, readings, count);
}
/* ---- sections ---- */

/* Returns the number of pending calls of the class. */
static uint32_t pending_calls(const struct class_times *c)
{
    return c->gaps.of[0].count + c->gaps.of[1].count;
}

static void put_classes(const struct times *t, struct bytes *content)
{
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < t->class_count; i++)
        count += pending_calls(&t->classes[i]) > 0;
    bytes_put_varint(content, count);
    for (uint32_t i = 0; i < t->class_count; i++) {
        const struct class_times *c = &t->classes[i];
        uint32_t calls = pending_calls(c);
        if (!calls)
            continue;
        bytes_put_varint(content, i - next);
        bytes_put_varint(content, calls);
        next = i + 1;
        if (t->kind == TIMES_BINS) {
            bytes_put_varint(content, c->base);
            bytes_put_u8(content, (uint8_t)c->gaps.of[0].width);
            bytes_put_u8(content, (uint8_t)c->durations.of[0].width);
        } else {
            bytes_put_varint(content, c->gaps.of[1].count);
            bytes_put_varint(content, c->durations.of[1].count);
        }
    }
}

/* Writes which classes read a clock, and the anchors. */
static void put_readers(const struct times *t, struct bytes *content)
{
    uint32_t bin = 0, next = 0, count = 0;
    for (uint32_t i = 0; i < t->class_count; i++)
        count += t->classes[i].readings.count > 0;
    bytes_put_varint(content, count);
    for (uint32_t i = 0; i < t->class_count; i++) {
        const struct class_times *c = &t->classes[i];
        if (c->readings.count) {
            bytes_put_varint(content, bin - next);
            next = bin + 1;
            if (t->kind == TIMES_BINS)
                bytes_put_u8(content, (uint8_t)c->readings.width);
        }
        bin += pending_calls(c) > 0;
    }
    if (t->kind == TIMES_BINS) {
        bytes_put_varint(content, t->readings.anchor_count);
        bytes_put(content, t->readings.anchors.data, t->readings.anchors.length);
    }
}

static void put_column(const struct number_column *c, struct bytes *content, struct bytes *ends)
{
    if (!c->count)
        return;
    for (unsigned plane = 0; plane < c->width; plane++)
        bytes_put(content, c->plane[plane], c->count);
    bytes_put(ends, &content->length, sizeof content->length);
}

static void put_class_numbers(const struct class_numbers *numbers, struct bytes *content, struct bytes *ends)
{
    put_column(&numbers->of[0], content, ends);
    put_column(&numbers->of[1], content, ends);
}

static void put_columns(const struct times *t, struct bytes *content, struct bytes *ends)
{
    for (uint32_t i = 0; i < t->class_count; i++)
        put_class_numbers(&t->classes[i].gaps, content, ends);
    for (uint32_t i = 0; i < t->class_count; i++)
        put_class_numbers(&t->classes[i].durations, content, ends);
    for (uint32_t i = 0; i < t->class_count; i++)
        put_column(&t->classes[i].readings, content, ends);
    for (uint32_t i = 0; i < t->class_count; i++)
        put_column(&t->classes[i].corrections, content, ends);
}

/* Forgets the pending readings. In bins the anchor stays. */
static void readings_taken(struct clock_readings *r, enum times_kind kind)
{
    if (kind == TIMES_EXACT)
        r->offset = 0;
    r->anchors.length = 0;
    r->anchor_count = 0;
    r->anchor = 0;
    r->anchored = r->count = 0;
}

enum pilgrim_status times_take(struct times *t, struct bytes *content, struct bytes *ends)
{
    bytes_put_varint(content, t->pending);
    bytes_put_varint(content, t->begin);
    bytes_put_u8(content, (uint8_t)(t->kind + (t->readings.count ? TIMES_READS : 0)));
    if (t->kind == TIMES_BINS) {
        bytes_put_varint(content, t->base_count);
        for (uint32_t i = 0; i < t->base_count; i++)
            bytes_put_varint(content, t->bases[i].base);
    }
    put_classes(t, content);
    if (t->readings.count)
        put_readers(t, content);
    put_columns(t, content, ends);
    bytes_put(content, t->bits.data, t->bits.length);
    if (t->held_count)
        bytes_put_u8(content, (uint8_t)t->held);
    TRY(bytes_status(&t->readings.anchors));
    TRY(bytes_status(content));
    TRY(bytes_status(ends));
    for (uint32_t i = 0; i < t->class_count; i++)
        class_renew(&t->classes[i]);
    t->bits.length = 0;
    t->held = 0;
    t->held_count = 0;
    t->is_high = false;
    t->pending = 0;
    readings_taken(&t->readings, t->kind);
    return PILGRIM_OK;
}
