/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing to files without harm to the process; see write_file.h. */
#define _GNU_SOURCE 1 /* pthread_sigmask, pread, O_NOFOLLOW */
#include "format/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/spare_files.h"

enum { PART_BYTES = 1 << 30 };

static const int guarded[] = {SIGXFSZ, SIGPIPE};

enum { GUARDED_COUNT = sizeof guarded / sizeof guarded[0] };

void write_guard_begin(struct write_guard *g)
{
    sigset_t set;
    sigemptyset(&set);
    sigemptyset(&g->pending);
    for (size_t i = 0; i < GUARDED_COUNT; i++)
        sigaddset(&set, guarded[i]);
    sigpending(&g->pending);
    pthread_sigmask(SIG_BLOCK, &set, &g->before);
}

/* The kernel sends these signals to the thread that writes. One that was not pending before is taken back. */
void write_guard_end(const struct write_guard *g)
{
    int error = errno;
    sigset_t pending, set;
    for (size_t i = 0; i < GUARDED_COUNT && !sigpending(&pending); i++) {
        if (sigismember(&g->pending, guarded[i]) || sigismember(&pending, guarded[i]) != 1)
            continue;
        sigemptyset(&set);
        sigaddset(&set, guarded[i]);
        (void)sigtimedwait(&set, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &g->before, NULL);
    errno = error;
}

static bool write_parts(int file, const uint8_t *data, size_t length)
{
    while (length) {
        ssize_t done = write(file, data, length < PART_BYTES ? length : PART_BYTES);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done ? errno : ENOSPC;
            return false;
        }
        data += done;
        length -= (size_t)done;
    }
    return true;
}

bool write_whole(int file, const void *data, size_t length)
{
    struct write_guard g;
    write_guard_begin(&g);
    bool good = write_parts(file, data, length);
    write_guard_end(&g);
    return good;
}

/* Opens PATH, which must be FILE if that exists. Returns -1 with errno if that fails. */
static int reopen(int in, const char *path, const struct reopened_file *file, int flags)
{
    struct stat found;
    int fd = spare_open(in, path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) {
        errno = errno == ELOOP ? ESTALE : errno;
        return -1;
    }
    int error = fstat(fd, &found) ? errno : 0;
    if (!error && file->length && (found.st_dev != file->device || found.st_ino != file->inode))
        error = ESTALE;
    if (!error)
        return fd;
    spare_close(fd);
    if (flags & O_CREAT)
        unlinkat(in, path, 0);
    errno = error;
    return -1;
}

/* Takes back what was appended to FILE: its end could not be closed, so it may not be there. */
static void take_back(int in, const char *path, const struct reopened_file *file)
{
    int fd = reopen(in, path, file, O_WRONLY);
    if (fd < 0)
        return;
    (void)!ftruncate(fd, (off_t)file->length);
    spare_close(fd);
}

/* Writes at the end of FILE, which FD is open for. */
static bool append_to(int fd, const struct reopened_file *file, const void *data, size_t length)
{
    if (lseek(fd, (off_t)file->length, SEEK_SET) >= 0 && write_whole(fd, data, length))
        return true;
    int error = errno;
    if (ftruncate(fd, (off_t)file->length))
        error = errno;
    errno = error;
    return false;
}

enum pilgrim_status append_file(int in, const char *path, struct reopened_file *file, const void *data, size_t length)
{
    struct stat found;
    int fd = reopen(in, path, file, O_WRONLY | (file->length ? 0 : O_CREAT | O_EXCL));
    if (fd < 0)
        return PILGRIM_IO;
    bool good = !fstat(fd, &found) && (file->length || !fchmod(fd, 0600)) && append_to(fd, file, data, length);
    int error = errno;
    if (spare_close(fd) && good) {
        good = false;
        error = errno;
        if (file->length)
            take_back(in, path, file);
    }
    if (!good && !file->length)
        unlinkat(in, path, 0);
    errno = error;
    if (!good)
        return PILGRIM_IO;
    *file = (struct reopened_file){file->length + length, found.st_dev, found.st_ino};
    return PILGRIM_OK;
}

enum pilgrim_status read_part(const char *path, const struct reopened_file *file, uint64_t start, size_t length,
                              struct bytes *data)
{
    uint8_t *to = bytes_reserve(data, length + !length);
    if (!to)
        return PILGRIM_NOMEM;
    errno = ENOENT;
    int fd = file->length ? reopen(AT_FDCWD, path, file, O_RDONLY) : -1;
    size_t done = 0;
    ssize_t got = fd < 0 ? -1 : 1;
    errno = fd < 0 ? errno : 0;
    while (got > 0 && done < length) {
        got = pread(fd, to + done, length - done, (off_t)(start + done));
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            done += (size_t)got;
    }
    int error = errno;
    if (fd >= 0)
        spare_close(fd);
    errno = error;
    if (done < length)
        return PILGRIM_IO;
    data->length += length;
    return PILGRIM_OK;
}
