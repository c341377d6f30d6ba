/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the source lines of call sites, if the program is there with debug information, and else their functions, if
 * the trace knows them. */
#ifndef ANALYSIS_SOURCE_LINES_H
#define ANALYSIS_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pilgrim/reader.h"

struct source_lines;

/* Returns a finder of source lines. It searches for programs and libraries where module_files_search does; both strings
 * are borrowed. TRACE_PATH, of the trace, tells how old that is; NULL: it searches for no files. Without libdw it finds
 * no lines. NULL if memory is short. */
struct source_lines *source_lines_new(const char *trace_path, const char *folders);
void source_lines_free(struct source_lines *lines);

/* True if it searches for files, and the user said where to begin. LINES may be NULL. */
bool source_lines_asked(const struct source_lines *lines);

/* Says in which FOLDER the program ran: the trace's property "folder". Borrowed; NULL: unknown. */
void source_lines_ran_in(struct source_lines *lines, const char *folder);

/* Gives LINES the function that prints a warning, a line without a newline. Without it, nothing is printed. */
typedef void source_lines_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void source_lines_warn(struct source_lines *lines, source_lines_warning *warn);

/* Gives LINES the functions of TRACE, as pilgrim_frame_function has them: other users of this file have no traces. */
typedef const char *frame_function(const struct pilgrim_trace *trace, const struct pilgrim_frame *frame,
                                   uint64_t *offset);
void source_lines_use_trace(struct source_lines *lines, const struct pilgrim_trace *trace, frame_function *function);

/* Returns "FILE:LINE" of the call that returns to FRAME, else "FUNCTION+0xOFFSET" as the trace knows it, or NULL.
 * Borrowed until the next call. If only other builds of a module are found, a warning says so, once. */
const char *source_lines_find(struct source_lines *lines, const struct pilgrim_frame *frame);

/* Returns what a person reads of FRAME: that, else "MODULE+0xOFFSET"; "?" if FRAME is NULL. LINES may be NULL: then no
 * lines are known. The caller frees it. NULL: no memory */
char *source_lines_place(struct source_lines *lines, const struct pilgrim_frame *frame);

/* A function that a frame is in, and where: "FILE:LINE", or "FUNCTION+0xOFFSET" where only symbols are known. A name
 * may be cut. */
struct source_function {
    char name[256], place[256];
};

/* Sets FUNCTION to the one that FRAME is in, as the trace knows it. False: it does not. */
bool source_lines_symbol(const struct source_lines *lines, const struct pilgrim_frame *frame,
                         struct source_function *function);

/* Returns the caller of FRAME. NULL: there is none, or only the code of the C library that starts the program or the
 * thread. Where that is in a library of its own it is not recorded; in a static program its names tell it. LINES may be
 * NULL: then no names are known. */
const struct pilgrim_frame *source_lines_caller(const struct source_lines *lines, const struct pilgrim_frame *frame);

enum { SOURCE_FUNCTIONS_MAX = 16 };

/* Sets FUNCTIONS to the functions that FRAME is in, the innermost first, and returns how many there are. There are
 * several where functions were inlined; the place of each but the first is where it calls the one before. 0: the names
 * are not known. LINES may be NULL. */
size_t source_lines_functions(struct source_lines *lines, const struct pilgrim_frame *frame,
                              struct source_function functions[SOURCE_FUNCTIONS_MAX]);

#endif
