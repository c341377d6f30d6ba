/* SPDX-License-Identifier: BSD-3-Clause */
/* Compresses contents of parts; see compress_parts.h. An estimate of the entropy (Shannon, 1948) decides which parts
 * get tables of their own. */
#include "format/compress_parts.h"

#include <zstd_errors.h>

/* Costs of a table of symbols, estimated. */
#define TABLE_BYTES        10
#define TABLE_SYMBOL_BYTES 1

#define BLOCK_HEAD_BYTES 16

enum pilgrim_status compressor_error(size_t code)
{
    return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation ? PILGRIM_NOMEM : PILGRIM_LIMIT;
}

/* Appends to OUT the frame's next bytes, for CONTENT from *START to END. Moves *START. */
static enum pilgrim_status compress_part(ZSTD_CCtx *context, const struct bytes *content, size_t *start, size_t end,
                                         ZSTD_EndDirective directive, struct bytes *out)
{
    ZSTD_inBuffer in = {content->data, end, *start};
    for (size_t left = 1; left;) {
        size_t room = ZSTD_compressBound(in.size - in.pos) + BLOCK_HEAD_BYTES;
        uint8_t *to = bytes_reserve(out, room);
        if (!to)
            return PILGRIM_NOMEM;
        ZSTD_outBuffer part = {to, room, 0};
        left = ZSTD_compressStream2(context, &part, &in, directive);
        if (ZSTD_isError(left))
            return compressor_error(left);
        out->length += part.pos;
    }
    *start = end;
    return PILGRIM_OK;
}

/* How often each byte occurs. */
struct histogram {
    uint64_t total;
    uint32_t of[256];
};

static void histogram_count(struct histogram *h, const uint8_t *data, size_t length)
{
    enum { TURNS = 4 }; /* several counters, so that equal neighbours do not wait for each other */
    uint32_t of[TURNS][256] = {{0}};
    size_t whole = length - length % TURNS;
    for (size_t i = 0; i < whole; i += TURNS)
        for (unsigned k = 0; k < TURNS; k++)
            of[k][data[i + k]]++;
    for (size_t i = whole; i < length; i++)
        of[0][data[i]]++;
    h->total = length;
    for (unsigned i = 0; i < 256; i++) {
        h->of[i] = 0;
        for (unsigned k = 0; k < TURNS; k++)
            h->of[i] += of[k][i];
    }
}

static void histogram_add(struct histogram *h, const struct histogram *more)
{
    h->total += more->total;
    for (unsigned i = 0; i < 256; i++)
        h->of[i] += more->of[i];
}

/* Returns about 2^16 x log2(n): a parabola between powers of two. In integers, so that every machine makes the same
 * file. */
static uint64_t scaled_log2(uint64_t n)
{
    unsigned whole = 63 - (unsigned)__builtin_clzll(n);
    uint64_t rest = whole < 16 ? n << (16 - whole) : n >> (whole - 16);
    rest -= 1 << 16;
    return ((uint64_t)whole << 16) + rest + ((rest * ((1 << 16) - rest) >> 16) * 22713 >> 16);
}

/* Estimates the bytes that the symbols and their table take. */
static uint64_t histogram_cost(const struct histogram *h)
{
    uint64_t bits = 0, symbols = 0, all = scaled_log2(h->total);
    for (unsigned i = 0; i < 256; i++)
        if (h->of[i]) {
            bits += h->of[i] * (all - scaled_log2(h->of[i]));
            symbols++;
        }
    uint64_t bytes = (bits >> 19) + TABLE_BYTES + TABLE_SYMBOL_BYTES * symbols;
    return bytes < h->total ? bytes : h->total;
}

enum pilgrim_status compress_parts(ZSTD_CCtx *context, const struct bytes *content, const size_t *ends, size_t count,
                                   struct bytes *out)
{
    struct histogram before = {0}, part;
    uint64_t cost_before = 0;
    size_t start = 0, at = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t end = i < count ? ends[i] : content->length;
        if (end == at)
            continue;
        histogram_count(&part, content->data + at, end - at);
        uint64_t cost = histogram_cost(&part), cost_apart = cost_before + cost;
        histogram_add(&before, &part);
        cost_before = histogram_cost(&before);
        if (at > start && cost_apart < cost_before) {
            enum pilgrim_status status = compress_part(context, content, &start, at, ZSTD_e_flush, out);
            if (status != PILGRIM_OK)
                return status;
            before = part;
            cost_before = cost;
        }
        at = end;
    }
    return compress_part(context, content, &start, content->length, ZSTD_e_end, out);
}
