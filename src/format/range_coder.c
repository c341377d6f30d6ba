/* SPDX-License-Identifier: BSD-3-Clause */
/* Range coding; see range_coder.h. Encoder and decoder narrow the same interval [low, high]. */
#include "format/range_coder.h"

#include <string.h>

/* By `seen`: 2^32 / (2 x seen + 3), rounded up. */
#define SHARE(seen)       (uint32_t)((UINT64_C(1) << 32) / (2 * (seen) + 3) + 1)
#define FIVE_SHARES(seen) SHARE(seen), SHARE(seen + 1), SHARE(seen + 2), SHARE(seen + 3), SHARE(seen + 4)
const uint32_t context_shares[CONTEXT_SEEN_MAX + 1] = {
    FIVE_SHARES(0), FIVE_SHARES(5), FIVE_SHARES(10), FIVE_SHARES(15), FIVE_SHARES(20), FIVE_SHARES(25), SHARE(30)};

void contexts_init(struct bit_context *contexts, size_t count)
{
    if (count)
        contexts[0] = (struct bit_context){.one = ONE_HALF};
    for (size_t made = 1; made < count; made *= 2) /* there may be 2^18 */
        memcpy(contexts + made, contexts, (made < count - made ? made : count - made) * sizeof *contexts);
}

static uint32_t middle(uint32_t low, uint32_t high, uint32_t one)
{
    return low + (uint32_t)((uint64_t)(high - low) * one >> 16);
}

static bool same_byte(uint32_t a, uint32_t b)
{
    return (a ^ b) >> 24 == 0;
}

/* ---- encoder ---- */

void encoder_init(struct range_encoder *e, struct bytes *out)
{
    *e = (struct range_encoder){.high = UINT32_MAX, .out = out, .begin = out->length};
}

void encode_bit(struct range_encoder *e, uint32_t one, bool bit)
{
    uint32_t m = middle(e->low, e->high, one);
    if (bit)
        e->high = m;
    else
        e->low = m + 1;
    while (same_byte(e->low, e->high)) {
        bytes_put_u8(e->out, (uint8_t)(e->high >> 24));
        e->low <<= 8;
        e->high = e->high << 8 | 0xff;
    }
}

void encode_flag(struct range_encoder *e, struct bit_context *context, bool bit)
{
    encode_bit(e, context->one, bit);
    context_learn(context, bit);
}

void encode_bits(struct range_encoder *e, unsigned count, uint64_t value)
{
    while (count-- > 0)
        encode_bit(e, ONE_HALF, value >> count & 1);
}

void encode_number(struct range_encoder *e, struct number_context *context, uint64_t value)
{
    unsigned k = 63 - (unsigned)__builtin_clzll(value + 1);
    for (unsigned i = 0; i < k; i++)
        encode_flag(e, &context->length[i], true);
    encode_flag(e, &context->length[k], false);
    if (k == 0)
        return;
    encode_flag(e, &context->high[k], (value + 1) >> (k - 1) & 1);
    encode_bits(e, k - 1, value + 1);
}

void encode_difference(struct range_encoder *e, struct number_context *context, int64_t value)
{
    encode_number(e, context, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value != 0)
        encode_flag(e, &context->sign, value < 0);
}

/* Writes the shortest number of the interval, without 0s at its end. `low` and `high` differ in their first byte. */
void encoder_end(struct range_encoder *e)
{
    if (e->low > 0)
        bytes_put_u8(e->out, (uint8_t)((e->low >> 24) + 1));
    while (e->out->length > e->begin && e->out->data[e->out->length - 1] == 0)
        e->out->length--;
}

/* ---- decoder ---- */

static uint8_t next_byte(struct range_decoder *d)
{
    return d->position < d->length ? d->data[d->position++] : 0;
}

void decoder_init(struct range_decoder *d, const void *data, size_t length)
{
    *d = (struct range_decoder){.high = UINT32_MAX, .data = data, .length = length};
    for (unsigned i = 0; i < 4; i++)
        d->value = d->value << 8 | next_byte(d);
}

bool decode_bit(struct range_decoder *d, uint32_t one)
{
    uint32_t m = middle(d->low, d->high, one);
    bool bit = d->value <= m;
    if (bit)
        d->high = m;
    else
        d->low = m + 1;
    while (same_byte(d->low, d->high)) {
        d->low <<= 8;
        d->high = d->high << 8 | 0xff;
        d->value = d->value << 8 | next_byte(d);
    }
    return bit;
}

bool decode_flag(struct range_decoder *d, struct bit_context *context)
{
    bool bit = decode_bit(d, context->one);
    context_learn(context, bit);
    return bit;
}

uint64_t decode_bits(struct range_decoder *d, unsigned count)
{
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 1 | decode_bit(d, ONE_HALF);
    return value;
}

uint64_t decode_number(struct range_decoder *d, struct number_context *context)
{
    unsigned k = 0;
    while (k <= NUMBER_BITS && decode_flag(d, &context->length[k]))
        k++;
    d->damaged |= k > NUMBER_BITS;
    if (k == 0 || d->damaged)
        return 0;
    uint64_t high = 2 | decode_flag(d, &context->high[k]);
    return (high << (k - 1) | decode_bits(d, k - 1)) - 1;
}

int64_t decode_difference(struct range_decoder *d, struct number_context *context)
{
    uint64_t magnitude = decode_number(d, context);
    return (int64_t)(magnitude != 0 && decode_flag(d, &context->sign) ? 0 - magnitude : magnitude);
}
