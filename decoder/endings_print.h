/* SPDX-License-Identifier: BSD-3-Clause */
/* How ranks ended that did not reach the end of MPI_Finalize (--endings). */
#ifndef DECODER_ENDINGS_PRINT_H
#define DECODER_ENDINGS_PRINT_H

#include <pilgrim/reader.h>
#include <stdbool.h>

#include "output.h"

/* Prints what the trace says of ranks that ended early, are missing, or are cut off. Prints nothing if all are whole.
 */
void endings_print(struct output *out, const struct pilgrim_trace *trace, bool json);

/* True if CALL has not returned: it was in progress when its process ended. */
bool call_in_progress(const struct pilgrim_call *call);

#endif
