/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the tables of this folder, straight from the kernel.
 *
 * These tables are used inside malloc and free, and hold names of what malloc returned. So they must not call the
 * allocator, and their memory must not be followed. 64-bit systems only. Any thread. errno is unchanged. */
#ifndef PILGRIM_PAGES_H
#define PILGRIM_PAGES_H

#include <stddef.h>

/* Returns zeroed memory of BYTES (the kernel rounds up to pages); NULL: none. Pages that are never touched take
 * address space only. */
void *pages_take(size_t bytes);

/* Enlarges PAGES from BEFORE to BYTES, possibly at another address; the new part is zero. NULL: PAGES is as it was. */
void *pages_grow(void *pages, size_t before, size_t bytes);

/* Gives PAGES, of BYTES, back to the kernel. PAGES may be NULL. */
void pages_give(void *pages, size_t bytes);

#endif
