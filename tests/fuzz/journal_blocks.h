/* SPDX-License-Identifier: BSD-3-Clause */
/* A mutator for journals (journal/journal_format.h). It changes records, statistics, keys and the words of threads and
 * processes, and mends check bytes, so that what is behind them is reached. */
#ifndef TESTS_FUZZ_JOURNAL_BLOCKS_H
#define TESTS_FUZZ_JOURNAL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* Changes the journal of LENGTH bytes at DATA, which has room for MAX bytes. Returns the new length. As
 * LLVMFuzzerCustomMutator. */
size_t journal_mutate(uint8_t *data, size_t length, size_t max, unsigned seed);

#endif
