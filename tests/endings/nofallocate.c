/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload: a file system that cannot allocate bytes of a file, as some network file systems. */
#include <errno.h>
#include <sys/types.h>

int fallocate(int file, int mode, off_t offset, off_t length);

int fallocate(int file, int mode, off_t offset, off_t length)
{
    (void)file, (void)mode, (void)offset, (void)length;
    errno = EOPNOTSUPP;
    return -1;
}
