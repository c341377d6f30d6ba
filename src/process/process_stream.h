/* SPDX-License-Identifier: BSD-3-Clause */
/* The process stream: the pseudo calls of what belongs to the process rather than to one of its threads
 * (docs/FORMAT.md, section 7). Any thread. */
#ifndef PILGRIM_PROCESS_STREAM_H
#define PILGRIM_PROCESS_STREAM_H

#include "base/bytes.h"
#include "pilgrim/status.h"

struct stream;

/* A call of pilgrim_communicator begins. Returns its key, empty. The stream is locked until process_stream_add. */
struct bytes *process_stream_begin(void);

/* Records the call with its key. errors: PILGRIM_NOMEM, PILGRIM_LIMIT */
enum pilgrim_status process_stream_add(void) PILGRIM_CHECKED;

/* The stream so far. It is locked until process_stream_resume. NULL: no memory; it is not locked then. */
const struct stream *process_stream_so_far(void);
void process_stream_resume(void);

/* Hands the stream over, to be freed. Nothing is recorded after this. NULL: no memory. */
struct stream *process_stream_end(void);

#endif
