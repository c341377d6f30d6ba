/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory from the kernel; see pages.h. Makes system calls instead of calling mmap(), which alloc.c interposes. */
#define _GNU_SOURCE 1
#include "objects/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *returned(long result, int saved_errno)
{
    errno = saved_errno;
    return result == -1 ? NULL : (void *)(uintptr_t)result;
}

void *pages_take(size_t bytes)
{
    int saved = errno;
    long result =
        syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    /* These areas are large and sparse: most of a huge page would be zero. */
    if (result != -1)
        (void)syscall(SYS_madvise, result, bytes, MADV_NOHUGEPAGE);
    return returned(result, saved);
}

void *pages_grow(void *pages, size_t before, size_t bytes)
{
    int saved = errno;
    return returned(syscall(SYS_mremap, pages, before, bytes, MREMAP_MAYMOVE), saved);
}

void pages_give(void *pages, size_t bytes)
{
    int saved = errno;
    if (pages)
        (void)syscall(SYS_munmap, pages, bytes);
    errno = saved;
}
