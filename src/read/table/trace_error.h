/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills in a struct pilgrim_error. */
#ifndef PILGRIM_TRACE_ERROR_H
#define PILGRIM_TRACE_ERROR_H

#include "pilgrim/reader.h"
#include "pilgrim/status.h"

/* Sets status, offset (bytes in the file) and message of ERROR, and returns STATUS. ERROR may be NULL. */
enum pilgrim_status trace_error(struct pilgrim_error *error, enum pilgrim_status status, uint64_t offset,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for PILGRIM_NOMEM. */
enum pilgrim_status trace_no_memory(struct pilgrim_error *error);

/* The same for PILGRIM_INVALID: an argument is NULL. */
enum pilgrim_status trace_null(struct pilgrim_error *error);

#endif
