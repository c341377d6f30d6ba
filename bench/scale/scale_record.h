/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording what a simulated rank does, through the tracer's own interface: keys as the wrappers write them, streams, a
 * fragment. */
#ifndef PILGRIM_SCALE_RECORD_H
#define PILGRIM_SCALE_RECORD_H

#include <stdint.h>

#include "record/stream_times.h"
#include "scale_patterns.h"

/* The streams of RANK; the caller frees them. Memory that is short ends the program. */
struct stream *record_thread(const struct world *w, uint32_t rank);
struct stream *record_process(const struct world *w, uint32_t rank);

#endif
