/* SPDX-License-Identifier: BSD-3-Clause */
/* An adaptive binary range coder: what is likely takes less than a bit. For small sections of many kinds of numbers,
 * where a general compressor has too little to learn from (docs/FORMAT.md, section 6, "The profile").
 *
 * A context learns how likely a bit is; the steps become smaller as it has seen more. */
#ifndef PILGRIM_RANGE_CODER_H
#define PILGRIM_RANGE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* One bit's probability. */
struct bit_context {
    uint16_t one; /* of 65536: that the bit is 1 */
    uint8_t seen; /* bits, up to a limit */
};

enum { NUMBER_BITS = 63 };

/* Numbers of one kind. */
struct number_context {
    struct bit_context length[NUMBER_BITS + 1], high[NUMBER_BITS + 1], sign;
};

/* COUNT contexts that have seen nothing. */
void contexts_init(struct bit_context *contexts, size_t count);

/* The same, for a structure that consists of them alone. */
#define CONTEXTS_INIT(model) contexts_init((struct bit_context *)(model), sizeof *(model) / sizeof(struct bit_context))

/* Writes coded bits behind OUT's end. */
struct range_encoder {
    uint32_t low, high;
    struct bytes *out;
    size_t begin; /* in OUT */
};

void encoder_init(struct range_encoder *e, struct bytes *out);
void encode_flag(struct range_encoder *e, struct bit_context *context, bool bit);
void encode_bits(struct range_encoder *e, unsigned count, uint64_t value); /* without a context; at most 63 */
void encode_number(struct range_encoder *e, struct number_context *context, uint64_t value); /* below 2^63 - 1 */
void encode_difference(struct range_encoder *e, struct number_context *context, int64_t value);
void encoder_end(struct range_encoder *e); /* what is behind the last byte reads as 0 */

/* Reads them. Behind the end there are bits without end, so who reads bounds what is read. */
struct range_decoder {
    uint32_t low, high, value;
    const uint8_t *data; /* borrowed */
    size_t length, position;
    bool damaged; /* a number was too long; all numbers are 0 from there on */
};

void decoder_init(struct range_decoder *d, const void *data, size_t length);
bool decode_flag(struct range_decoder *d, struct bit_context *context);
uint64_t decode_bits(struct range_decoder *d, unsigned count);
uint64_t decode_number(struct range_decoder *d, struct number_context *context);
int64_t decode_difference(struct range_decoder *d, struct number_context *context);

#endif
