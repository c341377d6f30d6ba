/* SPDX-License-Identifier: BSD-3-Clause */
/* Inline functions for what put_requests.c, put_status.c and put_waited.c do alike with operations that completed: the
 * usual status of one, and its end. */
#ifndef PILGRIM_COMPLETED_INLINE_H
#define PILGRIM_COMPLETED_INLINE_H

#include "base/value.h"
#include "format/trace_format.h"
#include "objects/thread_requests_inline.h"
#include "wrap/call_inline.h"
#include "wrap/status_fields.h"

/* ---- statuses ---- */

/* The reader remembers a bounded number of receives (docs/FORMAT.md, section 5): in each class, those with an index
 * below POSTED_INDEX_LIMIT. For a call with a single request the limit is POSTED_ALONE: if more are in flight, the
 * statuses themselves are alike. */
enum { POSTED_ALONE = 64 };

/* Which receives the reader of a call remembers. */
struct remembered {
    uint32_t thread, segment; /* those that were posted there, ... */
    uint32_t limit;           /* ... with a request index below this */
};

/* COUNT: how many operations the call has, fewer than VALUE_SERIES_MIN. */
static inline struct remembered remembered_by(const struct call *c, int64_t count)
{
    return (struct remembered){.thread = c->thread->index,
                               .segment = c->thread->segment,
                               .limit = count == 1 ? POSTED_ALONE : POSTED_INDEX_LIMIT};
}

/* True if the source and the tag in STATUS are those that OPERATION was posted with, and the reader knows them. */
static inline bool came_as_posted(struct remembered by, const struct operation *operation, const MPI_Status *status)
{
    const struct posting *posted = &operation->posted;
    return posted->count != 0 && operation->request_index < by.limit &&
           operation_class(operation) >> REQUEST_THREAD_SHIFT == (int64_t)by.thread && posted->segment == by.segment &&
           status->MPI_SOURCE == posted->source && status->MPI_TAG == posted->tag;
}

/* Returns BYTES divided by COUNT, which is not 0; 0: there is a remainder, or no bytes. */
static inline int64_t unit_of(int64_t bytes, int64_t count)
{
    if (bytes == 0 || count == 1)
        return bytes;
    if ((uint64_t)bytes <= UINT32_MAX && (uint64_t)count <= UINT32_MAX) /* a much faster division */
        return (uint32_t)bytes % (uint32_t)count ? 0 : (uint32_t)bytes / (uint32_t)count;
    return bytes % count ? 0 : bytes / count;
}

enum { POSTED_BYTES = 2 + 2 * SLOT_BYTES };

static inline uint8_t *store_posted(uint8_t *at, int64_t index, int64_t unit, bool ignored)
{
    at[0] = VALUE_POSTED;
    at[1] = ignored ? STATUS_IGNORED : 0;
    return store_slot(store_slot(at + 2, index), unit);
}

enum { KIND_MASK = 7 << 1 | 1 }; /* in `what` of an operation: its kind, and whether it is persistent */

/* Stores the status of OPERATION, number INDEX of the call, if it is a completed send, or a receive that came as
 * posted, and not persistent. At most POSTED_BYTES. NULL: it is another one, and nothing was stored. BY is for a call
 * that is recorded. */
CALL_INLINE uint8_t *store_usual(struct remembered by, uint8_t *at, int64_t index, const struct operation *operation,
                                 const MPI_Status *status, bool ignored)
{
    if (!CALL_LIKELY(operation->active))
        return NULL;
    if ((operation->what & KIND_MASK) == REQUEST_SEND << 1)
        return store_none(at, 1);
    if ((operation->what & KIND_MASK) != REQUEST_RECV << 1 || !CALL_LIKELY(came_as_posted(by, operation, status)))
        return NULL;
    int64_t bytes = 0;
    int64_t unit = status_read_plainly(status, &bytes) ? unit_of(bytes, operation->posted.count) : 0;
    return CALL_LIKELY(unit) ? store_posted(at, index, unit, ignored) : NULL;
}

/* ---- ends ---- */

/* Ends the operation O with NAME, which is live and of the thread T, if that is easy, while requests_end_quickly; the
 * caller calls found_end and requests_ended then. False: it did nothing. */
CALL_INLINE bool end_easily(struct thread *t, struct thread_requests *r, struct operation *o,
                            struct operation_name name)
{
    if (!CALL_LIKELY(live_end_quickly(&t->live, name.class_number, name.request_index)))
        return false;
    request_end_quickly(r, o, name.class_number, (uint32_t)name.request_index);
    return true;
}

/* Ends operation number I of the call in any case, after all its tokens were stored. NAME: how the reader knows it. */
void end_slowly(struct call *c, int64_t i, struct operation_name name);

#endif
