/* Memory while recording is bounded (PILGRIM_MEMORY): a thread whose stream has reached its share of it seals what it has recorded as a
 * round of this process (docs/FORMAT.md, section 2), puts that in the process's fragment file next to the trace, and begins anew.
 *
 * Any thread may call these, but for what is said of the end. */
#ifndef PILGRIM_SPILL_H
#define PILGRIM_SPILL_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/thread.h"
#include "merge/fragment_file.h"

/* PROCESSES of the run are on this machine: the bound is known from now on, and the process's rank and run. */
void spill_begin(int processes);

/* T, which is this thread, is new. */
void spill_watch(struct thread *t);

/* T, which is this thread, has recorded a call, and t->grown was set: its stream may have reached its share. */
void spill_consider(struct thread *t);

/* ---- at the end: one thread is left ---- */

/* Nothing is put away any more. First, what all threads have together is brought down to what may be gathered at once. */
void spill_end(void);

/* How many rounds are in the file. */
uint32_t spill_rounds(void);

/* The folder of the file, if there are rounds, and whether this process made it, as the first one of the run. */
const char *spill_folder(void);
bool spill_first(void);

/* Round NUMBER, sealed, appended to SEALED. errors: PILGRIM_NOMEM, PILGRIM_IO (errno) */
enum pilgrim_status spill_read(uint32_t number, struct bytes *sealed) PILGRIM_CHECKED;

/* Puts SEALED, what the file ends with, there. errors: PILGRIM_NOMEM, PILGRIM_IO (errno) */
enum pilgrim_status spill_complete(const struct bytes *sealed) PILGRIM_CHECKED;

/* Removes the file, and the folder with the last file in it. */
void spill_remove(void);

/* Appends to FILE the beginning of this process's fragment file. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status spill_head(struct bytes *file) PILGRIM_CHECKED;

/* The path of this process's file in folder IN, in FILE (empty at first, to be freed). errors: PILGRIM_NOMEM */
enum pilgrim_status spill_path(const char *in, struct bytes *file) PILGRIM_CHECKED;

#endif
