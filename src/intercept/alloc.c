/* SPDX-License-Identifier: BSD-3-Clause */
/* malloc and its family, interposed: each calls the next library's function and tells heap.c.
 *
 * These functions run before any constructor, inside the loader and in every thread, so nothing must have to be set
 * up for them. The next functions are looked up at the first call. That look-up may itself allocate; it is then
 * served from a small arena, whose memory is never freed. errno is the next function's.
 *
 * heap.c learns of memory that is given up before the call that frees it, because afterwards another thread may have
 * the memory.
 *
 * PILGRIM_STATIC is for libpilgrim.a, which becomes a part of the program. There may be no next library to look in,
 * so these functions replace the C library's own and call them by their other names. Mapped memory is not followed
 * then, because mmap has no other name in a shared C library.
 *
 * The file is longer than 400 lines: it is one short wrapper after another. */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "libc_version.h"
#include "intercept/interpose.h"
#include "objects/heap.h"
#include "pilgrim/status.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The functions that ours call. */
struct functions {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    void *(*mmap64)(void *, size_t, int, int, int, off64_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    void *(*shmat)(int, const void *, int);
    int (*shmdt)(const void *);
};

#ifdef PILGRIM_STATIC

/* ---- the C library's own functions ---- */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);
void *__libc_memalign(size_t, size_t);
void *__libc_valloc(size_t);
void *__libc_pvalloc(size_t);

static int aligned(void **p, size_t alignment, size_t size)
{
    int saved = errno;
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || !alignment)
        return EINVAL;
    void *memory = __libc_memalign(alignment, size);
    errno = saved;
    if (!memory)
        return ENOMEM;
    *p = memory;
    return 0;
}

static const struct functions next = {
    .malloc = __libc_malloc,
    .calloc = __libc_calloc,
    .realloc = __libc_realloc,
    .free = __libc_free,
    .aligned_alloc = __libc_memalign,
    .posix_memalign = aligned,
    .memalign = __libc_memalign,
    .valloc = __libc_valloc,
    .pvalloc = __libc_pvalloc,
};

static inline bool next_known(void)
{
    return true;
}

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

static inline void *arena_take(size_t size)
{
    (void)size;
    return none();
}

static inline bool in_arena(const void *p)
{
    (void)p;
    return false;
}

#else

/* ---- the next functions ---- */

static struct functions next;

static atomic_bool ready; /* `next` is complete */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool resolving;

static void next_set(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* Looks the next functions up. Two threads may do this at the same time: both write the same. False: called from
 * within the look-up. */
static __attribute__((noinline)) bool resolve(void)
{
    if (resolving)
        return false;
    int saved = errno;
    resolving = true;
    next_set(&next.malloc, "malloc");
    next_set(&next.calloc, "calloc");
    next_set(&next.realloc, "realloc");
    next_set(&next.free, "free");
    next_set(&next.aligned_alloc, "aligned_alloc");
    next_set(&next.posix_memalign, "posix_memalign");
    next_set(&next.memalign, "memalign");
    next_set(&next.valloc, "valloc");
    next_set(&next.pvalloc, "pvalloc");
    next_set(&next.mmap, "mmap");
    next_set(&next.mmap64, "mmap64");
    next_set(&next.munmap, "munmap");
    next_set(&next.mremap, "mremap");
    next_set(&next.shmat, "shmat");
    next_set(&next.shmdt, "shmdt");
    resolving = false;
    atomic_store_explicit(&ready, true, memory_order_release);
    errno = saved;
    return true;
}

static inline bool next_known(void)
{
    return !UNLIKELY(!atomic_load_explicit(&ready, memory_order_acquire)) || resolve();
}

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

/* ---- the arena for the look-up itself ---- */

static struct {
    _Alignas(16) char bytes[16384];
    atomic_size_t used;
} arena;

/* Returns a zeroed block. The 16 bytes before it hold its size. */
static void *arena_take(size_t size)
{
    if (size > sizeof arena.bytes)
        return none();
    size_t whole = 16 + ((size + 15) & ~(size_t)15);
    size_t at = atomic_fetch_add(&arena.used, whole);
    if (at + whole > sizeof arena.bytes)
        return none();
    memcpy(arena.bytes + at, &size, sizeof size);
    return arena.bytes + at + 16;
}

static inline bool in_arena(const void *p)
{
    return (uintptr_t)p - (uintptr_t)arena.bytes < sizeof arena.bytes;
}

#endif

static inline void *followed(void *p)
{
    if (memory_followed && p)
        heap_allocated(p);
    return p;
}

/* True if there is none of the WANTED bytes, but others gave some back: try again. */
static __attribute__((noinline, cold)) bool is_given(size_t wanted)
{
    int error = errno;
    bool given = wanted && heap_short_hook && heap_short_hook(wanted);
    errno = error;
    return given;
}

/* P, or what CALL returns now. */
#define AGAIN(p, wanted, call) (UNLIKELY(!(p)) && is_given(wanted) ? (call) : (p))

/* ---- the functions ---- */

PILGRIM_API void *malloc(size_t size)
{
    if (UNLIKELY(!next_known()))
        return arena_take(size);
    if (!next.malloc)
        return none();
    void *p = next.malloc(size);
    return followed(AGAIN(p, size, next.malloc(size)));
}

PILGRIM_API void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (UNLIKELY(!next_known()))
        return __builtin_mul_overflow(count, size, &bytes) ? none() : arena_take(bytes);
    if (!next.calloc)
        return none();
    void *p = next.calloc(count, size);
    if (UNLIKELY(!p) && !__builtin_mul_overflow(count, size, &bytes) && is_given(bytes))
        p = next.calloc(count, size);
    return followed(p);
}

PILGRIM_API void free(void *p)
{
    if (!p || UNLIKELY(in_arena(p)) || UNLIKELY(!next_known()))
        return;
    if (memory_followed)
        heap_freed(p);
    if (next.free)
        next.free(p);
}

/* Moves a block out of the arena. */
static __attribute__((noinline)) void *realloc_early(void *p, size_t size)
{
    void *q = malloc(size);
    size_t before = 0;
    if (p && q) {
        memcpy(&before, (char *)p - 16, sizeof before);
        memcpy(q, p, before < size ? before : size);
    }
    return q;
}

PILGRIM_API void *realloc(void *p, size_t size)
{
    if (UNLIKELY(in_arena(p)) || UNLIKELY(!next_known()))
        return realloc_early(p, size);
    if (!next.realloc)
        return none();
    if (!p || !memory_followed) {
        void *r = next.realloc(p, size);
        r = AGAIN(r, size, next.realloc(p, size));
        return p ? r : followed(r);
    }
    uintptr_t before = (uintptr_t)p;
    int64_t id = heap_suspended(p);
    void *q = next.realloc(p, size);
    q = AGAIN(q, size, next.realloc(p, size));
    bool failed = !q && size; /* a size of 0 may have freed it */
    if (failed || (uintptr_t)q == before) {
        heap_resumed((const void *)before, id);
    } else {
        heap_resumed(NULL, id);
        if (q)
            heap_allocated(q);
    }
    return q;
}

PILGRIM_API void *reallocarray(void *p, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? none() : realloc(p, bytes);
}

PILGRIM_API void *aligned_alloc(size_t alignment, size_t size)
{
    if (!next_known() || !next.aligned_alloc)
        return none();
    void *p = next.aligned_alloc(alignment, size);
    return followed(AGAIN(p, size, next.aligned_alloc(alignment, size)));
}

PILGRIM_API int posix_memalign(void **p, size_t alignment, size_t size)
{
    if (!next_known() || !next.posix_memalign)
        return ENOMEM;
    int error = next.posix_memalign(p, alignment, size);
    if (UNLIKELY(error == ENOMEM) && is_given(size))
        error = next.posix_memalign(p, alignment, size);
    if (error == 0)
        (void)followed(*p);
    return error;
}

PILGRIM_API void *memalign(size_t alignment, size_t size)
{
    return next_known() && next.memalign ? followed(next.memalign(alignment, size)) : none();
}

PILGRIM_API void *valloc(size_t size)
{
    return next_known() && next.valloc ? followed(next.valloc(size)) : none();
}

PILGRIM_API void *pvalloc(size_t size)
{
    return next_known() && next.pvalloc ? followed(next.pvalloc(size)) : none();
}

#ifndef PILGRIM_STATIC

/* ---- mapped memory: see interpose.h ---- */

PILGRIM_API void *followed_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
PILGRIM_API void *followed_mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset);
PILGRIM_API int followed_munmap(void *address, size_t length);
PILGRIM_API void *followed_mremap(void *address, size_t before, size_t length, int flags, ...);
PILGRIM_API void *followed_shmat(int segment, const void *wanted, int flags);
PILGRIM_API int followed_shmdt(const void *address);

INTERPOSE(mmap, LIBC_VERSION);
INTERPOSE(mmap64, LIBC_VERSION);
INTERPOSE(munmap, LIBC_VERSION);
INTERPOSE(mremap, LIBC_VERSION);
INTERPOSE(shmat, LIBC_VERSION);
INTERPOSE(shmdt, LIBC_VERSION);

static size_t whole_pages(size_t length)
{
    size_t page = (size_t)getpagesize();
    return (length + page - 1) / page * page;
}

static void *mapped(void *p, size_t length)
{
    if (memory_followed && p != MAP_FAILED)
        heap_mapped(p, whole_pages(length));
    return p;
}

PILGRIM_API void *followed_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if (!next_known() || !next.mmap) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *p = next.mmap(address, length, protection, flags, file, offset);
    if (UNLIKELY(p == MAP_FAILED) && errno == ENOMEM && is_given(length))
        p = next.mmap(address, length, protection, flags, file, offset);
    return mapped(p, length);
}

PILGRIM_API void *followed_mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset)
{
    if (!next_known() || !next.mmap64) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *p = next.mmap64(address, length, protection, flags, file, offset);
    if (UNLIKELY(p == MAP_FAILED) && errno == ENOMEM && is_given(length))
        p = next.mmap64(address, length, protection, flags, file, offset);
    return mapped(p, length);
}

PILGRIM_API int followed_munmap(void *address, size_t length)
{
    if (!next_known() || !next.munmap) {
        errno = ENOMEM;
        return -1;
    }
    uint64_t made = memory_followed ? heap_mappings_made() : 0;
    int result = next.munmap(address, length);
    if (memory_followed && result == 0)
        heap_unmapped_old(address, whole_pages(length), made);
    return result;
}

PILGRIM_API void *followed_mremap(void *address, size_t before, size_t length, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    if (!next_known() || !next.mremap) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    uint64_t made = memory_followed ? heap_mappings_made() : 0;
    void *p = next.mremap(address, before, length, flags, wanted);
    if (memory_followed && p != MAP_FAILED)
        heap_unmapped_old(address, whole_pages(before), made);
    return mapped(p, length);
}

PILGRIM_API void *followed_shmat(int segment, const void *wanted, int flags)
{
    if (!next_known() || !next.shmat) {
        errno = ENOMEM;
        return (void *)-1;
    }
    void *p = next.shmat(segment, wanted, flags);
    struct shmid_ds state;
    int saved = errno;
    if (memory_followed && p != (void *)-1 && shmctl(segment, IPC_STAT, &state) == 0)
        heap_mapped(p, whole_pages(state.shm_segsz));
    errno = saved;
    return p;
}

/* shmdt does not say how many bytes go, and fails for what shmat did not attach. So the mapping is noted before the
 * call and removed after it, unless something else lies there by then. */
PILGRIM_API int followed_shmdt(const void *address)
{
    if (!next_known() || !next.shmdt) {
        errno = EINVAL;
        return -1;
    }
    uint64_t serial;
    bool known = memory_followed && heap_mapping_serial(address, &serial);
    int result = next.shmdt(address);
    if (known && result == 0)
        heap_mapping_gone(serial);
    return result;
}

#endif
