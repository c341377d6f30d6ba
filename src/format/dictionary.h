/* SPDX-License-Identifier: BSD-3-Clause */
/* What most definitions have in common. Both are part of the format: they do not change. */
#ifndef PILGRIM_DICTIONARY_H
#define PILGRIM_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

/* The lines of dictionary.txt, a 0 byte at the end of each: words that definitions use. Most traces are so small
 * that they hardly repeat a name. It has not changed since version 2 of the format. */
extern const char dictionary[];
extern const size_t dictionary_length;

/* A definitions section's content, from which the coder of definitions learns (example.hex); and that for sections of
 * type 10 (example-10.hex). */
extern const uint8_t definitions_example[], definitions_example_10[];
extern const size_t definitions_example_length, definitions_example_10_length;

#endif
