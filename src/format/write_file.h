/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes to files without harm to the process: all data is written or there is an error, never a signal. */
#ifndef PILGRIM_WRITE_FILE_H
#define PILGRIM_WRITE_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* While this is active, writes of this thread raise no signal: neither if they exceed the limit of a file's length, nor
 * if nobody reads a pipe any more. */
struct write_guard {
    sigset_t before;
    sigset_t pending; /* before */
};

void write_guard_begin(struct write_guard *g);
void write_guard_end(const struct write_guard *g); /* keeps errno */

/* Writes all of DATA to FILE. False with errno if that fails; EFBIG, without SIGXFSZ, at the limit of a file's
 * length. */
bool write_whole(int file, const void *data, size_t length);

/* A file that is opened again each time, so what the program does with descriptors does no harm. All zero: it does not
 * exist yet. Whatever has its path later, only the file that was created is read or written. */
struct reopened_file {
    uint64_t length;
    dev_t device;
    ino_t inode;
};

/* Appends LENGTH bytes of DATA to the file PATH, relative to the folder that IN is a descriptor of (AT_FDCWD: the
 * working directory). If that fails the file is as before. The first call creates it, and it must not exist; only its
 * owner can read and write it, whatever the umask says. errors: PILGRIM_IO (errno; ESTALE: PATH is another file now) */
enum pilgrim_status append_file(int in, const char *path, struct reopened_file *file, const void *data,
                                size_t length) PILGRIM_CHECKED;

/* Appends to DATA the LENGTH bytes from START on of FILE, at PATH.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno; ESTALE as above; 0 if the file ends before) */
enum pilgrim_status read_part(const char *path, const struct reopened_file *file, uint64_t start, size_t length,
                              struct bytes *data) PILGRIM_CHECKED;

#endif
