/* SPDX-License-Identifier: BSD-3-Clause */
/* Records what a simulated rank does, through the tracer's own interface: keys as the wrappers write them, streams,
 * a fragment. */
#ifndef PILGRIM_SCALE_RECORD_H
#define PILGRIM_SCALE_RECORD_H

#include <stdint.h>

#include "record/stream_times.h"
#include "scale_patterns.h"

/* Return the stream of RANK's thread, and its process stream. The caller frees them. If memory is short the program
 * ends. */
struct stream *record_thread(const struct world *w, uint32_t rank);
struct stream *record_process(const struct world *w, uint32_t rank);

#endif
