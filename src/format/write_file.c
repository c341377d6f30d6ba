/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing to files without harm to the process; see write_file.h. */
#define _GNU_SOURCE 1 /* pthread_sigmask, pread */
#include "format/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PART_BYTES = 1 << 30 };

static sigset_t limit_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

void write_guard_begin(struct write_guard *g)
{
    sigset_t set = limit_signal(), pending;
    g->pending = !sigpending(&pending) && sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &g->before);
}

void write_guard_end(const struct write_guard *g)
{
    int error = errno;
    sigset_t set = limit_signal(), pending;
    if (!g->pending && !sigpending(&pending) && sigismember(&pending, SIGXFSZ) == 1)
        (void)sigtimedwait(&set, NULL, &(struct timespec){0});
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

enum pilgrim_status append_file(const char *path, uint64_t *end, const void *data, size_t length)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | (*end ? 0 : O_CREAT | O_EXCL), 0666);
    if (file < 0)
        return PILGRIM_IO;
    bool good = lseek(file, (off_t)*end, SEEK_SET) >= 0 && write_whole(file, data, length);
    int error = errno;
    if (!good && ftruncate(file, (off_t)*end))
        error = errno;
    if (close(file) && good) {
        good = false;
        error = errno;
    }
    if (!good && !*end)
        unlink(path);
    errno = error;
    if (!good)
        return PILGRIM_IO;
    *end += length;
    return PILGRIM_OK;
}

enum pilgrim_status read_part(const char *path, uint64_t start, size_t length, struct bytes *data)
{
    uint8_t *to = bytes_reserve(data, length + !length);
    if (!to)
        return PILGRIM_NOMEM;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t done = 0;
    ssize_t got = file < 0 ? -1 : 1;
    errno = file < 0 ? errno : 0;
    while (got > 0 && done < length) {
        got = pread(file, to + done, length - done, (off_t)(start + done));
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            done += (size_t)got;
    }
    int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    if (done < length)
        return PILGRIM_IO;
    data->length += length;
    return PILGRIM_OK;
}
