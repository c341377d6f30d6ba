/* SPDX-License-Identifier: BSD-3-Clause */
/* An adaptive binary range coder: a likely bit takes less than a bit.
 *
 * It is for small sections with many kinds of numbers, where a general compressor has too little to learn from
 * (docs/FORMAT.md, section 6, "The profile"). The method is Martin's range coding (1979), a bit at a time. A context
 * learns how likely a bit is. It learns in smaller steps the more it has seen. */
#ifndef PILGRIM_RANGE_CODER_H
#define PILGRIM_RANGE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* The probability of one bit: from ONE_MIN to ONE_MAX, of 65536. */
enum { ONE_MIN = 64, ONE_MAX = 65472, ONE_HALF = 32768 };

struct bit_context {
    uint16_t one; /* probability of a 1, of 65536 */
    uint8_t seen; /* bits so far, up to a limit */
};

enum { NUMBER_BITS = 63 };

/* The contexts of one kind of numbers. */
struct number_context {
    struct bit_context length[NUMBER_BITS + 1], high[NUMBER_BITS + 1], sign;
};

/* Makes COUNT contexts new. */
void contexts_init(struct bit_context *contexts, size_t count);

/* The same for a struct that consists of contexts. */
#define CONTEXTS_INIT(model) contexts_init((struct bit_context *)(model), sizeof *(model) / sizeof(struct bit_context))

enum { CONTEXT_SEEN_MAX = 30 };
extern const uint32_t context_shares[CONTEXT_SEEN_MAX + 1];

/* Makes a BIT more likely in C: by 1 / (seen + 1.5) of what is left to certainty. The quotient is multiplied for,
 * because this is most of the work of coding, and dividing takes long. */
static inline void context_learn(struct bit_context *c, bool bit)
{
    uint32_t one = c->one, left = bit ? 65536 - one : one;
    uint32_t step = (uint32_t)((uint64_t)(2 * left) * context_shares[c->seen] >> 32);
    one = bit ? one + step : one - step;
    c->one = (uint16_t)(one < ONE_MIN ? ONE_MIN : one > ONE_MAX ? ONE_MAX : one);
    c->seen = (uint8_t)(c->seen + (c->seen < CONTEXT_SEEN_MAX));
}

/* Appends coded bits to `out`. */
struct range_encoder {
    uint32_t low, high;
    struct bytes *out;
    size_t begin; /* where they begin in `out` */
};

void encoder_init(struct range_encoder *e, struct bytes *out);
void encode_bit(struct range_encoder *e, uint32_t one, bool bit); /* ONE: probability of a 1, 64 to 65472 of 65536 */
void encode_flag(struct range_encoder *e, struct bit_context *context, bool bit);
void encode_bits(struct range_encoder *e, unsigned count, uint64_t value); /* without a context; COUNT is at most 63 */
void encode_number(struct range_encoder *e, struct number_context *context, uint64_t value); /* below 2^63 - 1 */
void encode_difference(struct range_encoder *e, struct number_context *context, int64_t value);
void encoder_end(struct range_encoder *e); /* must be last; the decoder reads 0s behind the end */

/* Reads coded bits. There are bits without end behind the last one, so the caller bounds what it reads. */
struct range_decoder {
    uint32_t low, high, value;
    const uint8_t *data; /* borrowed */
    size_t length, position;
    bool damaged; /* a number was too long; all numbers from there on are 0 */
};

void decoder_init(struct range_decoder *d, const void *data, size_t length);
bool decode_bit(struct range_decoder *d, uint32_t one);
bool decode_flag(struct range_decoder *d, struct bit_context *context);
uint64_t decode_bits(struct range_decoder *d, unsigned count);
uint64_t decode_number(struct range_decoder *d, struct number_context *context);
int64_t decode_difference(struct range_decoder *d, struct number_context *context);

#endif
