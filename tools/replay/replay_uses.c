/* SPDX-License-Identifier: BSD-3-Clause */
/* Last uses of objects; see replay_uses.h. An entry of the table is a name with a thread in place of the offset: its
 * slot is the number of the thread's last call with it. With offset -1, the slot is the highest such thread. */
#include "replay_uses.h"

#include <string.h>

#include "replay_thread.h"

enum { STUCK_PARTS = 4 }; /* of the time until a deadlock is named, others are waited for during one */

static struct replay_objects uses; /* changed before threads begin */

static void note(struct replay_process *r, const char *kind, int64_t id, int64_t offset, uint64_t value)
{
    struct replay_object *o = object_make(&uses, kind, id, offset, 0);
    if (!o)
        replay_fail("rank %d: no memory", r->rank);
    o->slot = value;
}

/* OWN: what the thread made itself. */
static void note_value(struct replay_process *r, const struct replay_objects *own, const struct pilgrim_call *call,
                       const struct pilgrim_value *v)
{
    for (size_t i = 0; v->type == PILGRIM_ARRAY && i < v->count; i++)
        note_value(r, own, call, &v->items[i]);
    const char *kind = v->type == PILGRIM_OBJECT ? object_kind(v->text) : NULL;
    if (!kind || object_find(own, kind, v->id, 0, 0))
        return;
    note(r, kind, v->id, call->thread, call->seq);
    note(r, kind, v->id, -1, call->thread); /* threads come in ascending order */
}

/* Notes what the thread made in a parameter, or gave up. */
static void note_own(struct replay_process *r, struct replay_objects *own, const struct pilgrim_value *in,
                     const struct pilgrim_value *out)
{
    const struct pilgrim_value *v = out->type == PILGRIM_OBJECT ? out : in;
    const char *kind = v->type == PILGRIM_OBJECT ? object_kind(v->text) : NULL;
    struct replay_object *o = kind ? object_find(own, kind, v->id, 0, 0) : NULL;
    if (o && out->type == PILGRIM_NAME)
        object_drop(own, o);
    else if (kind && in->type == PILGRIM_NONE && !object_make(own, kind, v->id, 0, 0))
        replay_fail("rank %d: no memory", r->rank);
}

static void read_thread(struct replay_process *r, uint32_t number)
{
    struct pilgrim_cursor *cursor;
    struct pilgrim_call call;
    struct replay_objects own = {.bucket_count = 0};
    if (pilgrim_cursor_open(r->trace, (uint32_t)r->rank, number, &cursor, NULL) != PILGRIM_OK)
        return; /* its own walk will say so */
    while (pilgrim_cursor_next(cursor, &call, NULL) == PILGRIM_OK)
        for (size_t i = 0; i < call.function->parameter_count; i++) {
            if (call.function->parameters[i].direction & PILGRIM_IN)
                note_value(r, &own, &call, &call.in[i]);
            if (call.function->parameters[i].direction & PILGRIM_OUT)
                note_own(r, &own, &call.in[i], &call.out[i]);
        }
    pilgrim_cursor_close(cursor);
    objects_free(&own);
}

void uses_read(struct replay_process *r)
{
    for (uint32_t i = 0; r->thread_count > 1 && i < r->thread_count; i++)
        read_thread(r, i);
}

/* True if another thread that runs, or has not begun, will use the object. Under the lock. */
static bool is_needed(struct replay_thread *t, const char *kind, int64_t id)
{
    struct replay_process *r = t->replay;
    const struct replay_object *highest = object_find(&uses, kind, id, -1, 0);
    if (highest && highest->slot > r->last_begun && highest->slot != t->number)
        return true;
    for (size_t i = 0; i < POOL_THREADS_MAX; i++) {
        const struct replay_thread *other = r->threads[i];
        const struct replay_object *last = other && other != t ? object_find(&uses, kind, id, other->number, 0) : NULL;
        if (last && last->slot >= other->done)
            return true;
    }
    return false;
}

void uses_await(struct replay_step *s)
{
    struct replay_thread *t = s->thread;
    const struct pilgrim_call *call = s->call;
    if (t->replay->thread_count <= 1)
        return;
    const uint64_t limit_ns = (uint64_t)(t->replay->options->stuck_s * (1e9 / STUCK_PARTS));
    for (size_t i = 0; i < call->function->parameter_count; i++) {
        const struct pilgrim_value *v = &call->in[i];
        if (call->function->parameters[i].direction != PILGRIM_INOUT || v->type != PILGRIM_OBJECT ||
            call->out[i].type != PILGRIM_NAME || strcmp(v->text, "message") == 0)
            continue;
        pool_lock(t->replay);
        while (is_needed(t, object_kind(v->text), v->id) && pool_wait(t->replay, limit_ns)) {
        }
        pool_unlock(t->replay);
    }
}
