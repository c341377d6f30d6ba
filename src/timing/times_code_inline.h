/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact times as codes and bits (docs/FORMAT.md, section 6).
 *
 * The code has the position of a time's highest bit and the three bits behind it; from 33 ms on the position only.
 * So it is one byte, and the bits that it leaves out are as good as random. */
#ifndef PILGRIM_TIMES_CODE_INLINE_H
#define PILGRIM_TIMES_CODE_INLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    CODE_MANTISSA_BITS = 3,
    CODE_COARSE = 184,     /* from this code on there is one code for each power of two, */
    CODE_COARSE_BITS = 25, /* beginning with 2^25 */
    CODE_END = 222,
    CODE_MEAN_SHIFT = 4
};

/* Returns the code of VALUE, which is below 2^63. *BITS: as times_code_bits. Has no branch that is hard to predict. */
static inline unsigned times_code(uint64_t value, unsigned *bits)
{
    const unsigned one = 1u << CODE_MANTISSA_BITS;
    unsigned highest = 63 - (unsigned)__builtin_clzll(value | one), shift = highest - CODE_MANTISSA_BITS;
    if (__builtin_expect(highest >= CODE_COARSE_BITS, 0)) {
        *bits = highest;
        return CODE_COARSE + highest - CODE_COARSE_BITS;
    }
    *bits = shift;
    return (shift << CODE_MANTISSA_BITS) + (unsigned)(value >> shift);
}

/* Returns the number of bits that CODE leaves out. */
static inline unsigned times_code_bits(unsigned code)
{
    if (code >= CODE_COARSE)
        return code - CODE_COARSE + CODE_COARSE_BITS;
    return code < 1u << CODE_MANTISSA_BITS ? 0 : (code >> CODE_MANTISSA_BITS) - 1;
}

/* Returns the smallest time with CODE, which is below CODE_END. */
static inline uint64_t times_code_value(unsigned code)
{
    const unsigned one = 1u << CODE_MANTISSA_BITS;
    if (code >= CODE_COARSE)
        return UINT64_C(1) << (code - CODE_COARSE + CODE_COARSE_BITS);
    return code < one ? code : (uint64_t)(one + (code & (one - 1))) << times_code_bits(code);
}

/* True if CODE is above the running mean of its class. Then adds CODE to the mean: *MEAN is 16 times the mean, and 0
 * before the first code of a section. */
static inline bool times_code_is_long(unsigned code, uint32_t *mean)
{
    uint32_t scaled = code << CODE_MEAN_SHIFT;
    if (!*mean)
        *mean = scaled;
    bool is_long = scaled > *mean;
    *mean += code - (*mean >> CODE_MEAN_SHIFT);
    return is_long;
}

/* ---- readings of a clock ---- */

#define READING_NS_MAX   ((INT64_C(1) << 62) - 1)
#define READING_BITS_END (INT64_C(1055) << 52) /* of the double 2^32: 136 years */

/* Returns the bits of VALUE. They are in the order of the doubles that are not negative. */
static inline int64_t reading_bits(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns NS, which is not negative, in seconds. All writers and readers compute the same double. */
static inline double reading_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* Sets *SUM to the double that is CORRECTION doubles above VALUE. False if that is no reading. */
static inline bool reading_corrected(double value, int64_t correction, double *sum)
{
    int64_t bits;
    if (__builtin_add_overflow(reading_bits(value), correction, &bits) || bits < 0 || bits >= READING_BITS_END)
        return false;
    memcpy(sum, &bits, sizeof bits);
    return true;
}

/* Returns the ns nearest to VALUE, which is a reading. */
static inline int64_t reading_ns(double value)
{
    return (int64_t)(value * 1e9 + 0.5);
}

#endif
