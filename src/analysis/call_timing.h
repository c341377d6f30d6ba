/* SPDX-License-Identifier: BSD-3-Clause */
/* Says if a trace has times of single calls (PILGRIM_TIMING=bins or exact). */
#ifndef ANALYSIS_CALL_TIMING_H
#define ANALYSIS_CALL_TIMING_H

#include <string.h>

#include <pilgrim/reader.h>

static inline bool calls_have_times(const struct pilgrim_trace *trace)
{
    const char *timing = pilgrim_property(trace, "timing");
    return timing && (strncmp(timing, "bins", strlen("bins")) == 0 || strcmp(timing, "exact") == 0);
}

#endif
