/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts that are in files of their own; see dictionary.h. */
#include "format/dictionary.h"

const char dictionary[] =
#include "dictionary.inc"
    ;
const size_t dictionary_length = sizeof dictionary - 1;

const uint8_t definitions_example[] = {
#include "example.inc"
};
const size_t definitions_example_length = sizeof definitions_example;

const uint8_t definitions_example_10[] = {
#include "example-10.inc"
};
const size_t definitions_example_10_length = sizeof definitions_example_10;
