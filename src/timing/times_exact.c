/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder of exact times; see times.h. It stores a time as a code, which is a byte of its column, and bits
 * (times_code_inline.h). */
#include <string.h>

#include "base/try.h"
#include "timing/times_inline.h"

#define SPAN_BITS_BYTES_MAX 32 /* of both times of a call, and of its reading */
#define PUT_BITS            56 /* at once, behind up to 7 that are held */
/* Bits that are being written. It is a copy of T's, so that it stays in registers. */
struct bit_writer {
    uint64_t held;
    unsigned count;
    uint8_t *at;
};

/* Writes the COUNT lowest bits of VALUE, whose other bits are 0. COUNT is at most PUT_BITS. Only whole bytes are
 * added, but 8 bytes of the room are overwritten. */
static inline void bits_put_some(struct bit_writer *w, uint64_t value, unsigned count)
{
    uint64_t held = w->held | value << w->count;
    count += w->count;
    uint64_t little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? held : __builtin_bswap64(held);
    memcpy(w->at, &little_endian, sizeof little_endian);
    w->at += count / 8;
    w->held = held >> (count & ~7u);
    w->count = count & 7;
}

static inline void bits_put(struct bit_writer *w, uint64_t value, unsigned count)
{
    if (__builtin_expect(count > PUT_BITS, 0)) {
        bits_put_some(w, value & 0xff, 8);
        value >>= 8;
        count -= 8;
    }
    bits_put_some(w, value, count);
}

/* Appends VALUE's code to the column of N that *IS_HIGH chooses, and sets *IS_HIGH for the next code. *REST is what
 * the code leaves out, *BITS its length. */
static inline enum pilgrim_status put_code(struct class_numbers *n, bool *is_high, uint64_t value, uint64_t *rest,
                                           unsigned *bits)
{
    unsigned code = times_code(value, bits);
    struct number_column *column = &n->of[*is_high];
    *rest = value & ((UINT64_C(1) << *bits) - 1);
    *is_high = times_code_is_long(code, &n->mean);
    return number_column_put(column, code);
}

static inline enum pilgrim_status add_exact(struct bit_writer *w, struct class_times *c, bool *is_high, uint64_t gap,
                                            uint64_t duration)
{
    uint64_t gap_rest, rest;
    unsigned gap_bits, bits;
    TRY(put_code(&c->gaps, is_high, gap, &gap_rest, &gap_bits));
    TRY(put_code(&c->durations, is_high, duration, &rest, &bits));
    if (__builtin_expect(gap_bits + bits > PUT_BITS, 0)) {
        bits_put(w, gap_rest, gap_bits);
        bits_put(w, rest, bits);
    } else {
        bits_put_some(w, gap_rest | rest << gap_bits, gap_bits + bits);
    }
    return PILGRIM_OK;
}

/* Appends VALUE's code to COLUMN, and writes the bits that it leaves out. */
static enum pilgrim_status put_whole(struct bit_writer *w, struct number_column *column, int64_t value)
{
    uint64_t number = zigzag(value);
    unsigned bits;
    if (number > TIMES_NS_MAX)
        return PILGRIM_INVALID;
    unsigned code = times_code(number, &bits);
    bits_put(w, number & ((UINT64_C(1) << bits) - 1), bits);
    return number_column_put(column, code);
}

/* Returns the ns that stand for VALUE: those that are expected if they give the same double, else the nearest ones. */
static int64_t choose_ns(double value, uint64_t expected)
{
    return expected <= READING_NS_MAX && reading_seconds((int64_t)expected) == value ? (int64_t)expected
                                                                                     : reading_ns(value);
}

static __attribute__((noinline)) enum pilgrim_status
add_exact_reading(struct bit_writer *w, struct times *t, struct class_times *c, const struct span *s, double value)
{
    struct clock_readings *r = &t->readings;
    int64_t change = 0, correction = 0;
    if (is_reading(value)) {
        int64_t ns = choose_ns(value, (uint64_t)r->offset + s->start);
        int64_t offset = (int64_t)((uint64_t)ns - s->start);
        change = (int64_t)((uint64_t)offset - (uint64_t)r->offset);
        correction = reading_bits(value) - reading_bits(reading_seconds(ns));
        r->offset = offset;
    }
    r->count++;
    TRY(put_whole(w, &c->readings, change));
    return put_whole(w, &c->corrections, correction);
}

enum pilgrim_status times_add_exact(struct times *t, const struct span *spans, const double *readings, size_t count)
{
    uint8_t *bits = bytes_reserve(&t->bits, (count + 1) * SPAN_BITS_BYTES_MAX);
    if (!bits)
        return PILGRIM_NOMEM;
    struct bit_writer w = {t->held, t->held_count, bits};
    uint64_t end = t->end;
    bool is_high = t->is_high;
    for (const struct span *s = spans; s < spans + count; s++) {
        if (!is_span(t, s, end))
            return PILGRIM_INVALID;
        struct class_times *c = &t->classes[s->class];
        TRY(add_exact(&w, c, &is_high, s->start - end, s->end - s->start));
        if (__builtin_expect(c->reads, 0))
            TRY(add_exact_reading(&w, t, c, s, readings[s - spans]));
        end = s->end;
    }
    t->bits.length += (size_t)(w.at - bits);
    t->held = w.held;
    t->held_count = w.count;
    t->end = end;
    t->is_high = is_high;
    return PILGRIM_OK;
}
