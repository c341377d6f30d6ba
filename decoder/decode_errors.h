/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that the decoder itself finds; others are the reader's. */
#ifndef DECODER_DECODE_ERRORS_H
#define DECODER_DECODE_ERRORS_H

#include <pilgrim/reader.h>

/* Prints a line on stderr, `pilgrim-decode: ...`, without the control characters that names of a trace or of a file may
 * have. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

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
