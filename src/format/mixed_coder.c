/* SPDX-License-Identifier: BSD-3-Clause */
/* Mixing of contexts; see mixed_coder.h. All is done in integers, so that every machine reads the same bits. */
#include "format/mixed_coder.h"

enum {
    STRETCH_MAX = 2047, /* a stretched probability: ln(p / (1 - p)) in 256ths */
    WEIGHT_FIRST = 19661,
    WEIGHT_BITS = 16,
    ERROR_BITS = 13,
    PREFIX_LIMIT = 4096 /* bits of a number behind a longer prefix have no contexts */
};

/* 65536 / (1 + e^(-i/2)) for i from -16 to 16. */
static const int32_t squashed[] = {22,    36,    60,    98,    162,   267,   439,   720,   1179,  1921,  3108,
                                   4971,  7812,  11955, 17625, 24743, 32768, 40793, 47911, 53581, 57724, 60565,
                                   62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514};

static int32_t squash(int64_t d)
{
    d = (d < -STRETCH_MAX ? -STRETCH_MAX : d > STRETCH_MAX ? STRETCH_MAX : d) + 2048;
    int32_t behind = (int32_t)(d & 127);
    return (squashed[d >> 7] * (128 - behind) + squashed[(d >> 7) + 1] * behind) >> 7;
}

void mixed_init(struct mixed_coder *m, bool one_set, struct range_encoder *out, struct range_decoder *in)
{
    m->out = out;
    m->in = in;
    m->one_set = one_set;
    for (unsigned i = 0; i < MIXED_FIELDS_MAX; i++)
        for (unsigned k = 0; k < MIXED_SETS * MIXED_INPUTS; k++)
            m->weights[i][k / MIXED_INPUTS][k % MIXED_INPUTS] = WEIGHT_FIRST;
    int16_t d = -STRETCH_MAX;
    for (int32_t i = 0; i < 1 << MIXED_STRETCH_BITS; i++) {
        while (d < STRETCH_MAX && squash(d) >> (16 - MIXED_STRETCH_BITS) < i)
            d++;
        m->stretch[i] = d;
    }
    contexts_init(m->places, sizeof m->places / sizeof *m->places);
}

/* ---- contexts ---- */

static uint64_t multiplied(uint64_t h)
{
    return h * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t mixed_hash(uint64_t h, uint64_t v)
{
    h = multiplied(h ^ v);
    return h ^ h >> 29;
}

static void hash_contexts(const struct mixed_context *x, uint64_t hashes[MIXED_INPUTS])
{
    hashes[0] = mixed_hash(0, x->field);
    hashes[1] = mixed_hash(hashes[0], x->kind);
    hashes[2] = mixed_hash(mixed_hash(hashes[1], 1), x->a);
    hashes[3] = mixed_hash(mixed_hash(hashes[1], 2), x->b);
    hashes[4] = mixed_hash(mixed_hash(mixed_hash(mixed_hash(hashes[1], 3), x->a), x->b), x->c);
}

/* ---- coding ---- */

static bool put_bit(struct mixed_coder *m, uint32_t one, bool bit)
{
    if (m->in)
        return decode_bit(m->in, one);
    if (m->out)
        encode_bit(m->out, one, bit);
    return bit;
}

static bool code_bit(struct mixed_coder *m, const uint64_t hashes[MIXED_INPUTS], uint64_t node, int64_t *weights,
                     bool bit)
{
    struct bit_context *inputs[MIXED_INPUTS];
    int64_t stretched[MIXED_INPUTS], sum = 0;
    for (unsigned i = 0; i < MIXED_INPUTS; i++) {
        inputs[i] = &m->places[multiplied(hashes[i] ^ node) >> (64 - MIXED_PLACE_BITS)];
        stretched[i] = m->stretch[inputs[i]->one >> (16 - MIXED_STRETCH_BITS)];
        sum += weights[i] * stretched[i];
    }
    int32_t one = squash(sum >> WEIGHT_BITS);
    one = one < ONE_MIN ? ONE_MIN : one > ONE_MAX ? ONE_MAX : one;
    bit = put_bit(m, (uint32_t)one, bit);
    int64_t error = (bit ? 65536 : 0) - one;
    for (unsigned i = 0; i < MIXED_INPUTS; i++) {
        weights[i] += stretched[i] * error >> ERROR_BITS;
        context_learn(inputs[i], bit);
    }
    return bit;
}

uint64_t mixed_number(struct mixed_coder *m, const struct mixed_context *x, uint64_t value)
{
    uint64_t hashes[MIXED_INPUTS], prefix = 1;
    int64_t(*sets)[MIXED_INPUTS] = m->weights[x->field];
    unsigned wanted = value ? 64 - (unsigned)__builtin_clzll(value) : 0, k = 0;
    hash_contexts(x, hashes);
    while (k < 64 && code_bit(m, hashes, k, sets[k > 0 && !m->one_set], k < wanted))
        k++;
    for (unsigned i = k; i > 1; i--) {
        bool bit = value >> (i - 2) & 1;
        if (prefix < PREFIX_LIMIT)
            bit = code_bit(m, hashes, (uint64_t)k << 12 | prefix, sets[m->one_set ? 0 : 2], bit);
        else
            bit = put_bit(m, ONE_HALF, bit);
        prefix = prefix << 1 | bit;
    }
    return k ? prefix : 0;
}

uint64_t mixed_bits(struct mixed_coder *m, unsigned count, uint64_t value)
{
    if (m->in)
        return decode_bits(m->in, count);
    if (m->out)
        encode_bits(m->out, count, value);
    return value;
}
