/* SPDX-License-Identifier: BSD-3-Clause */
/* Where files of programs and libraries are searched. */
#ifndef ANALYSIS_MODULE_FILES_H
#define ANALYSIS_MODULE_FILES_H

#include <stdbool.h>

/* Returns true if the file at PATH ends the search. It may not be there. */
typedef bool module_file_try(void *data, const char *path);

/* Tries files called NAME in FOLDERS (with colons between them; NULL: none), beside the trace at TRACE_PATH, in the
 * working directory, in PATH, in LD_LIBRARY_PATH and in the loader's usual folders, until one ends the search. False:
 * none did. A name with folders in it is not searched: a damaged trace must not lead anywhere else. */
bool module_files_search(const char *name, const char *folders, const char *trace_path, module_file_try *try,
                         void *data);

#endif
