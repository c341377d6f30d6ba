/* SPDX-License-Identifier: BSD-3-Clause */
/* What the system says of a process. Process ids are used again: a process is its id and the time at which it was
 * started. */
#ifndef PILGRIM_PROCESS_STATE_H
#define PILGRIM_PROCESS_STATE_H

#include <stdint.h>

/* Returns when this process was started: field 22 of /proc/self/stat; 0: unknown. */
uint64_t process_started(void);

/* Returns the state of process PID of this machine, started at STARTED, as a letter of /proc/PID/stat; 0: it has ended.
 * Async-signal-safe. */
char process_state(uint32_t pid, uint64_t started);

/* Returns the inode of the namespace of process ids that this process is in; 0: unknown. */
uint32_t process_id_space(void);

#endif
