/* SPDX-License-Identifier: BSD-3-Clause */
/* What targets do with a trace that pilgrim-merge has made. */
#ifndef TESTS_FUZZ_READ_TRACE_H
#define TESTS_FUZZ_READ_TRACE_H

#include "fuzz.h"
#include "walk_trace.h"

/* The trace that was made can be read as far as it goes; removes it. */
static inline void read_trace(const char *path)
{
    struct pilgrim_trace *trace;
    struct pilgrim_error error;
    enum pilgrim_status status = pilgrim_open(path, &trace, &error);
    ck_assert_msg(status == PILGRIM_OK && (error.status == PILGRIM_OK || strstr(error.message, "times")),
                  "the trace that was made: %s\n", error.message);
    walk_trace(trace);
    pilgrim_close(trace);
    unlink(path);
}

#endif
