/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that the analysis itself finds; others are the reader's. */
#ifndef ANALYSIS_ANALYSIS_ERRORS_H
#define ANALYSIS_ANALYSIS_ERRORS_H

#include <pilgrim/reader.h>

/* Returns PILGRIM_NOMEM, and fills in *ERROR. */
static inline enum pilgrim_status no_memory(struct pilgrim_error *error)
{
    *error = (struct pilgrim_error){.status = PILGRIM_NOMEM, .message = "not enough memory"};
    return PILGRIM_NOMEM;
}

/* Returns STATUS, and fills in *ERROR: a thread has a class or a table that its trace does not have. */
static inline enum pilgrim_status no_group(enum pilgrim_status status, struct pilgrim_error *error)
{
    *error = (struct pilgrim_error){.status = status, .message = "the trace is damaged: a thread is in no group"};
    return status;
}

#endif
