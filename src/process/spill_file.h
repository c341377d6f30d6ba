/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's fragment file (docs/FORMAT.md, appendix), in the run's folder next to the trace. It receives what
 * memory has no room for. The first append creates it. Its path is absolute, so chdir does not move it. If it cannot be
 * created there, or cannot grow, it is created in or moved to a folder for temporary files, a line says so, and the
 * run's folder has a link to it.
 *
 * The program must not notice: writing raises no signal, and the file is open only while it is read or written. Any
 * thread may call these functions. */
#ifndef PILGRIM_SPILL_FILE_H
#define PILGRIM_SPILL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* A range of bytes in the file. */
struct spill_extent {
    uint64_t start, length;
};

/* Appends DATA, all of it or nothing. Sets *EXTENT to where it is. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_IO
 * (errno) */
enum pilgrim_status spill_file_append(const struct bytes *data, struct spill_extent *extent) PILGRIM_CHECKED;

/* Appends the bytes at EXTENT to DATA. errors: PILGRIM_NOMEM, PILGRIM_IO (errno; 0: the file is too short) */
enum pilgrim_status spill_file_read(const struct spill_extent *extent, struct bytes *data) PILGRIM_CHECKED;

/* Returns the bytes of the file so far; 0 if there is none. */
uint64_t spill_file_length(void);

/* Sets PATH (empty at first, freed by the caller) to the absolute path of the file NAME in the folder, which is made if
 * there is none. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_IO (errno; PATH is what could not be made) */
enum pilgrim_status spill_file_path_in_folder(const char *name, struct bytes *path) PILGRIM_CHECKED;

/* For messages (capture_shown): spill_file_path returns the file's path, or the one that failed, or the trace's path.
 * spill_file_folder returns its folder, or the one where other processes may have theirs; NULL: there is none.
 * spill_file_first is true if this process created the folder, as the first process of the run. */
const char *spill_file_path(void);
const char *spill_file_folder(void);
bool spill_file_first(void);

/* True if this process made the folder of the run, on its machine at least. */
bool spill_file_made_folder(void);

/* Appends the head of the fragment file to FILE. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status spill_file_head(struct bytes *file) PILGRIM_CHECKED;

/* Makes the folder of the run, for the other processes to find. Returns what spill_file_know_folder takes in these; 0:
 * they are to look for it, or to make one. */
uint32_t spill_file_make_folder(void);
void spill_file_know_folder(uint32_t told);

/* Returns the path of the run's folder, if this process has found or made it; else NULL. */
const char *spill_file_known_folder(void);

/* Takes NAME, which spill_file_known_folder has returned in another process of this machine. False: out of memory. */
bool spill_file_take_folder(const char *name);

/* Removes the file. A new one may be begun after this. */
void spill_file_remove(void);

/* Nothing is appended any more: if the file is elsewhere, or there is none, removes the run's folder if that is empty.
 */
void spill_file_end(void);

#endif
