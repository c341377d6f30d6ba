/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline comparison of short byte strings that are mostly equal. It looks at all bytes before it decides, without early
 * exits. */
#ifndef PILGRIM_EQUAL_INLINE_H
#define PILGRIM_EQUAL_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline uint64_t word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* The result of comparing 16 bytes. Equal bytes give all ones with SSE2, and 0 without. */
#ifdef __SSE2__

typedef __m128i equal_16;

static inline equal_16 compare_16(const uint8_t *a, const uint8_t *b)
{
    return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
                          _mm_loadu_si128((const __m128i *)(const void *)b));
}

static inline equal_16 both_equal(equal_16 x, equal_16 y)
{
    return _mm_and_si128(x, y);
}

static inline bool all_equal(equal_16 x)
{
    return _mm_movemask_epi8(x) == 0xffff;
}

#else

typedef uint64_t equal_16;

static inline equal_16 compare_16(const uint8_t *a, const uint8_t *b)
{
    return (word_at(a) ^ word_at(b)) | (word_at(a + 8) ^ word_at(b + 8));
}

static inline equal_16 both_equal(equal_16 x, equal_16 y)
{
    return x | y;
}

static inline bool all_equal(equal_16 x)
{
    return x == 0;
}

#endif

static inline equal_16 compare_32(const uint8_t *a, const uint8_t *b)
{
    return both_equal(compare_16(a, b), compare_16(a + 16, b + 16));
}

/* True if the COUNT bytes at A and B are equal. The last vector overlaps the one before it, so no bytes are left to
 * compare one by one. */
static inline bool equal_bytes(const void *a, const void *b, size_t count)
{
    const uint8_t *x = a, *y = b;
    if (count >= 32) {
        equal_16 so_far = compare_32(x + count - 32, y + count - 32);
        for (size_t i = 0; i < count - 32; i += 32)
            so_far = both_equal(so_far, compare_32(x + i, y + i));
        return all_equal(so_far);
    }
    if (count >= 16)
        return all_equal(both_equal(compare_16(x, y), compare_16(x + count - 16, y + count - 16)));
    if (count >= 8)
        return !((word_at(x) ^ word_at(y)) | (word_at(x + count - 8) ^ word_at(y + count - 8)));
    for (; count; count--)
        if (*x++ != *y++)
            return false;
    return true;
}

#endif
