/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of hosts and switches in pieces: text, and groups of digits as numbers, so that names which differ in a number
 * are alike but for it. "node0012" is "node" and -10012.
 *
 * A group of digits that decimal notation has is its number, 0 or more. One with zeros in front is negative: its
 * magnitude has the same digits behind a 1. Groups of more than NAME_DIGITS_MAX digits stay text. */
#ifndef PILGRIM_NAME_PIECES_H
#define PILGRIM_NAME_PIECES_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_DIGITS_MAX = 18, NAME_NUMBER_DIGITS_MAX = 19 };

struct name_piece {
    const char *text; /* into the name; NULL: digits */
    size_t length;    /* bytes of the name that this is, 1 or more */
    int64_t number;   /* what the digits are */
};

/* The piece that NAME begins with; LENGTH, 1 or more: of the whole name. */
struct name_piece name_piece(const char *name, size_t length);

/* Writes the digits that NUMBER stands for, not terminated, and returns how many. */
size_t name_digits(int64_t number, char digits[NAME_NUMBER_DIGITS_MAX]);

#endif
