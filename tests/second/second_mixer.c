/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of coded sections, from docs/FORMAT.md alone (section 4, "Coded calls"; section 6, "Coded bits"): a trace
 * has millions of their bits, which take Python two thirds of the time to decode it. second_coded.py loads this. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    EVEN = 32768,
    LEAST = 64,
    MOST = 65472,
    LEARNT_MAX = 30,
    STRETCH_MAX = 2047,
    PLACE_BITS = 18,
    FIRST_WEIGHT = 19661,
    PREFIX_END = 4096,
    FIELDS = 26,
    SETS = 3,
    INPUTS = 5,
};

static const uint64_t multiplier = 0x9e3779b97f4a7c15;
static const int32_t squashed[] = {22,    36,    60,    98,    162,   267,   439,   720,   1179,  1921,  3108,
                                   4971,  7812,  11955, 17625, 24743, 32768, 40793, 47911, 53581, 57724, 60565,
                                   62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514};
static int16_t stretched[4096]; /* by P / 16 */

/* What reads or writes bits. Reading, DATA are the SIZE bytes to read, of which AT were taken; behind them come bytes
 * of 0. Writing, AT bytes have been put into DATA, which has room for SIZE; those that it has no room for are only
 * counted. */
struct coder {
    uint8_t *data;
    size_t size, at;
    uint32_t low, high, x;
    int writes;
};

struct mixer {
    struct {
        uint16_t p, learnt;
    } places[1 << PLACE_BITS];
    int64_t weights[FIELDS][SETS][INPUTS];
    int sets;
};

int mixer_squash(int d);
int mixer_stretch(int p);
size_t mixer_size(void);
void mixer_begin(struct mixer *m, int sets);
int coder_bit(struct coder *c, int bit, unsigned p);
uint64_t mixer_number(struct mixer *m, struct coder *c, uint64_t value, unsigned field, uint64_t kind, uint64_t a,
                      uint64_t b, uint64_t n);

int mixer_squash(int d)
{
    d = (d < -STRETCH_MAX ? -STRETCH_MAX : d > STRETCH_MAX ? STRETCH_MAX : d) + 2048;
    return (squashed[d / 128] * (128 - d % 128) + squashed[d / 128 + 1] * (d % 128)) / 128;
}

static void __attribute__((constructor)) stretched_begin(void)
{
    int d = -STRETCH_MAX;

    for (int p = 0; p < 4096; p++) {
        while (d < STRETCH_MAX && mixer_squash(d) / 16 < p)
            d++;
        stretched[p] = (int16_t)d;
    }
}

int mixer_stretch(int p)
{
    return stretched[p / 16];
}

size_t mixer_size(void)
{
    return sizeof(struct mixer);
}

/* SETS: of weights a field has, 3, or 1 for sections of older types. */
void mixer_begin(struct mixer *m, int sets)
{
    for (size_t i = 0; i < (size_t)1 << PLACE_BITS; i++) {
        m->places[i].p = EVEN;
        m->places[i].learnt = 0;
    }
    for (size_t i = 0; i < sizeof m->weights / sizeof(int64_t); i++)
        (&m->weights[0][0][0])[i] = FIRST_WEIGHT;
    m->sets = sets;
}

/* Codes a bit that is 1 with probability P of 65536; returns it. Without C, BIT is known, and nothing is coded. */
int coder_bit(struct coder *c, int bit, unsigned p)
{
    uint32_t middle;

    if (c == NULL)
        return bit;
    middle = c->low + (uint32_t)((uint64_t)(c->high - c->low) * p >> 16);
    if (!c->writes)
        bit = c->x <= middle;
    if (bit)
        c->high = middle;
    else
        c->low = middle + 1;
    while ((c->low ^ c->high) >> 24 == 0) {
        if (!c->writes)
            c->x = c->x << 8 | (c->at < c->size ? c->data[c->at] : 0);
        else if (c->at < c->size)
            c->data[c->at] = (uint8_t)(c->low >> 24);
        c->at++;
        c->low <<= 8;
        c->high = c->high << 8 | 255;
    }
    return bit;
}

static int mixed(struct mixer *m, struct coder *c, int bit, const uint64_t *hashes, uint64_t node, int64_t *weights)
{
    size_t places[INPUTS];
    int64_t inputs[INPUTS], sum = 0, error;
    int q;

    for (int i = 0; i < INPUTS; i++) {
        places[i] = (size_t)((hashes[i] ^ node) * multiplier >> (64 - PLACE_BITS));
        inputs[i] = stretched[m->places[places[i]].p / 16];
        sum += weights[i] * inputs[i];
    }
    sum >>= 16;
    q = mixer_squash(sum < -STRETCH_MAX ? -STRETCH_MAX : sum > STRETCH_MAX ? STRETCH_MAX : (int)sum);
    q = q < LEAST ? LEAST : q > MOST ? MOST : q;
    bit = coder_bit(c, bit, (unsigned)q);
    error = 65536 * bit - q;
    for (int i = 0; i < INPUTS; i++) { /* two of the places may be the same */
        int p = m->places[places[i]].p, learnt = m->places[places[i]].learnt;
        int step = 2 * (bit ? 65536 - p : p) / (2 * learnt + 3);

        weights[i] += inputs[i] * error >> 13;
        p += bit ? step : -step;
        m->places[places[i]].p = (uint16_t)(p < LEAST ? LEAST : p > MOST ? MOST : p);
        m->places[places[i]].learnt = (uint16_t)(learnt < LEARNT_MAX ? learnt + 1 : learnt);
    }
    return bit;
}

static uint64_t with(uint64_t h, uint64_t v)
{
    uint64_t y = (h ^ v) * multiplier;

    return y ^ y >> 29;
}

/* Codes a number with the neighbours A, B and N; returns it. VALUE has no meaning when it is read. */
uint64_t mixer_number(struct mixer *m, struct coder *c, uint64_t value, unsigned field, uint64_t kind, uint64_t a,
                      uint64_t b, uint64_t n)
{
    uint64_t h = with(0, field), k = with(h, kind);
    uint64_t hashes[INPUTS] = {h, k, with(with(k, 1), a), with(with(k, 2), b), with(with(with(with(k, 3), a), b), n)};
    uint64_t prefix = 1;
    int length = 0, bits = value == 0 ? 0 : 64 - __builtin_clzll(value);

    while (length < 64 &&
           mixed(m, c, length < bits, hashes, (uint64_t)length, m->weights[field][m->sets == 1 ? 0 : length > 0]))
        length++;
    for (int i = length - 2; i >= 0; i--) {
        int bit = value >> i & 1;

        if (prefix < PREFIX_END)
            bit = mixed(m, c, bit, hashes, 4096 * (uint64_t)length + prefix, m->weights[field][m->sets == 1 ? 0 : 2]);
        else
            bit = coder_bit(c, bit, EVEN);
        prefix = 2 * prefix + (uint64_t)bit;
    }
    return length > 0 ? prefix : 0;
}
