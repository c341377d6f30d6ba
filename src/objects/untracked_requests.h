/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that were begun untracked, while recording was paused, and may be completed where it is not: what their
 * statuses mean.
 *
 * A small table by handle, the newest one of a place only. It is written at each such beginning, so that what it says
 * of a handle is not of another request before; of one that it has lost nothing is known but the handle. Any thread, no
 * lock. */
#ifndef PILGRIM_UNTRACKED_REQUESTS_H
#define PILGRIM_UNTRACKED_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/requests.h"

/* HANDLE was begun untracked. BASE: index of what the source of its status refers to, where KIND is one of receives. */
void untracked_request_begun(uint64_t handle, enum request_kind kind, uint32_t base);

/* HANDLE is not known to any book. True if it was begun untracked; it is forgotten then. */
bool untracked_request_take(uint64_t handle, enum request_kind *kind, uint32_t *base);

#endif
