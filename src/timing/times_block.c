/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoding one times section; see times_block.h.
 *
 * The file is over 400 lines: half of it checks a hostile block when it is opened, the other half relies on that. */
#include "timing/times_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "timing/bins.h"
#include "timing/times.h"
#include "timing/times_code_inline.h"

enum { WIDTH_MAX = 3, BEFORE_COLUMNS_MIN = 2 };

#define NO_CLASS UINT32_MAX

/* The gaps, the durations or the readings of a class. */
struct block_numbers {
    const uint8_t *at[2]; /* the next numbers; exact: of the two columns */
    uint64_t left[2];     /* numbers from there on */
    uint64_t stride;      /* bins: from one plane to the next */
    uint8_t width;
    uint32_t mean; /* exact: times_code_inline.h */
};

struct block_class {
    uint64_t calls, left;
    uint32_t base;
    struct block_numbers gaps, durations;
    bool reads;
    struct block_numbers readings, corrections; /* if the class reads a clock; corrections: exact only */
};

struct times_block {
    enum times_kind kind;
    bool is_damaged;
    bool is_high; /* exact: the column of the next number */
    uint64_t calls, left;
    uint64_t begin;
    uint64_t end; /* of the call before */
    uint64_t class_limit;
    uint32_t *by_class; /* by class index: the index in `classes`, or NO_CLASS */
    size_t class_count;
    struct block_class *classes;
    size_t base_count;
    struct bin_bounds bases[TIMES_BASES_MAX];
    struct cursor bits;
    uint64_t held; /* bits that were read and not used */
    unsigned held_count;
    bool reads;       /* a class of the block reads a clock */
    bool has_reading; /* the last call has this reading: */
    double reading;
    int64_t offset;         /* exact: from the start of the last reading's call to the reading; bins: the anchor */
    uint64_t reading_count; /* of the calls so far */
    struct cursor anchors;  /* bins: those to come */
    uint64_t anchors_left;
    uint64_t anchored;   /* bins: the reading that the next anchor begins at */
    int64_t next_offset; /* bins: the next anchor */
};

struct opening {
    struct times_block *block;
    struct cursor *in;
    const char *problem;
};

static enum pilgrim_status wrong(struct opening *o, const char *problem)
{
    if (o->in->status == PILGRIM_OK)
        o->in->status = PILGRIM_DAMAGED;
    o->problem = problem;
    return o->in->status;
}

/* ---- opening ---- */

static enum pilgrim_status open_head(struct opening *o)
{
    struct times_block *b = o->block;
    b->calls = b->left = cursor_varint(o->in);
    b->begin = b->end = cursor_varint(o->in);
    uint8_t kind = cursor_u8(o->in);
    if (o->in->status != PILGRIM_OK)
        return wrong(o, "ends too early");
    if (b->calls == 0 || b->begin > TIMES_NS_MAX)
        return wrong(o, "no calls, or a time that is too large");
    b->reads = kind > TIMES_READS;
    kind = (uint8_t)(kind - (b->reads ? TIMES_READS : 0));
    if (kind != TIMES_BINS && kind != TIMES_EXACT)
        return wrong(o, "unknown kind of times");
    b->kind = (enum times_kind)kind;
    return PILGRIM_OK;
}

static enum pilgrim_status open_bases(struct opening *o)
{
    struct times_block *b = o->block;
    size_t count = cursor_count(o->in, 1);
    if (count == 0 || count > TIMES_BASES_MAX)
        return wrong(o, "wrong number of bases");
    for (; b->base_count < count; b->base_count++) {
        uint64_t base = cursor_varint(o->in);
        if (base < BINS_BASE_MIN || base > BINS_BASE_MAX)
            return wrong(o, "unknown base");
        bin_bounds_init(&b->bases[b->base_count], (uint32_t)base);
    }
    return PILGRIM_OK;
}

/* Reads what the head says of the columns of C. False if that is wrong. */
static bool open_numbers(struct opening *o, struct block_class *c)
{
    struct block_numbers *const both[] = {&c->gaps, &c->durations};
    if (o->block->kind == TIMES_BINS)
        c->base = (uint32_t)cursor_index(o->in, o->block->base_count);
    for (unsigned i = 0; i < 2; i++) {
        bool is_bins = o->block->kind == TIMES_BINS;
        uint64_t high = is_bins ? 0 : cursor_varint(o->in);
        *both[i] = (struct block_numbers){
            .left = {c->calls - high, high}, .stride = c->calls, .width = is_bins ? cursor_u8(o->in) : 1};
        if (high > c->calls || both[i]->width < 1 || both[i]->width > WIDTH_MAX)
            return false;
    }
    return o->in->status == PILGRIM_OK;
}

static enum pilgrim_status open_class(struct opening *o, struct block_class *c, uint64_t *next)
{
    struct times_block *b = o->block;
    uint64_t skipped = cursor_varint(o->in);
    c->calls = c->left = cursor_varint(o->in);
    if (!open_numbers(o, c))
        return wrong(o, "damaged class");
    if (skipped >= b->class_limit - *next)
        return wrong(o, "a class that the thread does not have");
    if (c->calls == 0 || c->calls > b->left)
        return wrong(o, "wrong number of calls");
    b->by_class[*next + skipped] = (uint32_t)(c - b->classes);
    *next += skipped + 1;
    b->left -= c->calls;
    return PILGRIM_OK;
}

static enum pilgrim_status open_classes(struct opening *o)
{
    struct times_block *b = o->block;
    size_t count = cursor_count(o->in, BEFORE_COLUMNS_MIN);
    uint64_t next = 0;
    if (count == 0 || count > b->class_limit)
        return wrong(o, "wrong number of classes");
    b->classes = calloc(count, sizeof *b->classes);
    b->by_class = malloc(b->class_limit * sizeof *b->by_class);
    if (!b->classes || !b->by_class)
        return PILGRIM_NOMEM;
    memset(b->by_class, 0xff, b->class_limit * sizeof *b->by_class);
    for (; b->class_count < count; b->class_count++)
        TRY(open_class(o, &b->classes[b->class_count], &next));
    if (b->left)
        return wrong(o, "wrong number of calls");
    b->left = b->calls;
    return PILGRIM_OK;
}

/* Reads the next anchor, if there is one. Anchors were checked when the block was opened. */
static void next_anchor(struct times_block *b)
{
    if (!b->anchors_left)
        return;
    b->anchors_left--;
    b->anchored += cursor_varint(&b->anchors);
    b->next_offset = (int64_t)((uint64_t)b->next_offset + (uint64_t)cursor_svarint(&b->anchors));
}

static enum pilgrim_status open_anchors(struct opening *o)
{
    struct times_block *b = o->block;
    size_t count = cursor_count(o->in, 2);
    if (count == 0)
        return wrong(o, "readings without an anchor");
    b->anchors = *o->in;
    b->anchors_left = count;
    uint64_t left = b->calls;
    for (size_t i = 0; i < count; i++) {
        uint64_t skipped = cursor_varint(o->in);
        cursor_svarint(o->in);
        if (o->in->status == PILGRIM_OK && ((i == 0) != (skipped == 0) || skipped >= left))
            return wrong(o, "anchors in a wrong order, or behind the last call");
        left -= skipped;
    }
    next_anchor(b);
    return o->in->status;
}

/* Reads which classes read a clock. */
static enum pilgrim_status open_readers(struct opening *o)
{
    struct times_block *b = o->block;
    size_t count = cursor_count(o->in, 1), next = 0;
    if (count == 0 || count > b->class_count)
        return wrong(o, "wrong number of classes with readings");
    for (size_t i = 0; i < count; i++) {
        uint64_t skipped = cursor_varint(o->in);
        if (skipped >= b->class_count - next)
            return wrong(o, "readings of an unknown class");
        struct block_class *c = &b->classes[next + skipped];
        c->reads = true;
        c->readings = c->corrections = (struct block_numbers){.left = {c->calls}, .stride = c->calls, .width = 1};
        if (b->kind == TIMES_BINS)
            c->readings.width = cursor_u8(o->in);
        if (c->readings.width < 1 || c->readings.width > WIDTH_MAX)
            return wrong(o, "damaged class");
        next += skipped + 1;
    }
    return b->kind == TIMES_BINS ? open_anchors(o) : o->in->status;
}

/* Returns the number at AT, whose further bytes are in the other planes. */
static inline uint64_t number_at(const struct block_numbers *n, const uint8_t *at)
{
    uint64_t number = at[0];
    for (unsigned plane = 1; plane < n->width; plane++)
        number |= (uint64_t)at[plane * n->stride] << (8 * plane);
    return number;
}

/* Takes a column. Its largest number must be a code or a bin that exists. */
static enum pilgrim_status open_column(struct opening *o, const struct block_class *c, struct block_numbers *n)
{
    struct times_block *b = o->block;
    if (c->calls > cursor_left(o->in) / n->width)
        return wrong(o, "a column that ends too early");
    const uint8_t *at = cursor_take(o->in, (size_t)c->calls * n->width);
    uint64_t largest = 0;
    for (uint64_t i = 0; i < c->calls; i++) {
        uint64_t number = number_at(n, at + i);
        largest = number > largest ? number : largest;
    }
    n->at[0] = at;
    n->at[1] = at + n->left[0];
    if (b->kind == TIMES_EXACT)
        return largest < CODE_END ? PILGRIM_OK : wrong(o, "unknown code");
    enum pilgrim_status status = bin_bounds_reach(&b->bases[c->base], largest);
    return status == PILGRIM_DAMAGED ? wrong(o, "unknown bin") : status;
}

static enum pilgrim_status open_columns(struct opening *o)
{
    struct times_block *b = o->block;
    for (size_t i = 0; i < b->class_count; i++)
        TRY(open_column(o, &b->classes[i], &b->classes[i].gaps));
    for (size_t i = 0; i < b->class_count; i++)
        TRY(open_column(o, &b->classes[i], &b->classes[i].durations));
    for (size_t i = 0; i < b->class_count; i++)
        if (b->classes[i].reads)
            TRY(open_column(o, &b->classes[i], &b->classes[i].readings));
    for (size_t i = 0; i < b->class_count && b->kind == TIMES_EXACT; i++)
        if (b->classes[i].reads)
            TRY(open_column(o, &b->classes[i], &b->classes[i].corrections));
    return PILGRIM_OK;
}

static uint64_t bits_of(const struct block_class *c)
{
    uint64_t bits = 0;
    for (uint64_t call = 0; call < c->calls; call++)
        bits += times_code_bits(c->gaps.at[0][call]) + times_code_bits(c->durations.at[0][call]);
    for (uint64_t call = 0; c->reads && call < c->calls; call++)
        bits += times_code_bits(c->readings.at[0][call]) + times_code_bits(c->corrections.at[0][call]);
    return bits;
}

static enum pilgrim_status open_bits(struct opening *o)
{
    struct times_block *b = o->block;
    uint64_t bits = 0;
    for (size_t i = 0; i < b->class_count; i++)
        bits += bits_of(&b->classes[i]);
    size_t left = cursor_left(o->in);
    if (bits / 8 + (bits % 8 != 0) != left)
        return wrong(o, "wrong number of bits");
    const uint8_t *data = cursor_take(o->in, left);
    if (bits % 8 && data[left - 1] >> (bits % 8))
        return wrong(o, "bits left over");
    cursor_init(&b->bits, data, left);
    return PILGRIM_OK;
}

static enum pilgrim_status open_block(struct opening *o)
{
    TRY(open_head(o));
    if (o->block->kind == TIMES_BINS)
        TRY(open_bases(o));
    TRY(open_classes(o));
    if (o->block->reads)
        TRY(open_readers(o));
    TRY(open_columns(o));
    if (o->block->kind == TIMES_EXACT)
        return open_bits(o);
    return cursor_left(o->in) ? wrong(o, "bytes left over") : PILGRIM_OK;
}

enum pilgrim_status times_block_open(struct cursor *c, uint64_t class_count, struct times_block **block,
                                     const char **problem)
{
    struct times_block *b = calloc(1, sizeof *b);
    struct opening o = {.block = b, .in = c, .problem = "ends too early"};
    if (!b)
        return PILGRIM_NOMEM;
    b->class_limit = class_count < NO_CLASS ? class_count : NO_CLASS - 1;
    enum pilgrim_status status = open_block(&o);
    if (status == PILGRIM_OK) {
        *block = b;
        return PILGRIM_OK;
    }
    *problem = o.problem;
    times_block_free(b);
    return status;
}

void times_block_free(struct times_block *block)
{
    if (!block)
        return;
    for (size_t i = 0; i < block->base_count; i++)
        bin_bounds_free(&block->bases[i]);
    free(block->by_class);
    free(block->classes);
    free(block);
}

uint64_t times_block_calls(const struct times_block *block)
{
    return block->calls;
}

uint64_t times_block_left(const struct times_block *block)
{
    return block->left;
}

uint64_t times_block_begin(const struct times_block *block)
{
    return block->begin;
}

void times_block_jump(struct times_block *block, uint64_t end)
{
    block->end = end;
}

/* ---- calls ---- */

/* Takes the next COUNT bits, at most 32. They exist. */
static inline uint64_t bits_take(struct times_block *b, unsigned count)
{
    for (; b->held_count < count; b->held_count += 8)
        b->held |= (uint64_t)cursor_u8(&b->bits) << b->held_count;
    uint64_t value = b->held & ((UINT64_C(1) << count) - 1);
    b->held >>= count;
    b->held_count -= count;
    return value;
}

/* Returns the number that CODE and its bits stand for. */
static inline uint64_t take_number(struct times_block *b, unsigned code)
{
    unsigned bits = times_code_bits(code), first = bits > 32 ? 32 : bits;
    uint64_t low = bits_take(b, first);
    low |= bits_take(b, bits - first) << first;
    return times_code_value(code) + low;
}

/* Takes the next number. False if the column has no more. */
static inline bool next_exact(struct times_block *b, struct block_numbers *n, uint64_t *value)
{
    unsigned kind = b->is_high;
    if (!n->left[kind])
        return false;
    uint8_t code = *n->at[kind];
    *value = take_number(b, code);
    b->is_high = times_code_is_long(code, &n->mean);
    n->at[kind]++;
    n->left[kind]--;
    return true;
}

static inline uint64_t next_bin(const struct times_block *b, const struct block_class *c, struct block_numbers *n)
{
    return bin_bounds_at(&b->bases[c->base], number_at(n, n->at[0]++));
}

/* Returns the reading, in ns, of a call that starts at START. */
static inline int64_t next_reading_bin(struct times_block *b, const struct block_class *c, struct block_numbers *n,
                                       uint64_t start)
{
    if (__builtin_expect(b->anchored == b->reading_count, 0)) {
        b->offset = b->next_offset;
        next_anchor(b);
    }
    int64_t ns = (int64_t)((uint64_t)b->offset + start + next_bin(b, c, n));
    return ns < 0 ? 0 : ns;
}

static inline int64_t next_reading_exact(struct times_block *b, struct block_numbers *n, uint64_t start)
{
    b->offset = (int64_t)((uint64_t)b->offset + (uint64_t)unzigzag(take_number(b, *n->at[0]++)));
    return (int64_t)((uint64_t)b->offset + start);
}

/* Sets the reading of a call of C that starts at START. False if there is no such double. */
static bool next_reading(struct times_block *b, struct block_class *c, uint64_t start)
{
    int64_t correction = 0, ns;
    if (b->kind == TIMES_BINS) {
        ns = next_reading_bin(b, c, &c->readings, start);
    } else {
        ns = next_reading_exact(b, &c->readings, start);
        correction = unzigzag(take_number(b, *c->corrections.at[0]++));
    }
    if (ns < 0 || ns > READING_NS_MAX)
        return false;
    b->reading_count++;
    b->has_reading = true;
    return reading_corrected(reading_seconds(ns), correction, &b->reading);
}

enum pilgrim_status times_block_next(struct times_block *block, uint32_t class, uint64_t *start, uint64_t *end)
{
    uint32_t number = class < block->class_limit ? block->by_class[class] : NO_CLASS;
    if (block->is_damaged)
        return PILGRIM_DAMAGED;
    if (!block->left)
        return PILGRIM_END;
    block->is_damaged = true;
    block->has_reading = false;
    if (number == NO_CLASS || !block->classes[number].left)
        return PILGRIM_DAMAGED;
    struct block_class *c = &block->classes[number];
    uint64_t gap = 0, duration = 0;
    if (block->kind == TIMES_BINS) {
        gap = next_bin(block, c, &c->gaps);
        duration = next_bin(block, c, &c->durations);
    } else if (!next_exact(block, &c->gaps, &gap) || !next_exact(block, &c->durations, &duration)) {
        return PILGRIM_DAMAGED;
    }
    if (gap > TIMES_NS_MAX - block->end || duration > TIMES_NS_MAX - block->end - gap)
        return PILGRIM_DAMAGED;
    *start = block->end + gap;
    *end = block->end = *start + duration;
    if (__builtin_expect(c->reads, 0) && !next_reading(block, c, *start))
        return PILGRIM_DAMAGED;
    c->left--;
    block->left--;
    block->is_damaged = false;
    return PILGRIM_OK;
}

bool times_block_reading(const struct times_block *block, double *value)
{
    *value = block->reading;
    return block->has_reading && !block->is_damaged;
}
