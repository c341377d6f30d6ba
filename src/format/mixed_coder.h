/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes numbers whose neighbours say much about them, for tables that are too small for a general compressor
 * (docs/FORMAT.md, section 4, "Coded calls").
 *
 * Each bit has a context of the number's field, and others that know more of its neighbours. A context that knows more
 * is right more often, but learns later. So all of them are asked, and their answers are added with weights that the
 * field learns, too: logistic mixing (Mahoney, "Adaptive weighing of context models for lossless data compression",
 * 2005). How much the answers are worth depends on what the bit is, so each field has some sets of weights. */
#ifndef PILGRIM_MIXED_CODER_H
#define PILGRIM_MIXED_CODER_H

#include "format/range_coder.h"

enum {
    MIXED_INPUTS = 5,
    MIXED_SETS = 3, /* of weights: for the first bit of a number's length, its other bits, and the bits behind it */
    MIXED_FIELDS_MAX = 32,
    MIXED_PLACE_BITS = 18, /* there are 2^18 places for contexts */
    MIXED_STRETCH_BITS = 12
};

/* What is known of a number before it is read. */
struct mixed_context {
    unsigned field; /* below MIXED_FIELDS_MAX */
    uint64_t kind;  /* of numbers in this field */
    uint64_t a, b, c;
};

struct mixed_coder {
    struct range_encoder *out;
    struct range_decoder *in; /* both are NULL: bits are known already, and only learnt */
    bool one_set;             /* all bits of a field have the first set */
    int64_t weights[MIXED_FIELDS_MAX][MIXED_SETS][MIXED_INPUTS];
    int16_t stretch[1 << MIXED_STRETCH_BITS];
    struct bit_context places[1 << MIXED_PLACE_BITS];
};

/* Returns a hash of H and V, for what contexts depend on. */
uint64_t mixed_hash(uint64_t h, uint64_t v);

/* OUT and IN are borrowed; one of them is NULL, or both for now. ONE_SET: as sections of types 7, 10 and 11 are. */
void mixed_init(struct mixed_coder *m, bool one_set, struct range_encoder *out, struct range_decoder *in);

/* Codes VALUE; or decodes a number, whatever VALUE is. Returns the number. */
uint64_t mixed_number(struct mixed_coder *m, const struct mixed_context *x, uint64_t value);

/* Codes the lowest COUNT bits of VALUE, 63 at most, without contexts; or decodes them. Returns them. */
uint64_t mixed_bits(struct mixed_coder *m, unsigned count, uint64_t value);

#endif
