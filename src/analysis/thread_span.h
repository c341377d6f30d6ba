/* SPDX-License-Identifier: BSD-3-Clause */
/* From when to when a thread has calls. */
#ifndef ANALYSIS_THREAD_SPAN_H
#define ANALYSIS_THREAD_SPAN_H

#include <pilgrim/reader.h>

/* Sets *FIRST_NS to the start of the thread's first call and *LAST_NS to the end of its last one, by its own clock;
 * *TIMED is false if one of them has no times, or there are no calls. errors: as pilgrim_cursor_open */
enum pilgrim_status thread_span(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, uint64_t *first_ns,
                                uint64_t *last_ns, bool *timed, struct pilgrim_error *error) PILGRIM_CHECKED;

#endif
