/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes to files without harm to the process: all data is written or there is an error, never a signal. */
#ifndef PILGRIM_WRITE_FILE_H
#define PILGRIM_WRITE_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* While this is active, writes of this thread that exceed the limit of a file's length raise no signal. */
struct write_guard {
    sigset_t before;
    bool pending; /* SIGXFSZ was pending before */
};

void write_guard_begin(struct write_guard *g);
void write_guard_end(const struct write_guard *g); /* keeps errno */

/* Writes all of DATA to FILE. False with errno if that fails; EFBIG, without SIGXFSZ, at the limit of a file's
 * length. */
bool write_whole(int file, const void *data, size_t length);

/* Appends LENGTH bytes of DATA to the file PATH, at *END, its length, and moves *END. If that fails the file is as
 * before. The file is opened again each time, so what the program does with descriptors does no harm. If *END is 0
 * the file is created, and must not exist. errors: PILGRIM_IO (errno) */
enum pilgrim_status append_file(const char *path, uint64_t *end, const void *data, size_t length) PILGRIM_CHECKED;

/* Appends to DATA the LENGTH bytes from START on of the file PATH. errors: PILGRIM_NOMEM, PILGRIM_IO (errno; 0 if
 * the file ends before) */
enum pilgrim_status read_part(const char *path, uint64_t start, size_t length, struct bytes *data) PILGRIM_CHECKED;

#endif
