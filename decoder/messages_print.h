/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages (--messages): who sent each, and who received it. */
#ifndef DECODER_MESSAGES_PRINT_H
#define DECODER_MESSAGES_PRINT_H

#include <pilgrim/reader.h>

#include "analysis/source_lines.h"
#include "output.h"

enum messages_format { MESSAGES_TEXT, MESSAGES_JSON, MESSAGES_CSV };

struct messages_options {
    enum messages_format format;
    bool common;                                      /* times on the common axis */
    uint64_t limit;                                   /* messages at most */
    bool (*rank)(const void *context, uint32_t rank); /* senders or receivers whose messages are printed */
    const void *context;
};

/* Prints the messages in the order in which both sides are known to have ended, a line each, then what has no partner.
 * After an error, what was found before it is printed, too. LINES may be NULL. errors: PILGRIM_NOMEM, as
 * pilgrim_cursor_next; PILGRIM_INVALID: there is no common axis */
enum pilgrim_status messages_print(struct output *o, const struct pilgrim_trace *trace,
                                   const struct messages_options *options, struct source_lines *lines,
                                   struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
