/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates what loops take in the trace, compared with the grammar that they stand for; see loops_size.h. The file is
 * compressed in the end, and a grammar compresses better than loops do, so compressed sizes are compared. A sequence of
 * trips counts with the shortest of its possible forms. */
#include "loops/loops_size.h"

#include "base/compressed.h"
#include "base/intern.h"

enum {
    GROUP_CLASS_BYTES = 8, /* the group class of a loop, its values and columns */
    BLOCK_BYTES = 6,       /* header of a block */
    VALUES_MAX = 1 << 22,  /* values in sequences that are compressed to know their sizes */
    GAIN_MIN = 64          /* bytes that loops have to save, or an eighth of the grammar if that is more */
};

struct sizing {
    struct compressor compressor;
    struct intern stored_deltas; /* sequences counted already */
    uint64_t values;             /* values in the sequences that were compressed */
    bool failed;
};

/* Appends the sums of the items' values, from *SUM on, as two planes of bytes: the low bytes to LOW, the next ones to
 * HIGH. */
static void put_sums(const struct nested_run *items, size_t count, int64_t *sum, struct bytes *low, struct bytes *high)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].exponent & NESTED_RUN_BEGIN) {
            size_t size = (size_t)items[i].value;
            uint64_t times = items[i + size + 1].exponent & ~NESTED_RUN_END;
            for (; times > 0; times--)
                put_sums(&items[i + 1], size, sum, low, high);
            i += size + 1;
            continue;
        }
        for (uint64_t k = items[i].exponent; k > 0; k--) {
            *sum += items[i].value;
            bytes_put_u8(low, (uint8_t)*sum);
            bytes_put_u8(high, (uint8_t)(*sum >> 8));
        }
    }
}

static size_t values_bytes(struct sizing *s, const struct loops_loop *l)
{
    struct bytes low = {0}, high = {0};
    int64_t sum = 0;
    put_sums(l->differences.items, l->differences.count, &sum, &low, &high);
    s->values += l->count;
    size_t total = low.failed || high.failed ? SIZE_MAX : BLOCK_BYTES;
    if (total != SIZE_MAX)
        total += compressed_length(&s->compressor, low.data, low.length);
    if (total != SIZE_MAX && l->range > UINT8_MAX)
        total += compressed_length(&s->compressor, high.data, high.length);
    bytes_free(&low);
    bytes_free(&high);
    return total;
}

static size_t trips_bytes(struct sizing *s, const struct loops_loop *l, const struct bytes *packed)
{
    unsigned width = l->range ? 64 - (unsigned)__builtin_clzll(l->range) : 0;
    uint64_t block = l->count / 8 * width + BLOCK_BYTES;
    size_t least = compressed_length(&s->compressor, packed->data, packed->length);
    if (block < least)
        least = (size_t)block;
    bool few = l->range <= UINT16_MAX && l->count <= VALUES_MAX - s->values;
    size_t values = few ? values_bytes(s, l) : SIZE_MAX;
    return values < least ? values : least;
}

static size_t loop_bytes(struct sizing *s, const struct loops_loop *l)
{
    struct bytes packed = {0};
    size_t total = l->body.length + GROUP_CLASS_BYTES;
    uint32_t known = s->stored_deltas.count, number;
    nested_runs_pack(&l->differences, &packed);
    if (bytes_status(&packed) != PILGRIM_OK ||
        intern_add(&s->stored_deltas, packed.data, packed.length, &number) != PILGRIM_OK)
        s->failed = true;
    else if (s->stored_deltas.count > known)
        total += trips_bytes(s, l, &packed);
    bytes_free(&packed);
    return total;
}

static size_t all_bytes(struct sizing *s, const struct loops *l)
{
    size_t total = l->top.length;
    for (uint32_t i = 0; i < l->count && !s->failed; i++)
        total += loop_bytes(s, &l->items[i]);
    return s->failed ? SIZE_MAX : total;
}

static void sizing_free(struct sizing *s)
{
    compressor_free(&s->compressor);
    intern_free(&s->stored_deltas);
}

size_t loops_bytes(const struct loops *l)
{
    struct sizing s = {0};
    size_t total = all_bytes(&s, l);
    sizing_free(&s);
    return total;
}

/* Returns the size of L. *BEFORE: the size of DATA. */
static size_t compare(const struct loops *l, const void *data, size_t length, size_t *before)
{
    struct sizing s = {0};
    size_t total = all_bytes(&s, l);
    *before = compressed_length(&s.compressor, data, length);
    sizing_free(&s);
    return total;
}

bool loops_pay(const struct loops *l, const void *data, size_t length)
{
    size_t before, total = compare(l, data, length, &before);
    size_t gain = before / 8 > GAIN_MIN ? before / 8 : GAIN_MIN;
    return before > gain && total <= before - gain;
}

bool loops_may_pay(const struct loops *l, const void *data, size_t length)
{
    size_t before, total = compare(l, data, length, &before);
    return total <= before + before / 4;
}
