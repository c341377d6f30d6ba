/* SPDX-License-Identifier: BSD-3-Clause */
/* The finished sections with the times of calls (docs/FORMAT.md, section 6), from the moment when a thread has filled
 * one until they are in the trace. They stay in memory up to a share of PILGRIM_MEMORY; then they are appended to the
 * process's fragment file.
 *
 * If that file cannot be written, one line says so and no further times are kept. Calls are still recorded.
 *
 * Any thread may call these functions, except for those marked as for the end. */
#ifndef PILGRIM_TIMES_SECTIONS_H
#define PILGRIM_TIMES_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "pilgrim/status.h"

/* At most so many bytes of times travel with a process's fragment. */
enum { TIMES_TRAVEL_BYTES = 1 << 18 };

/* Makes a section of the times of thread THREAD, from its call number FIRST on. CONTENT is the section from its field
 * `calls` on. ENDS has the offsets in CONTENT where its columns end, as size_t's. Leaves errno as it is, and is no
 * cancellation point. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status times_sections_put(uint32_t thread, uint64_t first, const struct bytes *content,
                                       const struct bytes *ends) PILGRIM_CHECKED;

/* Appends the sections in memory to the fragment file. */
void times_sections_write_out(void);

/* Discards all sections. */
void times_sections_forget(void);

/* ---- at the end, when one thread is left ---- */

/* True if the sections stay with this process: they are in the file, or are too many to travel with its fragment. */
bool times_sections_stay(void);

/* Appends the sections in memory to TO and forgets them. errors: PILGRIM_NOMEM (nothing is changed) */
enum pilgrim_status times_sections_take(struct bytes *sections) PILGRIM_CHECKED;

/* Returns the size of all sections in bytes. */
uint64_t times_sections_bytes(void);

/* Passes all sections to USE, in their order, a few MiB at a time. Stops when USE does not return PILGRIM_OK, and
 * returns what it returned. errors: PILGRIM_NOMEM, PILGRIM_IO (errno) */
enum pilgrim_status times_sections_each(enum pilgrim_status (*use)(void *context, const uint8_t *data, size_t length),
                                        void *context) PILGRIM_CHECKED;

#endif
