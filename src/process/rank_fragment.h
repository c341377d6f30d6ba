/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments of what this process recorded. */
#ifndef PILGRIM_RANK_FRAGMENT_H
#define PILGRIM_RANK_FRAGMENT_H

#include "process/thread.h"
#include "merge/fragment_file.h"

/* Fills PROPERTIES, which has room for FRAGMENT_PROPERTIES_MAX, with the properties of the run. Returns how many there
 * are. */
size_t run_properties(struct fragment_property *properties);

/* Returns a fragment of all that is left at the end: the streams of threads, the process stream, and times that travel
 * with the fragment (times_sections.h). The caller frees it. NULL: recording has failed, and a message said why. */
struct fragment *rank_fragment_make(void);

/* Returns a segment of what is in the stream of T, with the process stream so far. The other threads have no calls in
 * it. Called by thread T. NULL: out of memory. */
struct fragment *rank_fragment_segment(const struct thread *t);

/* Returns a segment of the ended threads' calls, which are in E. The other threads have no calls in it. NULL: out of
 * memory. */
struct fragment *rank_fragment_segment_ended(struct ended_threads *e);

/* Returns a segment in which this process has no calls. NULL: out of memory. */
struct fragment *rank_fragment_absence(void);

#endif
