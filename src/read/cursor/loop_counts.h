/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the calls of a thread whose structure group has loops. */
#ifndef PILGRIM_LOOP_COUNTS_H
#define PILGRIM_LOOP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "pilgrim/reader.h"

/* Sets *COUNT to the number of calls of the thread in SEGMENT. False: the thread is damaged. */
bool loops_call_count(const struct pilgrim_trace *trace, uint32_t segment, uint32_t rank, uint32_t thread,
                      uint64_t *count);

#endif
