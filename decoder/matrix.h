/* SPDX-License-Identifier: BSD-3-Clause */
/* The message matrix (--matrix): messages and bytes from rank to rank. */
#ifndef DECODER_MATRIX_H
#define DECODER_MATRIX_H

#include <pilgrim/reader.h>

#include "output.h"

/* True if the caller has chosen this rank, or this thread. */
typedef bool (*matrix_choice)(const void *context, uint32_t number);

enum matrix_format { MATRIX_TEXT, MATRIX_JSON, MATRIX_CSV };

struct matrix_options {
    enum matrix_format format;
    bool windows;         /* count operations on windows (put, get, accumulate) instead of messages */
    matrix_choice rank;   /* senders whose lines are printed */
    matrix_choice thread; /* threads whose calls count */
    const void *context;
    struct selector *selector; /* calls that count; NULL: all of these threads */
    uint32_t block;  /* so many neighbouring ranks count as one, which has the number of their block; 0 as 1 */
    uint32_t sample; /* of the ranks of a block that make the same calls, at most so many are read, and stand for the
                      * others: the first, the last, and some between; 0: all are read. For MATRIX_CSV, without a
                      * selector */
};

/* Prints comma-separated values: a header line `from,to,messages,bytes` or `from,to,operations,bytes`, then a line for
 * each pair of ranks between which there is something, sorted. FROM is the rank that the bytes come from. If some
 * ranks stood for others, the header line ends with `,estimated`. *UNSIZED:
 * messages whose bytes are not known and count as 0. Memory grows with the pairs and the communicators, not with the
 * calls. After an error, what was found before it is printed, too. errors: PILGRIM_NOMEM, as pilgrim_cursor_next */
enum pilgrim_status matrix_print(struct output *o, const struct pilgrim_trace *trace,
                                 const struct matrix_options *options, uint64_t *unsized,
                                 struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
