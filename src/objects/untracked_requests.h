/* SPDX-License-Identifier: BSD-3-Clause */
/* Untracked requests: begun while recording was paused or filtered. They may complete in a recorded call, which then
 * must know what their statuses mean.
 *
 * A small table by handle, in which a new entry overwrites an older one of the same hash. Each untracked beginning
 * writes it, so an entry is never about an older request of the same handle. If the entry was overwritten, only the
 * handle is known. Any thread; no lock. */
#ifndef PILGRIM_UNTRACKED_REQUESTS_H
#define PILGRIM_UNTRACKED_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/requests.h"

/* Notes that HANDLE was begun untracked. BASE: for kinds of receives, the index of the rank base that the source in
 * its status refers to. */
void untracked_request_begun(uint64_t handle, enum request_kind kind, uint32_t base);

/* Returns true, and forgets HANDLE, if it was begun untracked. Called for a HANDLE that is in no thread requests. */
bool untracked_request_take(uint64_t handle, enum request_kind *kind, uint32_t *base);

#endif
