/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing to files without harm to the process: the whole of it or an error, never a signal. */
#ifndef PILGRIM_WRITE_FILE_H
#define PILGRIM_WRITE_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* While somebody else writes in this thread: that a file may not become so long is no signal. */
struct write_guard {
    sigset_t before;
    bool pending; /* the signal was, before */
};

void write_guard_begin(struct write_guard *g);
void write_guard_end(const struct write_guard *g); /* keeps errno */

/* Writes all of DATA to FILE; false: errno. A file that may not become so long is EFBIG, and no SIGXFSZ. */
bool write_whole(int file, const void *data, size_t length);

/* Appends DATA to the file PATH, LENGTH bytes at *END, its length so far, and moves that: all of it, or none and the
 * file is as before. The file is opened anew each time: what a process does with its descriptors meanwhile does not
 * matter. *END 0: it is made, and must not be there. errors: PILGRIM_IO (errno) */
enum pilgrim_status append_file(const char *path, uint64_t *end, const void *data, size_t length) PILGRIM_CHECKED;

/* Appends the LENGTH bytes that the file PATH has at START to DATA. errors: PILGRIM_NOMEM, PILGRIM_IO (errno; 0: the
 * file ends before) */
enum pilgrim_status read_part(const char *path, uint64_t start, size_t length, struct bytes *data) PILGRIM_CHECKED;

#endif
