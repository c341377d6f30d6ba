/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits names of hosts and switches into text and numbers, so that names that differ in a number share their text.
 * "node0012" is "node" and -10012.
 *
 * A group of digits without leading zeros is its number, 0 or more. A group with leading zeros is negative: its
 * magnitude has the same digits behind a 1. A group of more than NAME_DIGITS_MAX digits stays text. */
#ifndef PILGRIM_NAME_PIECES_H
#define PILGRIM_NAME_PIECES_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_DIGITS_MAX = 18, NAME_NUMBER_DIGITS_MAX = 19 };

struct name_piece {
    const char *text; /* points into the name; NULL: the piece is digits */
    size_t length;    /* bytes of the piece, 1 or more */
    int64_t number;   /* value of the digits */
};

/* Returns the first piece of NAME. LENGTH: bytes of the whole name, 1 or more. */
struct name_piece name_piece(const char *name, size_t length);

/* Writes the digits that NUMBER stands for, without a terminator, and returns how many they are. */
size_t name_digits(int64_t number, char digits[NAME_NUMBER_DIGITS_MAX]);

#endif
