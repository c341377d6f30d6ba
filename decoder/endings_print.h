/* SPDX-License-Identifier: BSD-3-Clause */
/* How ranks ended that did not reach the end of MPI_Finalize (--endings). */
#ifndef DECODER_ENDINGS_PRINT_H
#define DECODER_ENDINGS_PRINT_H

#include <pilgrim/reader.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/source_lines.h"
#include "output.h"

/* Prints what the trace says of ranks that ended early, are missing, or are cut off, and where signals ended them.
 * Prints nothing if all are whole. LINES may be NULL. */
void endings_print(struct output *out, const struct pilgrim_trace *trace, struct source_lines *lines, bool json);

/* Prints how RANK ended, and a comma: "signal 11,". Prints nothing and returns false if it reached its end. */
bool endings_print_cell(struct output *out, const struct pilgrim_trace *trace, uint32_t rank);

/* True if some of the ranks' calls are not in TRACE. */
bool endings_are_partial(const struct pilgrim_trace *trace);

/* Prints in one line, behind PREFIX, that the trace is partial and why, if it is. */
void endings_print_partial(struct output *out, const char *prefix, const struct pilgrim_trace *trace);

#endif
