/* SPDX-License-Identifier: BSD-3-Clause */
/* The shadow's lines: a struct shadow for each struct thread, a file for each process. */
#ifndef PILGRIM_SHADOW_FILE_H
#define PILGRIM_SHADOW_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "shadow/shadow.h"

struct thread;

/* Returns a new shadow of T, which lives as long as the process. NULL: out of memory. */
struct shadow *shadow_new(struct thread *t);

/* The thread's next call begins, inside the call of OUTER if that is not NULL; it has ended and was recorded as its
 * call number SEQ. START, END: clock ticks, as the wrapper read them. */
void shadow_begin(struct shadow *s, uint32_t function, const void *site, bool fortran, const struct shadow *outer);
void shadow_end(struct shadow *s, uint64_t seq, uint64_t start, uint64_t end);

/* Opens the file. Until then lines wait in memory, because the rank is unknown. NUMBERED: other processes may have the
 * same rank, so use a file that does not exist yet. False: the file cannot be created or written. */
bool shadow_open_file(const char *folder, int rank, bool numbered);

/* Begins to write lines about released objects. Call it before the first MPI call. */
void shadow_follow(void);

/* Ends the file: MPI_Finalize begins. */
void shadow_stop(void);

#endif
