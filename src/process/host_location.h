/* SPDX-License-Identifier: BSD-3-Clause */
/* Where in the machine this process runs: the arguments `pid` and `place` of the pseudo call pilgrim_process. Uses no
 * MPI and asks no other process: the reader builds the machine from what each process says of itself. */
#ifndef PILGRIM_HOST_LOCATION_H
#define PILGRIM_HOST_LOCATION_H

#include <stdbool.h>

#include "base/bytes.h"

/* Appends the values of pilgrim_process's parameters `pid` and `place` (docs/FORMAT.md) to KEY. Both are null unless
 * KNOWN. */
void host_location_put(struct bytes *key, bool known);

/* Appends the value of `place` for a process on HOST. ADDRESS and PATTERN are as in SLURM_TOPOLOGY_ADDR and
 * SLURM_TOPOLOGY_ADDR_PATTERN; NULL: not set. An address that does not fit the pattern is left out. So is the address
 * of another host, which a launcher may leave in the environment. */
void host_location_put_of(struct bytes *key, const char *host, const char *address, const char *pattern);

#endif
