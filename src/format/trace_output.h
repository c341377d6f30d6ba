/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the trace goes, and how it gets there without ever replacing a file or leaving half of one. */
#ifndef PILGRIM_TRACE_OUTPUT_H
#define PILGRIM_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* True where PATTERN has no '%' but %p, %j, %t and %%. */
bool output_pattern_valid(const char *pattern);

/* The path for PATTERN (NULL or empty: "%p.pilgrim"), 0-terminated, in PATH (empty at first, to be freed).
 * %p: PROGRAM; %j: JOB; %t: TIME as YYYYmmdd-HHMMSS, local time. A path that ends in '/' gets PROGRAM.pilgrim.
 * errors: PILGRIM_NOMEM, PILGRIM_INVALID (an unknown %) */
enum pilgrim_status output_expand(const char *pattern, const char *program, const char *job, time_t time,
                                  struct bytes *path) PILGRIM_CHECKED;

/* The batch system's name of this job from the environment, else the process id. Returns TEXT. */
char *output_job(char *text, size_t size);

/* Writes a new file near PATH: PATH itself, or with a number before its suffix ".pilgrim" (else at its end) where
 * there is one already. The name used is in WRITTEN (0-terminated, to be freed).
 * It appears whole or not at all, and is on disk when this returns.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno, and WRITTEN is the path that failed) */
enum pilgrim_status output_write(const char *path, const void *data, size_t length,
                                 struct bytes *written) PILGRIM_CHECKED;

/* The same in pieces. All zero: not begun. */
struct trace_output {
    struct bytes path, temporary;
    int file;
    uint64_t length; /* so far */
};

/* A file near PATH begins. Nothing is there under its name before output_end. errors: as output_write, errno; O is
 * empty then, but for O->path, the path that failed */
enum pilgrim_status output_begin(struct trace_output *o, const char *path) PILGRIM_CHECKED;

/* Appends DATA, which is on its way to the disk from then on. errors: PILGRIM_IO (errno): only output_cancel is left to
 * be called */
enum pilgrim_status output_append(struct trace_output *o, const void *data, size_t length) PILGRIM_CHECKED;

/* So that other processes can write into it: what was appended is on disk, and PATH (empty at first, to be freed) is
 * what the file is called now, absolute. errors: PILGRIM_NOMEM, PILGRIM_IO (errno); then only output_cancel is left to
 * be called; so below */
enum pilgrim_status output_share(struct trace_output *o, struct bytes *path) PILGRIM_CHECKED;

/* They have put LENGTH bytes behind what was appended; what is appended next comes behind that. PILGRIM_IO: the file is
 * not so long, EIO */
enum pilgrim_status output_take_over(struct trace_output *o, uint64_t length) PILGRIM_CHECKED;

/* The file is complete, and is given its name, in WRITTEN: as output_write. O is empty afterwards, whatever is
 * returned. */
enum pilgrim_status output_end(struct trace_output *o, struct bytes *written) PILGRIM_CHECKED;

/* Removes what was written, if anything was begun. Keeps errno. */
void output_cancel(struct trace_output *o);

/* Writes the new file PATH: whole or not at all, and on disk when this returns.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno; EEXIST where there is one) */
enum pilgrim_status output_put_file(const char *path, const void *data, size_t length) PILGRIM_CHECKED;

#define OUTPUT_FOLDER_SUFFIX ".fragments"

/* A folder for files of all processes of a run: PATH with the suffix, numbered as above where another run has taken the
 * name. Processes that share a file system get the same one, and one of them *FIRST. Its name is in FOLDER
 * (0-terminated, to be freed). run: a number that no other run has errors: PILGRIM_NOMEM, PILGRIM_IO (errno, and FOLDER
 * is the path that failed) */
enum pilgrim_status output_folder(const char *path, uint64_t run, struct bytes *folder, bool *first) PILGRIM_CHECKED;

/* Removes FOLDER, one of these, if no file is left in it. */
void output_folder_remove(const char *folder);

#endif
