/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: a malloc that replaces the C library's, as those that look for mistakes do, and that has no
 * aligned_alloc. It ends the process when a block is freed that is not its own. */
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Stands before each block. */
struct mark {
    uint64_t magic;
    size_t size;
    void *whole; /* as the C library gave it */
    void *unused;
};

static const uint64_t magic = 0x9116717600d5eedu;

void *__libc_malloc(size_t size);
void __libc_free(void *p);

EXPORT void *memalign(size_t alignment, size_t size)
{
    size_t least = alignment < _Alignof(max_align_t) ? _Alignof(max_align_t) : alignment;
    char *whole = __libc_malloc(size + sizeof(struct mark) + least);
    if (!whole)
        return NULL;
    uintptr_t at = ((uintptr_t)whole + sizeof(struct mark) + least - 1) / least * least;
    struct mark mark = {.magic = magic, .size = size, .whole = whole};
    memcpy((char *)at - sizeof mark, &mark, sizeof mark);
    return (void *)at;
}

static struct mark mark_of(const void *p)
{
    static const char said[] = "fence: a block that is not of this malloc\n";
    struct mark mark;
    memcpy(&mark, (const char *)p - sizeof mark, sizeof mark);
    if (mark.magic != magic) {
        (void)!write(2, said, sizeof said - 1);
        abort();
    }
    return mark;
}

EXPORT void *malloc(size_t size)
{
    return memalign(1, size);
}

EXPORT void free(void *p)
{
    if (p)
        __libc_free(mark_of(p).whole);
}

EXPORT void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *p = memalign(1, bytes); /* gcc makes calloc of malloc and memset */
    return p ? memset(p, 0, bytes) : NULL;
}

EXPORT void *realloc(void *p, size_t size)
{
    size_t before = p ? mark_of(p).size : 0;
    void *q = malloc(size);
    if (p && q) {
        memcpy(q, p, before < size ? before : size);
        free(p);
    }
    return q;
}

EXPORT int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *found = memalign(alignment, size);
    if (!found)
        return ENOMEM;
    *p = found;
    return 0;
}
