/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the first and the last call of threads; see thread_span.h. */
#include "analysis/thread_span.h"

#include "analysis/analysis_errors.h"

/* Reads call SEQ. *TIMED: it has times. */
static enum pilgrim_status read_call(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, uint64_t seq,
                                     struct pilgrim_call *call, bool *timed, struct pilgrim_error *error)
{
    struct pilgrim_cursor *cursor;
    enum pilgrim_status status = pilgrim_cursor_open(trace, rank, thread, &cursor, error);
    if (status != PILGRIM_OK)
        return status;
    status = pilgrim_cursor_skip(cursor, seq) == PILGRIM_OK ? PILGRIM_OK : no_memory(error);
    *timed = status == PILGRIM_OK && pilgrim_cursor_next(cursor, call, NULL) == PILGRIM_OK && call->timed;
    pilgrim_cursor_close(cursor);
    return status;
}

enum pilgrim_status thread_span(const struct pilgrim_trace *trace, uint32_t rank, uint32_t thread, uint64_t *first_ns,
                                uint64_t *last_ns, bool *timed, struct pilgrim_error *error)
{
    const uint64_t count = pilgrim_call_count(trace, rank, thread);
    struct pilgrim_call first = {0}, last = {0};
    *timed = false;
    if (count == 0)
        return PILGRIM_OK;
    enum pilgrim_status status = read_call(trace, rank, thread, 0, &first, timed, error);
    if (status == PILGRIM_OK && *timed)
        status = read_call(trace, rank, thread, count - 1, &last, timed, error);
    *first_ns = first.start_ns;
    *last_ns = last.end_ns;
    return status;
}
