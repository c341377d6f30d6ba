/* SPDX-License-Identifier: BSD-3-Clause */
/* Says in words which ranks are in a set, where they are the edge of a grid or what is within: "the first 8 of every
 * 64". Ranks on a grid are counted along one dimension after the other, so a rank's place along one is a digit of its
 * number: (rank / step) mod extent. */
#ifndef DECODER_RANK_WORDS_H
#define DECODER_RANK_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_DIGITS_MAX = 3 };

/* The ranks whose digit is the first or the last, or neither, or is not the first, or not the last. */
struct rank_digit {
    uint32_t step, extent; /* extent: 2 at least */
    uint32_t from, until;  /* the digits that are in the set */
};

/* Finds digits so that of ranks 0 to WORLD - 1 those are in the set, IN, that have all of these digits, COUNT in all.
 * Returns how many digits there are; 0: there are none, or memory is out. */
size_t rank_words_find(const bool *in, uint32_t world, uint32_t count, struct rank_digit digits[RANK_DIGITS_MAX]);

/* Writes "the first 8 of every 64", "not the last of every 8, the first 64". */
void rank_words_write(const struct rank_digit *digits, size_t count, uint32_t world, char *text, size_t size);

#endif
