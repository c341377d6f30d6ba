/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace that is read: a file, or the standard input. */
#ifndef DECODER_TRACE_INPUT_H
#define DECODER_TRACE_INPUT_H

#include <stdio.h>

enum { INPUT_PATH_MAX = 64 };

/* Returns the path to open for PATH: itself, or for "-" one of the standard input, which is copied to a file without a
 * name if it is a pipe. PLACE is room for that path; *COPY becomes that file, to be closed behind the trace, or NULL.
 * NULL: it cannot be copied; errno says why. */
const char *input_path(const char *path, char place[INPUT_PATH_MAX], FILE **copy);

#endif
