/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the trace goes: its path from a pattern, and whether a file can be written there. */
#ifndef PILGRIM_TRACE_PATH_H
#define PILGRIM_TRACE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define TRACE_PATH_SUFFIX ".pilgrim"

/* All paths here are 0-terminated; the length of a struct bytes does not count the 0. */

/* Appends TEXT to PATH. errors: PILGRIM_NOMEM */
enum pilgrim_status trace_path_put(struct bytes *path, const char *text) PILGRIM_CHECKED;

enum { TRACE_PATH_JOB_BYTES = 128 };

/* What the batch system calls this job. */
struct trace_path_job {
    char id[TRACE_PATH_JOB_BYTES];
    char array[TRACE_PATH_JOB_BYTES]; /* the array of jobs that it is in; the same as `id` if there is none */
    char task[TRACE_PATH_JOB_BYTES];  /* its index there; "0" if there is none */
};

/* True if PATTERN has no '%' other than %p, %j, %A, %a, %t and %%. */
bool trace_path_pattern_valid(const char *pattern);

/* Expands PATTERN into PATH (empty at first, to be freed). NULL or "" stands for "%p.pilgrim". %p is PROGRAM, %j, %A
 * and %a are JOB's `id`, `array` and `task`, %t is TIME as YYYYmmdd-HHMMSS, local time. A path that ends in '/', or
 * that is a folder, gets PROGRAM.pilgrim. A name that is too long for a file is cut.
 * errors: PILGRIM_NOMEM, PILGRIM_INVALID (an unknown %) */
enum pilgrim_status trace_path_expand(const char *pattern, const char *program, const struct trace_path_job *job,
                                      time_t time, struct bytes *path) PILGRIM_CHECKED;

/* Fills JOB from the environment. False: there is no batch system that is known; `id` is the process id. */
bool trace_path_job(struct trace_path_job *job);

/* Sets NAME to PATH, with NUMBER inserted before the suffix ".pilgrim", or appended, if it is above 0.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status trace_path_number(const char *path, unsigned number, struct bytes *name) PILGRIM_CHECKED;

/* Returns the lowest NUMBER above 0 for which the folder of PATH has nothing of this name with END behind it; 1 if the
 * folder cannot be read. Numbers are below TRACE_PATH_NUMBERS. */
enum { TRACE_PATH_NUMBERS = 1000000 };
unsigned trace_path_free_number(const char *path, const char *end);

/* True if there is something at PATH that is neither a file nor a folder: a device, a pipe, a socket. */
bool trace_path_is_device(const char *path);

/* Returns 0 if a new file can be made in the folder of PATH and has room for some bytes, else the errno. Where the file
 * system has files without a name, it tries; nothing is left. */
int trace_path_problem(const char *path);

/* Makes the folder of PATH, and the folders that it is in, where they are not there. Returns 0 or the errno. */
int trace_path_make_folder(const char *path);

/* Sets OTHER to a path with the same last part in a folder where a file can be made: TMPDIR if that is absolute, else
 * /tmp, else /dev/shm. PATH's own folder does not count, nor, where its disk is full, any folder on that disk. PROBLEM:
 * the errno of what failed in it. False: there is no such folder, or memory is short. */
bool trace_path_elsewhere(const char *path, int problem, struct bytes *other);

#endif
