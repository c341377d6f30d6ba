/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of several threads in one section; see common_times.h.
 *
 * The encoder takes them for those of one thread whose clock jumps: before the first call of each thread it is told
 * that the last call ended where this one starts (times_jump). These starts are stored in a column of their own, as
 * differences. */
#include "timing/common_times.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"

enum { OPEN_SECTIONS = 16 };

/* The open section of a kind of threads. */
struct open_section {
    struct bytes kind; /* the classes, then the class of each call, u32 each */
    uint32_t calls;    /* of each thread */
    struct times *encoder;
    uint64_t used;                /* last use: `used` of the object at that time */
    struct bytes numbers, starts; /* of the threads, as in the section */
    uint32_t thread_count;
    uint32_t last_number;
    uint64_t last_start;
};

struct common_times {
    enum times_kind kind;
    common_sink *sink;
    void *context;
    uint64_t used;
    struct bytes wanted; /* kind of the thread that is being added */
    struct open_section open[OPEN_SECTIONS];
};

struct common_times *common_times_new(enum times_kind kind, common_sink *sink, void *context)
{
    struct common_times *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->kind = kind;
    c->sink = sink;
    c->context = context;
    return c;
}

static void open_section_free(struct open_section *g)
{
    times_free(g->encoder);
    bytes_free(&g->kind);
    bytes_free(&g->numbers);
    bytes_free(&g->starts);
    *g = (struct open_section){0};
}

void common_times_free(struct common_times *c)
{
    for (unsigned i = 0; c && i < OPEN_SECTIONS; i++)
        open_section_free(&c->open[i]);
    if (c)
        bytes_free(&c->wanted);
    free(c);
}

/* ---- sections ---- */

static void put_order(const struct open_section *g, struct bytes *content)
{
    const uint32_t *classes = (const uint32_t *)(const void *)(g->kind.data + g->kind.length) - g->calls;
    for (uint32_t i = 0; i < g->calls; i++)
        bytes_put_varint(content, classes[i]);
}

/* Sends the section to the sink and empties it. */
static enum pilgrim_status put_section(const struct common_times *c, struct open_section *g)
{
    struct bytes content = {0}, ends = {0};
    if (!g->thread_count)
        return PILGRIM_OK;
    bytes_put_varint(&content, 0);
    bytes_put_varint(&content, g->calls);
    put_order(g, &content);
    bytes_put_varint(&content, g->thread_count);
    bytes_put(&content, g->numbers.data, g->numbers.length);
    bytes_put(&ends, &content.length, sizeof content.length);
    bytes_put(&content, g->starts.data, g->starts.length);
    bytes_put(&ends, &content.length, sizeof content.length);
    enum pilgrim_status status = times_take(g->encoder, &content, &ends);
    if (status == PILGRIM_OK)
        status = c->sink(c->context, &content, &ends);
    bytes_free(&content);
    bytes_free(&ends);
    g->thread_count = g->last_number = 0;
    g->last_start = 0;
    g->numbers.length = g->starts.length = 0;
    return status;
}

enum pilgrim_status common_times_flush(struct common_times *c)
{
    for (unsigned i = 0; i < OPEN_SECTIONS; i++)
        TRY(put_section(c, &c->open[i]));
    return PILGRIM_OK;
}

/* ---- kinds ---- */

static enum pilgrim_status describe(struct common_times *c, const struct common_class *classes, uint32_t class_count,
                                    const struct span *spans, size_t count)
{
    const size_t classes_bytes = class_count * sizeof *classes, length = classes_bytes + count * sizeof(uint32_t);
    c->wanted.length = 0;
    uint8_t *to = bytes_reserve(&c->wanted, length);
    if (!to)
        return PILGRIM_NOMEM;
    memcpy(to, classes, classes_bytes);
    uint32_t *order = (uint32_t *)(void *)(to + classes_bytes);
    for (size_t i = 0; i < count; i++)
        order[i] = spans[i].class;
    c->wanted.length = length;
    return PILGRIM_OK;
}

static bool is_wanted(const struct common_times *c, const struct open_section *g, size_t calls)
{
    return g->encoder && g->calls == calls && g->kind.length == c->wanted.length &&
           !memcmp(g->kind.data, c->wanted.data, g->kind.length);
}

/* Makes G an open section of the wanted kind. */
static enum pilgrim_status begin(struct common_times *c, struct open_section *g, const struct common_class *classes,
                                 uint32_t class_count, size_t calls)
{
    TRY(put_section(c, g));
    open_section_free(g);
    g->encoder = times_new(c->kind);
    if (!g->encoder)
        return PILGRIM_NOMEM;
    for (uint32_t i = 0; i < class_count; i++)
        TRY(times_class(g->encoder, i, classes[i].base, classes[i].reads));
    bytes_put(&g->kind, c->wanted.data, c->wanted.length);
    g->calls = (uint32_t)calls;
    return bytes_status(&g->kind);
}

/* Returns the section of the wanted kind; else the one that was used longest ago. */
static struct open_section *choose(struct common_times *c, size_t calls)
{
    struct open_section *oldest = &c->open[0];
    for (unsigned i = 0; i < OPEN_SECTIONS; i++) {
        struct open_section *g = &c->open[i];
        if (is_wanted(c, g, calls))
            return g;
        if (g->used < oldest->used)
            oldest = g;
    }
    return oldest;
}

enum pilgrim_status common_times_add(struct common_times *c, uint32_t number, const struct common_class *classes,
                                     uint32_t class_count, const struct span *spans, const double *readings,
                                     size_t count)
{
    TRY(describe(c, classes, class_count, spans, count));
    struct open_section *g = choose(c, count);
    if (!is_wanted(c, g, count))
        TRY(begin(c, g, classes, class_count, count));
    g->used = ++c->used;
    bytes_put_svarint(&g->numbers, (int64_t)number - (int64_t)g->last_number);
    bytes_put_svarint(&g->starts, (int64_t)(spans->start - g->last_start));
    TRY(bytes_status(&g->numbers));
    TRY(bytes_status(&g->starts));
    g->thread_count++;
    g->last_number = number;
    g->last_start = spans->start;
    times_jump(g->encoder, spans->start);
    TRY(times_add(g->encoder, spans, readings, count));
    return times_pending(g->encoder) + count > COMMON_SECTION_CALLS ? put_section(c, g) : PILGRIM_OK;
}
