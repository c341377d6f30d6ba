/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload: a file system that cannot allocate bytes of a file, as some network file systems. If NO_ROOM is set, that
 * folder is full instead, and others are as they are. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

int fallocate(int file, int mode, off_t offset, off_t length);

int fallocate(int file, int mode, off_t offset, off_t length)
{
    char name[64], path[PATH_MAX] = "";
    const char *full = getenv("NO_ROOM");
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (full && (readlink(name, path, sizeof path - 1) < 0 || strncmp(path, full, strlen(full)) != 0))
        return ((__typeof__(&fallocate))dlsym(RTLD_NEXT, "fallocate"))(file, mode, offset, length);
    errno = full ? ENOSPC : EOPNOTSUPP;
    return -1;
}
