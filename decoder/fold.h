/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortens long lists of names, such as those of hosts and switches. */
#ifndef DECODER_FOLD_H
#define DECODER_FOLD_H

#include <stddef.h>

/* Returns the set of COUNT names as expressions with commas between them: "node[0001-0016]", "r[0-3]n[1-15/2]",
 * "login1,node[1-2,7]". Brackets hold numbers, ranges, and ranges with a step, as wide as the names write them; several
 * brackets stand for each combination. To be freed; NULL: no memory. */
char *fold_names(const char *const *names, size_t count);

#endif
