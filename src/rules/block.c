/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of packed terminals; see block.h. */
#include "rules/block.h"

/* ---- reading ---- */

static enum pilgrim_status refuse(struct cursor *c)
{
    if (c->status == PILGRIM_OK)
        c->status = PILGRIM_DAMAGED;
    return c->status;
}

static bool good_width(const struct block *b)
{
    if (b->planes)
        return b->width >= 8 && b->width <= BLOCK_PLANES_WIDTH_MAX && b->width % 8 == 0;
    return b->width >= 1 && b->width <= BLOCK_WIDTH_MAX;
}

enum pilgrim_status block_parse(struct cursor *c, struct block *b)
{
    uint64_t count = cursor_varint(c);
    uint8_t form = cursor_u8(c);
    *b = (struct block){.base = cursor_svarint(c),
                        .width = form >> BLOCK_FORM_BITS,
                        .planes = form & BLOCK_PLANES,
                        .sums = form & BLOCK_SUMS};
    if (c->status != PILGRIM_OK || count < BLOCK_COUNT_MIN || count > BLOCK_COUNT_MAX || !good_width(b))
        return refuse(c);
    b->count = (uint32_t)count;
    size_t bytes = block_bytes(b), over = bytes * 8 - (size_t)b->count * b->width;
    b->numbers = cursor_take(c, bytes);
    if (!b->numbers || b->numbers[bytes - 1] >> (8 - over) != 0)
        return refuse(c);
    return PILGRIM_OK;
}

size_t block_marks(const struct block *b)
{
    return b->sums ? 0 : (b->count + BLOCK_STRIDE - 1) / BLOCK_STRIDE;
}

enum pilgrim_status block_check(struct block *b, uint64_t *marks)
{
    uint64_t sum = 0;
    b->marks = b->sums ? NULL : marks;
    b->rises = b->increases = true;
    for (struct block_walk w = block_begin(b); w.at < w.end;) {
        if (!b->sums && w.at % BLOCK_STRIDE == 0)
            b->marks[w.at / BLOCK_STRIDE] = sum;
        uint64_t terminal = block_next(&w);
        if (terminal >= BLOCK_TERMINAL_LIMIT)
            return PILGRIM_DAMAGED;
        b->limit = terminal + 1 > b->limit ? terminal + 1 : b->limit;
        b->rises = b->rises && (terminal & 1) == 0 && terminal >> 1 <= (uint64_t)INT64_MAX - sum;
        b->increases = b->increases && b->rises && terminal > 0;
        sum += (uint64_t)unzigzag(terminal);
    }
    b->sum = (int64_t)sum;
    return PILGRIM_OK;
}

/* ---- sums ---- */

uint64_t block_sum(const struct block *b, uint32_t count)
{
    if (count == b->count)
        return (uint64_t)b->sum;
    if (b->sums)
        return count > 0 ? block_value(b, count - 1) : 0;
    uint32_t i = count / BLOCK_STRIDE * BLOCK_STRIDE;
    uint64_t sum = b->marks[i / BLOCK_STRIDE];
    for (; i < count; i++)
        sum += (uint64_t)unzigzag(block_value(b, i));
    return sum;
}

bool block_find_sum(const struct block *b, uint64_t sum, uint32_t *count)
{
    uint32_t low = 0,
             high = b->sums ? b->count : (b->count - 1) / BLOCK_STRIDE; /* in numbers of terminals, or in marks */
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if ((b->sums ? block_sum(b, middle) : b->marks[middle]) <= sum)
            low = middle;
        else
            high = middle - 1;
    }
    *count = b->sums ? low : low * BLOCK_STRIDE;
    uint64_t at = block_sum(b, *count);
    while (!b->sums && at < sum && *count < b->count)
        at += (uint64_t)unzigzag(block_value(b, (*count)++));
    return at == sum;
}

/* ---- writing ---- */

/* The numbers to pack, one after another. */
struct block_source {
    const uint64_t *terminals;
    bool sums;
    uint64_t sum;
};

static uint64_t source_next(struct block_source *s, uint32_t i)
{
    if (!s->sums)
        return s->terminals[i];
    s->sum += (uint64_t)unzigzag(s->terminals[i]);
    return s->sum;
}

static void put_bits(uint8_t *to, struct block_source s, const struct block *b)
{
    enum { TAKE_MAX = 32 };
    uint64_t word = 0; /* bits not written yet; at most 7 between two numbers */
    unsigned filled = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        uint64_t number = source_next(&s, i) - (uint64_t)b->base;
        for (unsigned left = b->width, take; left > 0; left -= take) {
            take = left < TAKE_MAX ? left : TAKE_MAX;
            word |= (number & ((UINT64_C(1) << take) - 1)) << filled;
            number >>= take;
            for (filled += take; filled >= 8; filled -= 8, word >>= 8)
                *to++ = (uint8_t)word;
        }
    }
    if (filled > 0)
        *to = (uint8_t)word;
}

static void put_planes(uint8_t *to, struct block_source s, const struct block *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        uint64_t number = source_next(&s, i) - (uint64_t)b->base;
        for (unsigned k = 0; k < b->width / 8u; k++)
            to[(size_t)k * b->count + i] = (uint8_t)(number >> (8 * k));
    }
}

/* Sets base and width. False: a number is too wide. */
static bool fit(struct block *b, struct block_source s)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < b->count; i++) {
        int64_t value = (int64_t)source_next(&s, i);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    uint64_t range = (uint64_t)high - (uint64_t)low;
    unsigned width = 1;
    while (width < 64 && range >> width != 0)
        width++;
    if (b->planes)
        width = (width + 7) / 8 * 8;
    b->base = low;
    b->width = (uint8_t)width;
    return good_width(b);
}

bool block_put(struct bytes *out, const uint64_t *terminals, uint32_t count, bool planes, bool sums)
{
    struct block b = {.count = count, .planes = planes, .sums = sums};
    const struct block_source s = {.terminals = terminals, .sums = sums};
    size_t start = out->length;
    if (out->failed || !fit(&b, s))
        return false;
    bytes_put_varint(out, 0);
    bytes_put_varint(out, count);
    bytes_put_u8(out, (uint8_t)(b.width << BLOCK_FORM_BITS | (planes ? BLOCK_PLANES : 0) | (sums ? BLOCK_SUMS : 0)));
    bytes_put_svarint(out, b.base);
    uint8_t *to = bytes_reserve(out, block_bytes(&b));
    if (!to) {
        out->length = start;
        return false;
    }
    (planes ? put_planes : put_bits)(to, s, &b);
    out->length += block_bytes(&b);
    return true;
}
