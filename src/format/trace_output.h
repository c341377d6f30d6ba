/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files: their names, and how they are written so that no file is ever replaced or left incomplete. */
#ifndef PILGRIM_TRACE_OUTPUT_H
#define PILGRIM_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* True if PATTERN has no '%' other than %p, %j, %t and %%. */
bool output_pattern_valid(const char *pattern);

/* Expands PATTERN into PATH (empty at first, to be freed), which is 0-terminated. NULL or "" stands for "%p.pilgrim".
 * %p is PROGRAM, %j is JOB, %t is TIME as YYYYmmdd-HHMMSS, local time. A path that ends in '/' gets PROGRAM.pilgrim.
 * errors: PILGRIM_NOMEM, PILGRIM_INVALID (an unknown %) */
enum pilgrim_status output_expand(const char *pattern, const char *program, const char *job, time_t time,
                                  struct bytes *path) PILGRIM_CHECKED;

/* Writes the batch system's name of this job to TEXT, or the process id if there is none. Returns TEXT. */
char *output_job(char *text, size_t size);

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

/* Writes the new file PATH: whole or not at all, and on disk on return.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno; EEXIST if there is one) */
enum pilgrim_status output_put_file(const char *path, const void *data, size_t length) PILGRIM_CHECKED;

#define OUTPUT_FOLDER_SUFFIX ".fragments"

/* Finds or makes the folder for the files of all processes of a run: PATH with OUTPUT_FOLDER_SUFFIX, with a number as
 * for output_write if another run has that folder. RUN is a number that no other run has. Processes that share a file
 * system get the same folder; *FIRST is true in one of them. FOLDER (to be freed) gets the name, 0-terminated.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno; FOLDER is the path that failed) */
enum pilgrim_status output_folder(const char *path, uint64_t run, struct bytes *folder, bool *first) PILGRIM_CHECKED;

/* Removes FOLDER, made by output_folder, if it has no files left. */
void output_folder_remove(const char *folder);

#endif
