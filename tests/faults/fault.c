/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload, before libpilgrim.so, under which functions of the C library fail when libpilgrim.so calls them. Calls of
 * the program and of MPI do as ever; so do writes to stderr. The environment says what happens:
 *
 *   FAULT         GROUPS:ERRNO:FIRST:LAST  the calls FIRST to LAST (0: all behind FIRST) of functions in GROUPS fail.
 * GROUPS is a list of names in groups[] below, with commas. ERRNO is a number; 0: a read or a write is shorter than it
 * should be FAULT_COUNT   a file of 8 bytes, which becomes the number of such calls FAULT_RANK    only in the process
 * with this rank, as the launcher says */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../preloads/next.h"

enum {
    MEMORY = 1,
    MAP = 2,
    WRITE = 4,
    READ = 8,
    SYNC = 16,
    NAME = 32,
    REMOVE = 1024,
    OPEN = 64,
    RESIZE = 128,
    STAT = 256,
    CLOSE = 512
};

static const struct {
    const char *name;
    int bit;
} groups[] = {{"memory", MEMORY}, {"map", MAP},   {"write", WRITE},   {"read", READ}, {"sync", SYNC},  {"name", NAME},
              {"remove", REMOVE}, {"open", OPEN}, {"resize", RESIZE}, {"stat", STAT}, {"close", CLOSE}};

static int chosen, number;
static unsigned long first, last;
static uintptr_t begin, end; /* the code of libpilgrim.so */
static atomic_ulong own_count, *counted = &own_count;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* True if the call from CALLER of a function in GROUP fails. errno is why. */
static bool fails(int group, uintptr_t caller)
{
    if (!(chosen & group) || caller < begin || caller >= end)
        return false;
    unsigned long k = atomic_fetch_add(counted, 1) + 1;
    if (!first || k < first || (last && k > last))
        return false;
    if (number)
        errno = number;
    return true;
}

static int find_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "libpilgrim.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
            begin = info->dlpi_addr + segment->p_vaddr;
            end = begin + segment->p_memsz;
        }
    }
    return 1;
}

#define NEXT(name) ((__typeof__(&name))next(&(static_of_##name), #name))

/* DEFINE(group, failure, type, name, (parameters), (arguments)) */
#define DEFINE(group, failure, type, name, parameters, arguments)                                                      \
    static void *static_of_##name;                                                                                     \
    type name parameters                                                                                               \
    {                                                                                                                  \
        if (fails(group, CALLER) && number)                                                                            \
            return failure;                                                                                            \
        return NEXT(name) arguments;                                                                                   \
    }

/* The same for what may be called while a function is looked for. */
#define DEFINE_EARLY(name, parameters, arguments, early)                                                               \
    static void *static_of_##name;                                                                                     \
    void *name parameters                                                                                              \
    {                                                                                                                  \
        if (fails(MEMORY, CALLER))                                                                                     \
            return NULL;                                                                                               \
        __typeof__(&name) f = NEXT(name);                                                                              \
        return f ? f arguments : early arguments;                                                                      \
    }

DEFINE_EARLY(malloc, (size_t size), (size), __libc_malloc)
DEFINE_EARLY(calloc, (size_t count, size_t size), (count, size), __libc_calloc)
DEFINE_EARLY(realloc, (void *p, size_t size), (p, size), __libc_realloc)
DEFINE(MEMORY, ENOMEM, int, posix_memalign, (void **p, size_t alignment, size_t size), (p, alignment, size))
DEFINE(MEMORY, NULL, char *, strdup, (const char *s), (s))
DEFINE(MEMORY, NULL, char *, strndup, (const char *s, size_t size), (s, size))
DEFINE(MEMORY, NULL, char *, realpath, (const char *path, char *to), (path, to))
DEFINE(MEMORY, NULL, char *, getcwd, (char *to, size_t size), (to, size))
DEFINE(MEMORY | OPEN, NULL, DIR *, opendir, (const char *path), (path))
DEFINE(MEMORY | OPEN, NULL, DIR *, fdopendir, (int file), (file))
DEFINE(MEMORY | OPEN, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
DEFINE(SYNC, -1, int, fsync, (int file), (file))
DEFINE(CLOSE, -1, int, closedir, (DIR * d), (d))
DEFINE(NAME, -1, int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
DEFINE(NAME, -1, int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags),
       (a, from, b, to, flags))
DEFINE(NAME, -1, int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
DEFINE(REMOVE, -1, int, unlink, (const char *path), (path))
DEFINE(REMOVE, -1, int, unlinkat, (int in, const char *path, int flags), (in, path, flags))
DEFINE(REMOVE, -1, int, rmdir, (const char *path), (path))
DEFINE(OPEN, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
DEFINE(RESIZE, -1, int, ftruncate, (int file, off_t length), (file, length))
DEFINE(RESIZE, -1, int, fallocate, (int file, int mode, off_t offset, off_t length), (file, mode, offset, length))
static void *static_of_lseek;
off_t lseek(int file, off_t offset, int whence)
{
    bool failing = number != EINTR && fails(RESIZE, CALLER); /* nothing interrupts it */
    return failing && number ? -1 : NEXT(lseek)(file, offset, whence);
}
DEFINE(STAT, -1, int, stat, (const char *path, struct stat *to), (path, to))
DEFINE(file == 2 ? 0 : STAT, -1, int, fstat, (int file, struct stat *to), (file, to))
DEFINE(STAT, -1, int, fstatat, (int in, const char *path, struct stat *to, int flags), (in, path, to, flags))
DEFINE(STAT, -1, int, fchmod, (int file, mode_t mode), (file, mode))
DEFINE(STAT, -1, int, fchmodat, (int in, const char *path, mode_t mode, int flags), (in, path, mode, flags))

/* Bytes that are read or written in this call: fewer, or all. */
static size_t part(bool shorter, size_t size)
{
    return shorter && size > 1 ? 1 + size / 3 : size;
}

#define DEFINE_BYTES(group, name, parameters, arguments, spared)                                                       \
    static void *static_of_##name;                                                                                     \
    ssize_t name parameters                                                                                            \
    {                                                                                                                  \
        bool shorter = !(spared) && fails(group, CALLER);                                                              \
        if (shorter && number)                                                                                         \
            return -1;                                                                                                 \
        size = part(shorter, size);                                                                                    \
        return NEXT(name) arguments;                                                                                   \
    }

DEFINE_BYTES(WRITE, write, (int file, const void *data, size_t size), (file, data, size), file == 2)
DEFINE_BYTES(WRITE, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at), false)
DEFINE_BYTES(READ, read, (int file, void *data, size_t size), (file, data, size), false)
DEFINE_BYTES(READ, pread, (int file, void *data, size_t size, off_t at), (file, data, size, at), false)

static void *static_of_close;
int close(int file)
{
    int done = NEXT(close)(file); /* it is closed all the same */
    return fails(CLOSE, CALLER) && number ? -1 : done;
}

static void *static_of_open, *static_of_openat;
int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return fails(OPEN, CALLER) && number ? -1 : NEXT(open)(path, flags, mode);
}

int openat(int in, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    return fails(OPEN, CALLER) && number ? -1 : NEXT(openat)(in, path, flags, mode);
}

/* All take six arguments and leave those that they do not know. */
static void *static_of_syscall;
long syscall(long what, ...)
{
    va_list list;
    long a[6];
    va_start(list, what);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if ((what == SYS_mmap || what == SYS_mremap) && fails(MAP, CALLER) && number)
        return -1;
    return NEXT(syscall)(what, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((constructor)) static void fault_load(void)
{
    const char *fault = getenv("FAULT"), *count = getenv("FAULT_COUNT"), *rank = getenv("FAULT_RANK");
    const char *mine = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    char names[128];
    if (!fault || (rank && (!mine || strcmp(rank, mine) != 0)) ||
        sscanf(fault, "%127[^:]:%d:%lu:%lu", names, &number, &first, &last) != 4)
        return;
    int file = count ? open(count, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *at = mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (at != MAP_FAILED)
            counted = at;
    }
    dl_iterate_phdr(find_library, NULL);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strstr(names, groups[i].name))
            chosen |= groups[i].bit;
}
