/* SPDX-License-Identifier: BSD-3-Clause */
/* This process's part of the trace: fragments of what its threads have recorded. */
#ifndef PILGRIM_RANK_FRAGMENT_H
#define PILGRIM_RANK_FRAGMENT_H

#include "process/thread.h"
#include "merge/fragment_file.h"

/* What the run says of itself. Fills PROPERTIES, room for FRAGMENT_PROPERTIES_MAX; returns how many there are. */
size_t run_properties(struct fragment_property *properties);

/* All that is left in the streams, the process's own included, and times that travel (blocks.h), at the end; to be
 * freed. NULL: recording has failed, it was said why. */
struct fragment *rank_fragment_make(void);

/* What T has in its stream, as a segment of its own in which the other threads do nothing, with what is known of the
 * process so far. By thread T. NULL: no memory. */
struct fragment *rank_fragment_segment(const struct thread *t);

/* The same of what ended threads did, which is in E. With no other thread at that. */
struct fragment *rank_fragment_segment_ended(struct ended_threads *e);

/* A segment in which this process does nothing. NULL: no memory. */
struct fragment *rank_fragment_absence(void);

#endif
