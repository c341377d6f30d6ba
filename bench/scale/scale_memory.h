/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory is allocated, and the most there was: of the whole program, its libraries included (zstd's working
 * memory counts).
 *
 * The allocator's functions are defined here and call the C library's by their other names. One thread only. */
#ifndef PILGRIM_SCALE_MEMORY_H
#define PILGRIM_SCALE_MEMORY_H

#include <stddef.h>

/* Returns the bytes allocated, with the allocator's own. */
size_t memory_live(void);

/* Returns the most since memory_mark. */
size_t memory_peak(void);
void memory_mark(void);

#endif
