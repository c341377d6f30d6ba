/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks that a run ended in: for --endings, pilgrim-waits and the summary. */
#ifndef DECODER_DEADLOCKS_PRINT_H
#define DECODER_DEADLOCKS_PRINT_H

#include "analysis/deadlocks.h"
#include "analysis/source_lines.h"
#include "output.h"

/* Prints the ranks of TRACE that could not go on, and what each waited for: a block with a line for those alike, or,
 * JSON, one object; nothing if there are none. LINES may be NULL. errors: as deadlocks_in */
enum pilgrim_status deadlocks_print(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines,
                                    bool json, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
