/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares two traces as two programs. */
#ifndef PILGRIM_DIFF_DIFF_RUN_H
#define PILGRIM_DIFF_DIFF_RUN_H

#include "../../decoder/output.h"
#include "diff_options.h"

/* Compares what OPTIONS name, and prints what differs to O, which is not flushed. Returns an exit status; if that is
 * EXIT_WRONG, a line on stderr says why, and nothing was printed. */
int diff_run(const struct diff_options *options, struct output *o);

#endif
