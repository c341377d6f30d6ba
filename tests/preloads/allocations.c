/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload, before libpilgrim.so, that counts the memory that is asked for from within libpilgrim.so between two calls
 * of allocations_mark: by malloc and its like, mmap, and the system calls below them. What MPI or the program ask for
 * does not count. At the second call it prints `allocations N`, and for each place that asked its address in
 * libpilgrim.so and how often. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "next.h"

enum { PLACES = 64 };

#define CALLER ((uintptr_t)__builtin_return_address(0))

void allocations_mark(bool begins);

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_bool counting;
static atomic_ulong total;
static uintptr_t base, begin, end; /* where libpilgrim.so is loaded, and its code */
static struct place {
    _Atomic uintptr_t address;
    atomic_ulong count;
} places[PLACES];

static void count(uintptr_t caller)
{
    if (!atomic_load(&counting) || caller < begin || caller >= end)
        return;
    atomic_fetch_add(&total, 1);
    for (int i = 0; i < PLACES; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&places[i].address, &none, caller) || none == caller) {
            atomic_fetch_add(&places[i].count, 1);
            return;
        }
    }
}

static int find_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (!strstr(info->dlpi_name, "libpilgrim.so"))
        return 0;
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
            begin = base + segment->p_vaddr;
            end = begin + segment->p_memsz;
        }
    }
    return 1;
}

void allocations_mark(bool begins)
{
    if (begins) {
        dl_iterate_phdr(find_library, NULL);
        atomic_store(&counting, true);
        return;
    }
    atomic_store(&counting, false);
    printf(begin ? "allocations %lu\n" : "there is no libpilgrim.so\n", atomic_load(&total));
    for (int i = 0; i < PLACES && atomic_load(&places[i].address); i++)
        printf("  %lu at 0x%lx\n", atomic_load(&places[i].count),
               (unsigned long)(atomic_load(&places[i].address) - base));
}

/* NEXT(type, name): the next library's function, called as TYPE. */
#define NEXT(type, name) ((type)next(&name##_next, #name))

static void *malloc_next, *calloc_next, *realloc_next, *aligned_alloc_next, *posix_memalign_next, *mmap_next,
    *mmap64_next, *syscall_next;

void *malloc(size_t size)
{
    count(CALLER);
    void *(*f)(size_t) = NEXT(void *(*)(size_t), malloc);
    return f ? f(size) : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    count(CALLER);
    void *(*f)(size_t, size_t) = NEXT(void *(*)(size_t, size_t), calloc);
    return f ? f(number, size) : __libc_calloc(number, size);
}

void *realloc(void *p, size_t size)
{
    count(CALLER);
    void *(*f)(void *, size_t) = NEXT(void *(*)(void *, size_t), realloc);
    return f ? f(p, size) : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count(CALLER);
    void *(*f)(size_t, size_t) = NEXT(void *(*)(size_t, size_t), aligned_alloc);
    return f ? f(alignment, size) : __libc_memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    count(CALLER);
    int (*f)(void **, size_t, size_t) = NEXT(int (*)(void **, size_t, size_t), posix_memalign);
    return f ? f(p, alignment, size) : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    count(CALLER);
    void *(*f)(void *, size_t, int, int, int, off_t) = NEXT(void *(*)(void *, size_t, int, int, int, off_t), mmap);
    return f ? f(address, length, protection, flags, file, offset) : MAP_FAILED;
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset)
{
    count(CALLER);
    void *(*f)(void *, size_t, int, int, int, off64_t) =
        NEXT(void *(*)(void *, size_t, int, int, int, off64_t), mmap64);
    return f ? f(address, length, protection, flags, file, offset) : MAP_FAILED;
}

/* All take six arguments and leave those that they do not know: so no one has to know how many there are. */
long syscall(long number, ...)
{
    va_list list;
    long a[6];
    if (number == SYS_mmap || number == SYS_mremap || number == SYS_brk)
        count(CALLER);
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    long (*f)(long, ...) = NEXT(long (*)(long, ...), syscall);
    return f ? f(number, a[0], a[1], a[2], a[3], a[4], a[5]) : -1;
}
