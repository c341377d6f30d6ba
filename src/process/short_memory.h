/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens when the process has no memory left: the program comes first. */
#ifndef PILGRIM_SHORT_MEMORY_H
#define PILGRIM_SHORT_MEMORY_H

/* Takes the reserve. From now on, if memory cannot be had, by whomever in the process, Pilgrim gives back what it has,
 * so that it can; recording stops then. */
void short_memory_begin(void);

/* Frees the reserve: what was recorded is written now. */
void short_memory_end(void);

#endif
