/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of calls, as sections of the trace (docs/FORMAT.md, section 6), from when a thread has filled one until
 * they are in the trace. They are kept in memory up to a share of what recording may keep (PILGRIM_MEMORY), then
 * appended to the process's fragment file.
 *
 * If that cannot be written, it is said, and no further times are kept: the calls are recorded without.
 *
 * Any thread may call these, but for what is said of the end. */
#ifndef PILGRIM_TIMES_SECTIONS_H
#define PILGRIM_TIMES_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* What a process may have of times for them to travel with its fragment. */
enum { TIMES_TRAVEL_BYTES = 1 << 18 };

/* The next calls of thread THREAD of this process, from number FIRST on: CONTENT is what a section has from `calls` on,
 * ENDS, as size_t's, where its columns end. errno is as before; no point where the thread may be cancelled. errors:
 * PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status times_sections_put(uint32_t thread, uint64_t first, const struct bytes *content,
                                       const struct bytes *ends) PILGRIM_CHECKED;

/* All that is in memory goes into the file. */
void times_sections_write_out(void);

/* Nothing is known of any times. */
void times_sections_forget(void);

/* ---- at the end: one thread is left ---- */

/* Whether they do not travel: they are in the file, or are too many. */
bool times_sections_stay(void);

/* Moves what is in memory behind SECTIONS, where nothing is then. errors: PILGRIM_NOMEM (unchanged) */
enum pilgrim_status times_sections_take(struct bytes *sections) PILGRIM_CHECKED;

/* How many bytes of sections there are. */
uint64_t times_sections_bytes(void);

/* Goes through all of them, in their order, a few MiB at a time: USE gets DATA until it does not return PILGRIM_OK,
 * which is returned then. errors: PILGRIM_NOMEM, PILGRIM_IO (errno) */
enum pilgrim_status times_sections_each(enum pilgrim_status (*use)(void *context, const uint8_t *data, size_t length),
                                        void *context) PILGRIM_CHECKED;

#endif
