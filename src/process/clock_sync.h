/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock synchronisation: by how much each process's clock differs from rank 0's. It is measured when MPI is initialised
 * and again when it is finalised, so that drift is known. Done only if the times of single calls are kept; rank 0's
 * setting decides for all. The method is in clock_sync.c. */
#ifndef PILGRIM_CLOCK_SYNC_H
#define PILGRIM_CLOCK_SYNC_H

#include <stdbool.h>

#include "base/bytes.h"

/* The property "clock_method" of a trace in which clock_sync_known is true. */
extern const char clock_sync_method[];

/* Does the first measurement. Collective over capture.comm, after capture_agree and clock_settle. */
void clock_sync_begin(void);

/* Does the second measurement, before the gather. All processes that called clock_sync_begin call this. If one does
 * not, the others wait for it at most a quarter of the time that they would wait for its fragment. Without a second
 * measurement, the first one stands alone. */
void clock_sync_end(void);

/* True if this process's clock was measured and the times of calls are kept. */
bool clock_sync_known(void);

/* Appends the value of pilgrim_process's parameter `clock` (docs/FORMAT.md, section 6) to KEY; null unless
 * clock_sync_known. */
void clock_sync_put(struct bytes *key);

#endif
