/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of hosts and switches, many of them in few words. */
#ifndef DECODER_FOLD_H
#define DECODER_FOLD_H

#include <stddef.h>

/* The set of COUNT names as expressions with commas between them: "node[0001-0016]", "r[0-3]n[1-15/2]",
 * "login1,node[1-2,7]". In brackets stand numbers, ranges, and ranges with a step, written as wide as they are in the
 * names; of several brackets each combination is meant. To be freed; NULL: no memory. */
char *fold_names(const char *const *names, size_t count);

#endif
