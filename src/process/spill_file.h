/* SPDX-License-Identifier: BSD-3-Clause */
/* This process's fragment file (docs/FORMAT.md, appendix), where it puts away what memory has no room for: next to the
 * trace, in the folder of the run. It is made when the first bytes come, and stays where it is wherever the program
 * goes with chdir.
 *
 * The application must not notice: writing raises no signal, and the file is open only while it is written or read. Any
 * thread may call these. */
#ifndef PILGRIM_SPILL_FILE_H
#define PILGRIM_SPILL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* Some bytes of the file. */
struct spill_extent {
    uint64_t start, length;
};

/* Appends DATA: all of it, or none. *EXTENT: where it stands. errors: PILGRIM_NOMEM, PILGRIM_LIMIT, PILGRIM_IO (errno)
 */
enum pilgrim_status spill_file_append(const struct bytes *data, struct spill_extent *extent) PILGRIM_CHECKED;

/* Appends the bytes at EXTENT to DATA. errors: PILGRIM_NOMEM, PILGRIM_IO (errno; 0: the file ends before) */
enum pilgrim_status spill_file_read(const struct spill_extent *extent, struct bytes *data) PILGRIM_CHECKED;

/* Whether there is one. */
bool spill_file_exists(void);

/* Its path, or the one that it would have, as far as that is known; its folder, absolute (NULL: there is no file), and
 * whether this process made that, as the first one of the run. */
const char *spill_file_path(void);
const char *spill_file_folder(void);
bool spill_file_first(void);

/* Removes it, and the folder with the last file in it. Another one may be begun. */
void spill_file_remove(void);

/* For a process that has put away nothing: the beginning of its file, appended to FILE; and in PATH (empty at first, to
 * be freed) where it goes in folder IN. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status spill_file_head(struct bytes *file) PILGRIM_CHECKED;
enum pilgrim_status spill_file_name(const char *in, struct bytes *path) PILGRIM_CHECKED;

#endif
