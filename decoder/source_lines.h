/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the source lines of call sites, if the program is there with debug information. */
#ifndef DECODER_SOURCE_LINES_H
#define DECODER_SOURCE_LINES_H

#include <stdint.h>

#include "pilgrim/reader.h"

struct source_lines;

/* Returns a finder of source lines. It searches for programs and libraries in FOLDERS (with colons between them; NULL:
 * none), beside the trace at TRACE_PATH, in the working directory, in PATH, in LD_LIBRARY_PATH and in the loader's
 * usual folders. Both strings are borrowed. NULL if memory is short, or if the decoder was built without libdw. */
struct source_lines *source_lines_new(const char *trace_path, const char *folders);
void source_lines_free(struct source_lines *lines);

/* Returns "FILE:LINE" of the call that returns to FRAME, or NULL. Borrowed until the next call. If only other builds of
 * a module are found, one line on stderr says so, once. */
const char *source_lines_find(struct source_lines *lines, const struct pilgrim_frame *frame);

#endif
