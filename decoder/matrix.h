/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends to whom: messages and bytes from rank to rank. */
#ifndef DECODER_MATRIX_H
#define DECODER_MATRIX_H

#include <pilgrim/reader.h>

#include "output.h"

/* Which rank is shown, or thread, is what the caller says. */
typedef bool (*matrix_choice)(const void *context, uint32_t number);

struct matrix_options {
    bool windows;         /* not messages but operations on windows: put, get, accumulate */
    matrix_choice rank;   /* whose lines, as the one that sends, are printed */
    matrix_choice thread; /* whose calls count */
    const void *context;
};

/* Prints lines of comma-separated values, `from,to,messages,bytes` or `from,to,operations,bytes`, and a line of these
 * names first; in order, and only for pairs between which there is something. FROM is where the bytes come from.
 * *UNSIZED: messages whose bytes are not known, and count as 0. Memory grows with the pairs, and with the
 * communicators, not with the calls. After an error what was found before is printed, too. errors: PILGRIM_NOMEM, as
 * pilgrim_cursor_next */
enum pilgrim_status matrix_print(struct output *o, const struct pilgrim_trace *trace,
                                 const struct matrix_options *options, uint64_t *unsized,
                                 struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
