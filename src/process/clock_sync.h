/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of all processes on one time axis: what each differs from that of rank 0, measured when MPI is initialised
 * and again when it is finalized, so that drift is known too. Only where the times of single calls are kept; rank 0
 * decides for all. See clock_sync.c. */
#ifndef PILGRIM_CLOCK_SYNC_H
#define PILGRIM_CLOCK_SYNC_H

#include <stdbool.h>

#include "base/bytes.h"

/* The property "clock_method" of a trace in which clock_sync_known. */
extern const char clock_sync_method[];

/* The first measurement. Collective over capture.comm, once capture.run is agreed on and clock_time_ns has its final
 * scale. */
void clock_sync_begin(void);

/* The second one. By all processes that have begun, before the gather; one that does not come costs the others a
 * quarter of the time that they would wait for its fragment. Without one, or where there is nobody to wait for, what
 * was measured first stands alone. */
void clock_sync_end(void);

/* Whether anything is known. */
bool clock_sync_known(void);

/* Appends to KEY the value of pilgrim_process's parameter `clock` (docs/FORMAT.md, section 6); null unless
 * clock_sync_known.
 */
void clock_sync_put(struct bytes *key);

#endif
