/* SPDX-License-Identifier: BSD-3-Clause */
/* Where in the machine this process runs: what the trace says of it, as arguments of pilgrim_process. No MPI here, and
 * nobody is asked: the reader makes the machine out of what the processes say each for itself. */
#ifndef PILGRIM_HOST_LOCATION_H
#define PILGRIM_HOST_LOCATION_H

#include <stdbool.h>

#include "base/bytes.h"

/* Appends to KEY the values of pilgrim_process's parameters `pid` and `place` (docs/FORMAT.md), null both unless KNOWN.
 */
void host_location_put(struct bytes *key, bool known);

/* The value of `place` for a process on HOST, which ADDRESS and PATTERN describe as SLURM_TOPOLOGY_ADDR and
 * SLURM_TOPOLOGY_ADDR_PATTERN do; NULL: not set. An address of another host, which a launcher's environment may bring,
 * or one that does not fit the pattern is left out. */
void host_location_put_of(struct bytes *key, const char *host, const char *address, const char *pattern);

#endif
