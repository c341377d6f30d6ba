/* Source lines of call sites, where the program is at hand with debug information. */
#ifndef DECODER_SOURCE_LINES_H
#define DECODER_SOURCE_LINES_H

#include <stdint.h>

struct source_lines;

/* TRACE_PATH (borrowed): programs are looked for beside the trace, in the working directory and in PATH, libraries in the
 * loader's usual folders too. NULL where memory is short or the decoder was built without libdw. */
struct source_lines *source_lines_new(const char *trace_path);
void source_lines_free(struct source_lines *lines);

/* "FILE:LINE" of the call that returns to MODULE + OFFSET, or NULL. Borrowed until the next call. */
const char *source_lines_find(struct source_lines *lines, const char *module, uint64_t offset);

#endif
