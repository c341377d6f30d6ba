/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the functions on call paths, from files that are found by their names. */
#ifndef MERGE_FILE_SYMBOLS_H
#define MERGE_FILE_SYMBOLS_H

/* Lets the shards that are written from now on have names of functions. A module's file is searched where
 * module_files_search does, in FOLDERS (NULL: none) and where the program ran (NULL: unknown), both borrowed. It
 * counts only if it has the build-id that was recorded. */
void file_symbols_use(const char *folders, const char *ran_in);

#endif
