/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens when the process has no memory left: the program comes first. */
#ifndef PILGRIM_SHORT_MEMORY_H
#define PILGRIM_SHORT_MEMORY_H

#include <stdbool.h>

#include "process/thread.h"

/* Takes the reserve. From now on, if memory cannot be had, by whomever in the process, Pilgrim gives back what it has.
 */
void short_memory_begin(void);

/* At the end of a call of T: if the reserve is gone, writes what T has recorded to a file and takes the reserve again.
 * False: that failed. Recording stops, and T has no stream any more. */
bool short_memory_settle(struct thread *t);

/* Frees the reserve: what was recorded is written now. */
void short_memory_end(void);

#endif
