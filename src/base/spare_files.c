/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors that are kept aside; see spare_files.h. Each is a socket, because a socket has an inode of its own: so it
 * is known whether a descriptor is still what it was when it is to be closed. */
#include "base/spare_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* NUMBERS_END: higher numbers would make the kernel's table of the process larger. */
enum { SPARE = 4, LIMIT_LEAST = 64, NUMBERS_END = 1024, NONE = -1, IN_USE = -2 };

static struct spare {
    atomic_int file; /* or NONE; IN_USE: a thread makes it, or gives it up */
    dev_t device;
    ino_t inode;
} spares[SPARE] = {{.file = NONE}, {.file = NONE}, {.file = NONE}, {.file = NONE}};

static atomic_int numbers_begin; /* the least number of one; 0: none are kept */

static bool claim(struct spare *s, int file)
{
    return atomic_compare_exchange_strong(&s->file, &file, IN_USE);
}

static void make(struct spare *s, int least)
{
    struct stat found;
    int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
        high = file < 0 ? NONE : fcntl(file, F_DUPFD_CLOEXEC, least);
    if (high >= 0) {
        close(file);
        file = high;
    }
    if (file >= 0 && fstat(file, &found)) {
        close(file);
        file = NONE;
    }
    if (file >= 0) {
        s->device = found.st_dev;
        s->inode = found.st_ino;
    }
    atomic_store(&s->file, file >= 0 ? file : NONE);
}

/* Makes those that there are none of. */
static void make_all(void)
{
    int least = atomic_load(&numbers_begin);
    for (struct spare *s = spares; least && s < spares + SPARE; s++)
        if (claim(s, NONE))
            make(s, least);
}

/* Gives up one. False: there is none. */
static bool give_up(void)
{
    bool given = false;
    for (struct spare *s = spares; !given && s < spares + SPARE; s++) {
        int file = atomic_load(&s->file);
        struct stat found;
        if (file < 0 || !claim(s, file))
            continue;
        given = !fstat(file, &found) && found.st_dev == s->device && found.st_ino == s->inode;
        if (given)
            close(file);
        atomic_store(&s->file, NONE);
    }
    return given;
}

void spare_files_begin(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < LIMIT_LEAST)
        return;
    int end = limit.rlim_cur < NUMBERS_END ? (int)limit.rlim_cur : NUMBERS_END;
    atomic_store(&numbers_begin, end - 2 * SPARE);
    make_all();
}

void spare_files_end(void)
{
    atomic_store(&numbers_begin, 0);
    while (give_up())
        continue;
}

int spare_raise(int file)
{
    int least = atomic_load(&numbers_begin), error = errno, high = least ? fcntl(file, F_DUPFD_CLOEXEC, least) : NONE;
    close(file);
    errno = error;
    return high;
}

int spare_open(int in, const char *path, int flags, mode_t mode)
{
    int file = openat(in, path, flags, mode);
    while (file < 0 && (errno == EMFILE || errno == ENFILE)) {
        int error = errno;
        bool given = give_up();
        errno = error;
        if (!given)
            break;
        file = openat(in, path, flags, mode);
    }
    return file;
}

int spare_close(int file)
{
    int before = errno, closed = close(file), error = closed ? errno : before;
    make_all();
    errno = error;
    return closed;
}
