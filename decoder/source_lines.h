/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines of call sites, where the program is at hand with debug information. */
#ifndef DECODER_SOURCE_LINES_H
#define DECODER_SOURCE_LINES_H

#include <stdint.h>

#include "pilgrim/reader.h"

struct source_lines;

/* Programs are looked for in FOLDERS (with colons between them, NULL: none), beside the trace at TRACE_PATH, in the
 * working directory and in PATH, libraries in LD_LIBRARY_PATH and the loader's usual folders too. Both are borrowed.
 * NULL where memory is short or the decoder was built without libdw. */
struct source_lines *source_lines_new(const char *trace_path, const char *folders);
void source_lines_free(struct source_lines *lines);

/* "FILE:LINE" of the call that returns to FRAME, or NULL. Borrowed until the next call. The first time that a module is
 * found, but not the one that was traced, a line on stderr says so. */
const char *source_lines_find(struct source_lines *lines, const struct pilgrim_frame *frame);

#endif
