/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder in which all processes of a run leave files. A folder that another user could change is not used. */
#ifndef PILGRIM_RUN_FOLDER_H
#define PILGRIM_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

#define RUN_FOLDER_SUFFIX ".fragments"

/* The file in the folder that says that a process has told the user about it. */
#define RUN_FOLDER_SAID "said"

/* The number of a folder that nobody has told. */
#define RUN_FOLDER_ANY UINT32_MAX

/* Finds or makes the folder of a run: PATH with RUN_FOLDER_SUFFIX, with a number as for output_write if something else
 * has that name. RUN is a random number that only this run's processes know. Processes that share a file system get the
 * same folder; *FIRST is true in one of them. *NUMBER is set to its number; before, it is what another process has got,
 * or RUN_FOLDER_ANY. BEGINS: no other process of the run looks for the folder before this returns, so the names of a
 * thousand other runs are not tried one by one. FOLDER (to be freed) gets the name, 0-terminated. Leaves no empty
 * folder.
 * errors: PILGRIM_NOMEM, PILGRIM_IO (errno; FOLDER is the path that failed) */
enum pilgrim_status run_folder_make(const char *path, uint64_t run, bool begins, uint32_t *number, struct bytes *folder,
                                    bool *first) PILGRIM_CHECKED;

/* Opens FOLDER, if it still is RUN's. Returns a descriptor, or -1 with errno. */
int run_folder_open(const char *folder, uint64_t run);

/* Removes FOLDER, made by run_folder_make, if it has no files of the run left. True if it is gone. */
bool run_folder_remove(const char *folder);

#endif
