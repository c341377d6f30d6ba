/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in place of the program's: of files and ports. No path of the trace is touched. */
#ifndef REPLAY_FILES_H
#define REPLAY_FILES_H

#include <stddef.h>

#include "replay_scratch.h"

enum { REPLAY_NAME_BYTES = 64, REPLAY_PATH_BYTES = 4096 };

/* Writes a name that depends on TEXT, and is no part of it.
 * name: at least REPLAY_NAME_BYTES */
void files_replaced(char *name, const char *text, size_t length);

/* Returns the path in FOLDER that stands for a recorded file name; NULL: no memory. */
char *files_path(struct replay_scratch *scratch, const char *folder, const char *text, size_t length);

/* Makes the file if it is not there: the program's was there before. */
void files_make(const char *path);

/* The port that the trace calls TEXT is called PORT here. */
void files_port_opened(const char *folder, const char *text, size_t length, const char *port);

/* Returns what a recorded port is called here. Another rank may have to open it first: waits for LIMIT_S seconds at
 * most (0: not at all), then returns NULL. */
char *files_port(struct replay_scratch *scratch, const char *folder, const char *text, size_t length, double limit_s);

/* Returns a new folder in TMPDIR, else /tmp, which its owner alone can use; NULL: there is none.
 * memory: static */
const char *files_folder_new(void);

/* Makes a folder of that name, unless it is there; nothing in it is followed. */
void files_folder_share(const char *folder);

/* Removes the folder and the files in it. */
void files_folder_remove(const char *folder);

#endif
