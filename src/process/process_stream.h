/* SPDX-License-Identifier: BSD-3-Clause */
/* The process stream: the pseudo calls that belong to the process, not to one of its threads (docs/FORMAT.md, section
 * 7). Any thread may call these functions. */
#ifndef PILGRIM_PROCESS_STREAM_H
#define PILGRIM_PROCESS_STREAM_H

#include "base/bytes.h"
#include "pilgrim/status.h"

struct stream;

/* Begins a call of pilgrim_communicator. Returns its key, empty. Locks the stream until process_stream_add. */
struct bytes *process_stream_begin(void);

/* Records the call with its key and unlocks the stream. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status process_stream_add(void) PILGRIM_CHECKED;

/* Returns the stream as it is now and locks it until process_stream_resume. NULL: out of memory; it is then not
 * locked. */
const struct stream *process_stream_so_far(void);
void process_stream_resume(void);

/* Returns the stream; the caller frees it. Nothing may be recorded in it after this. NULL: out of memory. */
struct stream *process_stream_end(void);

#endif
