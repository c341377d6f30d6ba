/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing two traces as two programs: what pilgrim-diff does. */
#ifndef PILGRIM_DIFF_DIFF_TRACES_H
#define PILGRIM_DIFF_DIFF_TRACES_H

#include <pilgrim/reader.h>

#include "../../decoder/output.h"
#include "diff_options.h"

/* Compares the traces of OPTIONS and prints what differs to O, which is flushed. Returns EXIT_EQUAL or EXIT_DIFFERS; or
 * EXIT_WRONG: nothing was printed, *ERROR says why, and *PATH is the trace that it is about, or NULL. */
int diff_traces(const struct diff_options *options, struct output *o, const char **path, struct pilgrim_error *error);

#endif
