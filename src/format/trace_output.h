/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files: written so that no file is ever replaced or left incomplete. */
#ifndef PILGRIM_TRACE_OUTPUT_H
#define PILGRIM_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* Writes a new file at PATH. If there is one already, a number is inserted before the suffix ".pilgrim", or appended.
 * WRITTEN (to be freed) gets the name, 0-terminated. The file appears whole or not at all, and is on disk on return.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno; WRITTEN is the path that failed) */
enum pilgrim_status output_write(const char *path, const void *data, size_t length,
                                 struct bytes *written) PILGRIM_CHECKED;

/* An output file that is written in pieces. All zero: not begun. */
struct trace_output {
    struct bytes path, temporary;
    int file;
    uint64_t length; /* of the file so far */
};

/* Begins a file at PATH. It gets its name by output_end.
 * errors: as output_write. O is then empty, but for O->path, the path that failed */
enum pilgrim_status output_begin(struct trace_output *o, const char *path) PILGRIM_CHECKED;

/* As output_begin, for a program that may be killed at any time and run again: holds a lock on the temporary file, and
 * first removes files that earlier such programs left for the same path. */
enum pilgrim_status output_begin_locked(struct trace_output *o, const char *path) PILGRIM_CHECKED;

/* Appends DATA. It is on disk for certain after output_share or output_end.
 * errors: PILGRIM_IO (errno); then only output_cancel may be called */
enum pilgrim_status output_append(struct trace_output *o, const void *data, size_t length) PILGRIM_CHECKED;

/* Lets other processes append to the file: puts what was appended so far on disk, and sets PATH (empty at first, to be
 * freed) to the absolute name that the file has now.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno); then only output_cancel may be called */
enum pilgrim_status output_share(struct trace_output *o, struct bytes *path) PILGRIM_CHECKED;

/* Continues behind LENGTH bytes that other processes appended.
 * errors: PILGRIM_IO (errno; EIO if the file does not have this length); then only output_cancel may be called */
enum pilgrim_status output_take_over(struct trace_output *o, uint64_t length) PILGRIM_CHECKED;

/* Completes the file and gives it its name; WRITTEN and errors as for output_write. O is empty afterwards, with an
 * error, too. */
enum pilgrim_status output_end(struct trace_output *o, struct bytes *written) PILGRIM_CHECKED;

/* Removes what was written, if anything was. Keeps errno. */
void output_cancel(struct trace_output *o);

/* Writes the new file NAME in the folder that IN is a descriptor of: whole or not at all, and on disk on return. Only
 * its owner can read and write it, whatever the umask says.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno; EEXIST if there is one) */
enum pilgrim_status output_put_file(int in, const char *name, const void *data, size_t length) PILGRIM_CHECKED;

#endif
