/* SPDX-License-Identifier: BSD-3-Clause */
#include "scale_memory.h"

#include <malloc.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

static size_t live, peak;

static void added(void *p)
{
    live += p ? malloc_usable_size(p) + sizeof(size_t) : 0;
    if (live > peak)
        peak = live;
}

static void removed(void *p)
{
    live -= p ? malloc_usable_size(p) + sizeof(size_t) : 0;
}

void *malloc(size_t size)
{
    void *p = __libc_malloc(size);
    added(p);
    return p;
}

void *calloc(size_t count, size_t size)
{
    void *p = __libc_calloc(count, size);
    added(p);
    return p;
}

void *realloc(void *before, size_t size)
{
    size_t had = before ? malloc_usable_size(before) + sizeof(size_t) : 0;
    void *p = __libc_realloc(before, size);
    if (p || !size)
        live -= had;
    added(p);
    return p;
}

void free(void *p)
{
    removed(p);
    __libc_free(p);
}

size_t memory_live(void)
{
    return live;
}

size_t memory_peak(void)
{
    return peak;
}

void memory_mark(void)
{
    peak = live;
}
