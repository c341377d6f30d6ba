/* SPDX-License-Identifier: BSD-3-Clause */
/* The outputs of MPI_Waitall: its requests and its statuses; see put_requests.h. In most calls all operations have
 * completed, as their calls predicted. Then one loop stores both arrays and ends the operations. */
#include "wrap/completed_inline.h"

enum { NULL_BYTES = 3 };

_Static_assert(POSTED_BYTES > 1, "a status that is none is smaller");

/* True if store_requests has found the COUNT operations of the call among those of its thread, no operation has begun
 * or ended since, and they may be ended quickly. */
static inline bool found_unchanged(const struct call *c, int64_t count)
{
    const struct thread *t = c->thread;
    return count == c->operation_count && requests_unchanged(t->requests, t->finding.search) &&
           requests_end_quickly() && !c->dropped;
}

/* Stores the statuses and ends the operations. Returns where the next value goes; NULL: a status is another one than
 * most calls have, so all of them must be stored anew. The operations have ended in any case. */
CALL_INLINE uint8_t *end_all(struct call *c, uint8_t *at, const MPI_Status *statuses, int64_t count, bool ignored)
{
    struct thread *t = c->thread;
    struct thread_requests *r = t->requests;
    struct found_operation_bits *found = t->finding.found;
    const struct remembered by = remembered_by(c, count);
    size_t ended = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct found_operation_bits f = found[i];
        struct operation *o = found_operation(&f);
        const struct operation_name name = operation_name(o);
        if (CALL_LIKELY(at))
            at = store_usual(by, at, i, o, &statuses[i], ignored);
        if (CALL_LIKELY(end_easily(t, r, o, name))) {
            found[i] = f;
            found_end(&found[i]);
            ended++;
        } else {
            end_slowly(c, i, name);
        }
    }
    requests_ended(r, ended);
    return at;
}

/* Does all of it in the usual case. NULL: another case; nothing has ended, and what was stored does not count. */
CALL_INLINE uint8_t *store_waited_quickly(struct call *c, uint8_t *at, const MPI_Request *requests, int64_t count,
                                          const MPI_Status *statuses, bool ignored)
{
    bool usual = count > 0 && count < VALUE_SERIES_MIN && c->ok && !c->thread->error_in_status && statuses &&
                 statuses != MPI_STATUSES_IGNORE && found_unchanged(c, count);
    size_t bytes = 2 * ARRAY_HEAD_BYTES + (size_t)count * (NULL_BYTES + POSTED_BYTES);
    if (!CALL_LIKELY(usual) || !CALL_LIKELY(call_has_room(c, at, bytes)))
        return NULL;
    uint8_t *nulls = store_nulls(store_array_head(at, (uint32_t)count), requests, count);
    if (!CALL_LIKELY(nulls))
        return NULL;
    uint8_t *end = end_all(c, store_array_head(nulls, (uint32_t)count), statuses, count, ignored);
    if (CALL_LIKELY(end))
        return end;
    call_flush(c, nulls);
    put_statuses(c, statuses, count, ignored);
    return call_resume(c);
}

uint8_t *store_requests_waited(struct call *c, uint8_t *at, const MPI_Request *requests, int64_t count,
                               const MPI_Status *statuses, bool ignored)
{
    uint8_t *end = store_waited_quickly(c, at, requests, count, statuses, ignored);
    if (CALL_LIKELY(end))
        return end;
    call_flush(c, at);
    put_requests_after(c, requests, count);
    if (c->ok)
        put_statuses(c, statuses, count, ignored);
    else
        put_tag(c, VALUE_NONE);
    return call_resume(c);
}
