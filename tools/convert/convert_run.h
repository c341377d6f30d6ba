/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the calls of a trace, and gives them to a format. */
#ifndef CONVERT_CONVERT_RUN_H
#define CONVERT_CONVERT_RUN_H

#include "convert.h"

struct convert_result {
    uint64_t calls;   /* that were converted */
    uint64_t untimed; /* that were left out, since their times are lost */
    uint64_t missing; /* sends, receives and collective calls of the trace that have no records; see mpi_records.h */
    struct pilgrim_error times; /* the first times that are lost, and why; else the status is PILGRIM_OK */
};

/* Converts the calls that fit SELECTION; NULL: all. C has what is not set by it: trace, out, arguments, jobs, ... LINES
 * finds source lines, and may be NULL. After an error, what was read until then is converted. errors: as flows_read and
 * pilgrim_calls_next */
enum pilgrim_status convert_run(struct convert *c, const struct convert_format *format,
                                const struct pilgrim_selection *selection, struct source_lines *lines,
                                struct convert_result *result, struct pilgrim_error *error) PILGRIM_CHECKED;

/* True if the trace has no times of single calls, so that they are drawn. */
bool convert_draws(const struct pilgrim_trace *trace);

#endif
