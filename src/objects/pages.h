/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the tables of this folder, straight from the kernel.
 *
 * These tables are used inside malloc and free, and hold the names of what malloc returned: they must neither
 * call the allocator nor be followed by it. 64-bit systems only. Any thread. errno is kept. */
#ifndef PILGRIM_PAGES_H
#define PILGRIM_PAGES_H

#include <stddef.h>

/* Zeroed memory of BYTES (rounded up to pages by the kernel), or NULL. Untouched pages cost address space only. */
void *pages_take(size_t bytes);

/* PAGES, of BEFORE bytes, as BYTES (more), possibly elsewhere; what is new is zero. NULL: PAGES is as it was. */
void *pages_grow(void *pages, size_t before, size_t bytes);

void pages_give(void *pages, size_t bytes); /* NULL is legal */

#endif
