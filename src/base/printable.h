/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts from a trace, as they may be printed: no byte of a file may command a terminal, or show a line as another one.
 */
#ifndef PILGRIM_PRINTABLE_H
#define PILGRIM_PRINTABLE_H

#include <stddef.h>

enum { PRINTABLE_MAX = 8 }; /* bytes of a character as it may be printed, with a NUL: \uXXXX, or 4 bytes of UTF-8 */

/* Writes the first character of TEXT to SHOWN, with a NUL behind it. It stands there as it is, but as \uXXXX if it is a
 * control character, one that separates lines, or one that turns the direction of writing; a byte that is not UTF-8 is
 * \u00XX.
 * length:  bytes of TEXT, 1 or more
 * Returns how many bytes of TEXT the character has. */
size_t printable_next(const char *text, size_t length, char shown[PRINTABLE_MAX]);

/* Writes TEXT, as it may be printed, to TO, which has SIZE bytes, 1 or more; what does not fit is left out. TEXT ends
 * with a NUL. */
void printable_copy(char *to, size_t size, const char *text);

#endif
