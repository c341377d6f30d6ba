/* SPDX-License-Identifier: BSD-3-Clause */
/* A mutator for files that consist of sections: a head, then sections with checksums (docs/FORMAT.md, 2). It changes
 * the contents and puts right checksums around them, so that what is behind the checksums is reached. */
#ifndef TESTS_FUZZ_SECTIONS_H
#define TESTS_FUZZ_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Changes the file of LENGTH bytes at DATA, which has room for MAX bytes and a head of HEAD bytes. Returns the new
 * length. As LLVMFuzzerCustomMutator. */
size_t sections_mutate(uint8_t *data, size_t length, size_t max, unsigned seed, size_t head);

/* Makes a file from parts of two, as LLVMFuzzerCustomCrossOver. */
size_t sections_cross(const uint8_t *one, size_t one_length, const uint8_t *other, size_t other_length, uint8_t *out,
                      size_t max, unsigned seed, size_t head);

#endif
