/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace that rank 0 writes, segment by segment. */
#ifndef PILGRIM_RESULT_H
#define PILGRIM_RESULT_H

#include "format/trace_output.h"
#include "merge/fragment.h"

/* A trace that is being written. All zero: not begun. */
struct result {
    struct trace_output file;
    uint32_t segments, ranks;
    uint64_t calls, plain_bytes;
    /* Names of functions with calls that are not recorded, separated by commas. */
    struct bytes hidden; /* from Fortran, that another tool hides */
    struct bytes inside; /* made inside another call, and not recorded */
};

/* Appends F, the next segment of all ranks. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_DAMAGED, PILGRIM_IO (after a
 * line on stderr); the file is then removed */
enum pilgrim_status result_add(struct result *r, struct fragment *f) PILGRIM_CHECKED;

/* Appends LENGTH bytes of times sections. errors: as above */
enum pilgrim_status result_add_times(struct result *r, const uint8_t *data, size_t length) PILGRIM_CHECKED;

/* Prepares the file for other processes to write to: what was added is on disk. PATH (empty before, freed by the
 * caller) becomes its temporary name, absolute. errors: as above */
enum pilgrim_status result_share(struct result *r, struct bytes *path) PILGRIM_CHECKED;

/* Notes that other processes have appended LENGTH bytes. errors: as above */
enum pilgrim_status result_take_over(struct result *r, uint64_t length) PILGRIM_CHECKED;

/* Writes the end, gives the file its name and prints the summary. errors: as above */
enum pilgrim_status result_end(struct result *r) PILGRIM_CHECKED;

/* Removes what was written: there is no trace. */
void result_cancel(struct result *r);

#endif
