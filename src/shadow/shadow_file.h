/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow's lines: one shadow for each struct thread, one file a process. */
#ifndef PILGRIM_SHADOW_FILE_H
#define PILGRIM_SHADOW_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "shadow/shadow.h"

struct thread;

/* NULL where memory is short. It stays until the process ends, as T does. */
struct shadow *shadow_new(struct thread *t);

/* The thread's next call begins; it ended and was recorded as its call number SEQ. START, END: ticks, as the wrapper
 * read them. */
void shadow_begin(struct shadow *s, uint32_t function, const void *site, bool fortran);
void shadow_end(struct shadow *s, uint64_t seq, uint64_t start, uint64_t end);

/* Lines wait in memory until the rank is known. Returns false if the file cannot be made or written. NUMBERED: other
 * processes may have the same rank, so take a new file. */
bool shadow_open_file(const char *folder, int rank, bool numbered);

/* Follows releases of objects, from the first call on. */
void shadow_follow(void);

/* MPI_Finalize begins: nothing more is written. */
void shadow_stop(void);

#endif
