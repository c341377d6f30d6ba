/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload for tests only: what libpilgrim.so asks of the file system about names in the folder OPERATIONS_FOLDER, and
 * about the folder itself, is appended to the file OPERATIONS_LOG, a line each: the rank, the function, the name behind
 * the folder's, and the errno, or 0. Descriptors that are open already are not looked at: reading, writing, allocating
 * and mapping ask for no name. With OPERATIONS_ALONE it gets no socket at which processes could meet. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLER     (__builtin_return_address(0))
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_ours(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libpilgrim");
}

/* Sets WHOLE to the absolute path of PATH, relative to the folder IN. */
static void make_absolute(int in, const char *path, char whole[PATH_MAX])
{
    char link[64], folder[PATH_MAX / 2] = "";
    if (*path == '/') {
        snprintf(whole, PATH_MAX, "%s", path);
        return;
    }
    if (in == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", in);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = 0;
    snprintf(whole, PATH_MAX, "%s/%s", folder, path);
}

static void note(const void *caller, const char *function, int in, const char *path, int failed)
{
    const char *folder = getenv("OPERATIONS_FOLDER"), *log = getenv("OPERATIONS_LOG"), *rank = getenv("PMI_RANK");
    char whole[PATH_MAX], line[PATH_MAX + 256];
    int error = errno;
    size_t length = folder ? strlen(folder) : 0;
    rank = rank ? rank : getenv("OMPI_COMM_WORLD_RANK");
    if (!length || !log || !is_ours(caller))
        return;
    make_absolute(in, path, whole);
    if (!strncmp(whole, folder, length) && (!whole[length] || whole[length] == '/')) {
        int written = snprintf(line, sizeof line, "%s %s .%s %d\n", rank ? rank : "0", function, whole + length,
                               failed ? error : 0);
        int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        (void)!syscall(SYS_write, file, line, written);
        syscall(SYS_close, file);
    }
    errno = error;
}

/* COUNTED(type, failed, name, (parameters), (arguments), folder, path) */
#define COUNTED(type, failed, name, parameters, arguments, in, path)                                                   \
    type name parameters                                                                                               \
    {                                                                                                                  \
        type result = REAL(name) arguments;                                                                            \
        note(CALLER, #name, in, path, result == failed);                                                               \
        return result;                                                                                                 \
    }

COUNTED(int, -1, mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
COUNTED(int, -1, mkdirat, (int in, const char *path, mode_t mode), (in, path, mode), in, path)
COUNTED(int, -1, rmdir, (const char *path), (path), AT_FDCWD, path)
COUNTED(int, -1, unlink, (const char *path), (path), AT_FDCWD, path)
COUNTED(int, -1, unlinkat, (int in, const char *path, int flags), (in, path, flags), in, path)
COUNTED(int, -1, rename, (const char *from, const char *to), (from, to), AT_FDCWD, to)
COUNTED(int, -1, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), b, to)
COUNTED(int, -1, renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags),
        b, to)
COUNTED(int, -1, link, (const char *from, const char *to), (from, to), AT_FDCWD, to)
COUNTED(int, -1, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), b, to)
COUNTED(int, -1, symlink, (const char *target, const char *path), (target, path), AT_FDCWD, path)
COUNTED(int, -1, symlinkat, (const char *target, int in, const char *path), (target, in, path), in, path)
COUNTED(ssize_t, -1, readlink, (const char *path, char *to, size_t size), (path, to, size), AT_FDCWD, path)
COUNTED(ssize_t, -1, readlinkat, (int in, const char *path, char *to, size_t size), (in, path, to, size), in, path)
COUNTED(int, -1, stat, (const char *path, struct stat *to), (path, to), AT_FDCWD, path)
COUNTED(int, -1, lstat, (const char *path, struct stat *to), (path, to), AT_FDCWD, path)
COUNTED(int, -1, fstatat, (int in, const char *path, struct stat *to, int flags), (in, path, to, flags), in, path)
COUNTED(int, -1, access, (const char *path, int mode), (path, mode), AT_FDCWD, path)
COUNTED(int, -1, faccessat, (int in, const char *path, int mode, int flags), (in, path, mode, flags), in, path)
COUNTED(int, -1, chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
COUNTED(int, -1, fchmodat, (int in, const char *path, mode_t mode, int flags), (in, path, mode, flags), in, path)
COUNTED(int, -1, truncate, (const char *path, off_t length), (path, length), AT_FDCWD, path)
COUNTED(DIR *, NULL, opendir, (const char *path), (path), AT_FDCWD, path)
COUNTED(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode), AT_FDCWD, path)
COUNTED(char *, NULL, realpath, (const char *path, char *to), (path, to), AT_FDCWD, path)

static int mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int result = REAL(open)(path, flags, mode_of(flags, arguments));
    va_end(arguments);
    note(CALLER, "open", AT_FDCWD, path, result < 0);
    return result;
}

int openat(int in, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int result = REAL(openat)(in, path, flags, mode_of(flags, arguments));
    va_end(arguments);
    note(CALLER, "openat", in, path, result < 0);
    return result;
}

int socket(int domain, int type, int protocol)
{
    const char *alone = getenv("OPERATIONS_ALONE");
    if (alone && *alone && (type & SOCK_SEQPACKET) == SOCK_SEQPACKET && is_ours(CALLER)) {
        errno = EACCES;
        return -1;
    }
    return REAL(socket)(domain, type, protocol);
}
