/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of a call through the recorder, from call_begin to call_done.
 *
 * A call may be made inside another one: by a callback of the program, which is recorded (inside.h), or by MPI itself.
 * That is not recorded, but the objects that it creates and frees are followed. */
#include "wrap/call.h"

#include "wrap/abandoned.h"
#include "wrap/inside.h"
#include "process/filter.h"
#include "process/journaling.h"
#include "process/short_memory.h"
#include "process/spill.h"
#include "process/stack.h"
#include "process/told_site.h"
#include "wrap/call_inline.h"
#include "record/stream_inline.h"
#include "objects/modules.h"
#include "objects/sharing.h"
#include "objects/untracked_requests.h"

/* Returns what is left of OFF, the reasons not to record this call, which are not 0. Looks for the MPI library if none
 * was found so far. After a module was unloaded, makes the thread forget its call sites there. */
static __attribute__((noinline, cold)) unsigned call_reasons(unsigned off, const void *site)
{
    if (off & OFF_UNBOUND && capture_bind(site))
        off = atomic_load(&capture.off);
    if (off & OFF_BEFORE && !(off & ~(unsigned)(OFF_PAUSED | OFF_HINTS)) && !(thread_now && thread_now->inside)) {
        capture_late_hook();
        off = atomic_load(&capture.off);
    }
    off &= ~(unsigned)OFF_HINTS;
    if ((off & (OFF_FAILED | OFF_CHILD)) == OFF_FAILED && thread_now && !thread_now->inside)
        thread_stops(thread_now);
    if (off & ~(unsigned)OFF_PAUSED)
        return off;
    struct thread *t = thread_self();
    unsigned moved = modules_moved();
    if (t && !t->inside && t->moved != moved) {
        t->moved = moved;
        thread_enter(t);
        stacks_moved();
        stream_forget_moved(t->stream);
        thread_leave(t);
    }
    return off;
}

uint8_t *call_begin_slowly(struct call *c, uint32_t function, enum call_follows follows, const void *site,
                           const void *frame)
{
    const void *from_here = site;
    struct thread *t = thread_now;
    unsigned off = atomic_load_explicit(&capture.off, memory_order_relaxed);
    if (t && t->inside && !(off & ~(unsigned)(OFF_PAUSED | OFF_HINTS)))
        abandoned_calls(t, c, site, frame);
    struct fortran_call *from = fortran_now ? abandoned_fortran(function, c, site) : NULL;
    const bool inside = t && t->inside && !(off & ~(unsigned)OFF_HINTS),
               claimed = from && fortran_claims(from, function),
               recorded_inside =
                   inside && inside_is_recorded(t, function, claimed ? from->site : site, frame, claimed ? NULL : from);
    c->thread = NULL;
    if ((off == OFF_PAUSED && call_may_be_untracked(follows)) ||
        (inside && !recorded_inside && follows == FOLLOWS_NOTHING))
        return NULL;
    if (from) {
        if (claimed)
            site = from->site, frame = from->frame;
        else if (t && t->inside)
            from = NULL; /* made by C inside the call from Fortran */
        else
            return NULL; /* made by the Fortran layer itself */
    }
    if (off & ~(unsigned)OFF_PAUSED) {
        off = call_reasons(off, site);
        if (off & ~(unsigned)OFF_PAUSED)
            return NULL;
    }
    t = thread_self();
    if (!t)
        return NULL;
    bool recorded = off == 0 && !filter_left_out[function];
    if (!recorded && !off && !t->inside && call_may_be_untracked(follows)) {
        c->thread = t;
        thread_enter(t);
        t->frame = c;
        t->site = from_here;
        t->class = NULL;
        return NULL;
    }
    if (t->inside) {
        recorded = recorded_inside;
        t = thread_nested(t);
        if (!t)
            return NULL;
    }
    thread_enter(t);
    if (recorded && atomic_load_explicit(&capture.off, memory_order_relaxed) & OFF_FINISHED) {
        thread_leave(t);
        return NULL;
    }
    if (told_now.told)
        site = told_now.site, frame = NULL;
    const bool fortran = from || (told_now.told && told_now.fortran);
    if (!recorded)
        t->class = NULL;
    else if (t->outer)
        recorded = inside_begin(t, function, site, frame, fortran);
    else
        t->class = stream_class_head(t->stream, function, site, frame, fortran);
    if (recorded && !t->class) {
        thread_leave(t);
        return call_no_memory();
    }
    call_fill(c, t, function, from_here);
    c->dropped = !recorded;
    c->fortran = from;
    c->base = capture.world;
    return t->key.data;
}

void call_other_path(struct call *c)
{
    struct thread *t = c->thread;
    if (c->trail->python && path_trail_is_python(c->trail, c->frame)) { /* that is not compared inline */
        c->trail = NULL;
        return;
    }
    const struct class_key *key = &t->class->key;
    const struct class_head *class = stream_class_head(t->stream, key->function, key->site, c->frame, key->fortran);
    c->trail = NULL;
    if (!class) {
        t->key.failed = true; /* call_done says so */
        return;
    }
    t->class = class;
    t->journal->class = class->number;
    t->journal->start = clock_now();
}

int call_untracked(int ret, const MPI_Request *request, enum request_kind kind, bool persistent, enum object_kind base,
                   uint64_t handle)
{
    (void)persistent; /* calls that begin a persistent request are always seen */
    if (ret != MPI_SUCCESS)
        return ret;
    const struct rank_base *ranks = &capture.world;
    struct rank_base asked;
    if (kind == REQUEST_RECV && base != KIND_COUNT) {
        struct thread *t = thread_now;
        const struct cached_object *o = t ? handle_cache_based_object(&t->handle_cache, base, handle) : NULL;
        if (!o) {
            asked = object_rank_base(base, handle);
            o = t && asked.size > 0 ? handle_cache_learn_object(&t->handle_cache, base, handle) : NULL;
        }
        ranks = o ? &o->base : &asked;
    }
    untracked_request_begun(HANDLE(*request), kind, ranks->index);
    return ret;
}

uint8_t *store_handle_slowly(struct call *c, uint8_t *at, enum object_kind kind, uint64_t handle)
{
    const struct cached_object *o = handle_cache_object(&c->thread->handle_cache, kind, handle);
    if (!o)
        o = handle_cache_learn_object(&c->thread->handle_cache, kind, handle);
    return store_token(at, &o->token);
}

void call_rank_base_slowly(struct call *c, enum object_kind kind, uint64_t handle)
{
    c->base = object_rank_base(kind, handle);
}

uint8_t *call_no_memory(void)
{
    capture_fail("out of memory");
    return NULL;
}

uint8_t *call_make_room(struct call *c)
{
    if (!bytes_reserve(c->key, CALL_ROOM))
        c->key->length = 0; /* the key has failed */
    return c->key->data + c->key->length;
}

void call_leave_failed(struct call *c, int ret)
{
    int class = MPI_SUCCESS;
    if (PMPI_Error_class(ret, &class) == MPI_SUCCESS && class == MPI_ERR_IN_STATUS)
        c->ok = c->thread->error_in_status = true;
}

/* Switches tracing off because a call could not be recorded: without it the trace would be wrong. */
static void call_lost(const struct call *c, enum pilgrim_status status)
{
    if (status == PILGRIM_LIMIT)
        capture_fail("a call's arguments are too large to record");
    else if (objects_failed())
        capture_fail("out of memory for the names of MPI objects");
    else if (status == PILGRIM_NOMEM || c->key->failed)
        capture_fail("out of memory");
    else
        capture_fail("a call could not be recorded");
}

__attribute__((noinline, cold)) void call_ended(struct thread *t)
{
    if (t->grown && short_memory_settle(t))
        spill_consider(t);
    if (t->pause)
        atomic_fetch_or(&capture.off, OFF_PAUSED);
    t->pause = false;
}

static void record_slowly(struct call *c, size_t length)
{
    struct thread *t = c->thread;
    if (atomic_load_explicit(&capture.off, memory_order_relaxed) & (OFF_CHILD | OFF_FINISHED))
        return; /* the call forked, and this is the child: the file belongs to the parent; or it returned too late */
    t->key.length = length;
    if (c->operation_count)
        requests_leave(t->requests, &t->finding, c->operation_count);
    if (c->dropped) {
        t->finding.count = 0;
        return;
    }
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (t->outer) {
        status = inside_end(t, c->failed_poll);
        if (status != PILGRIM_OK) {
            call_lost(c, status);
            thread_now->key.failed = true; /* the outer call is not recorded, either */
        }
        return;
    }
    if (!journaling_is_intact(t)) {
        thread_stops(t);
        return;
    }
    if (!t->key.failed && !objects_failed())
        status =
            stream_append(t->stream, t->class->number, c->failed_poll, t->key.data, length, t->journal->start, c->end);
    if (status != PILGRIM_OK) {
        call_lost(c, status);
        thread_stops(t);
        return;
    }
    thread_call_recorded(t);
    thread_join_journal(t);
    if (t->pending)
        call_ended(t);
}

/* The rest of call_done for all cases but the usual one. */
static __attribute__((noinline)) void call_done_slowly(struct call *c, size_t length)
{
    record_slowly(c, length);
    thread_leave(c->thread);
}

static __attribute__((noinline)) void call_turn(const struct call *c)
{
    struct thread *t = c->thread;
    enum pilgrim_status status = stream_turn(t->stream, t->class);
    if (status != PILGRIM_OK)
        call_lost(c, status);
    else if (t->pending)
        call_ended(t);
    thread_leave(t);
}

CALL_INLINE void call_step(const struct call *c, size_t length)
{
    struct thread *t = c->thread;
    struct stream *stream = t->stream; /* read first: what is stored below may be anything to a compiler */
    const struct class_head *class = t->class;
    uint64_t start = t->journal->start;
    thread_call_recorded(t);
    if (CALL_LIKELY(stream_step(stream, class, length, start, c->end)))
        thread_leave(t);
    else
        call_turn(c);
}

/* The rest of call_done if other threads may use the call's operations. */
static __attribute__((noinline)) void call_done_leaving(const struct call *c, size_t length)
{
    requests_leave(c->thread->requests, &c->thread->finding, c->operation_count);
    call_step(c, length);
}

/* Calls other functions only as its last act, so it keeps nothing on the stack. */
void call_done(struct call *c, const uint8_t *end)
{
    struct thread *t = c->thread;
    const uint8_t *key = t->key.data;
    size_t length = (size_t)(end - key);
    bool usual = CALL_LIKELY(!c->dropped) && CALL_LIKELY(!t->pending) && CALL_LIKELY(!t->key.failed);
    if (!CALL_LIKELY(usual) || !CALL_LIKELY(stream_predicts(t->stream, t->class, c->failed_poll, key, length))) {
        call_done_slowly(c, length);
        return;
    }
    if (!CALL_LIKELY(!objects_threads) && c->operation_count)
        call_done_leaving(c, length);
    else
        call_step(c, length);
}

void call_control(int level)
{
    if (level == 1) {
        atomic_fetch_and(&capture.off, ~(unsigned)OFF_PAUSED);
    } else if (level == 0 && !(atomic_load(&capture.off) & ~(unsigned)OFF_HINTS)) {
        struct thread *t = thread_self();
        if (filter_left_out[FUNCTION_MPI_Pcontrol])
            atomic_fetch_or(&capture.off, OFF_PAUSED);
        else if (t)
            t->pause = true;
    }
}

bool call_at_root(const struct call *c, int root)
{
    return c->base.inter ? root == MPI_ROOT : root == c->base.rank;
}

MPI_Status *call_status_slowly(struct call *c, MPI_Status *application)
{
    return call_statuses_slowly(c, application == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : application, 1);
}

MPI_Status *call_statuses_slowly(struct call *c, MPI_Status *application, int64_t count)
{
    bool ignored = application == MPI_STATUSES_IGNORE || (c->fortran && fortran_ignores_status(c->fortran));
    if (!ignored || !thread_reserve_statuses(c->thread, count > 0 ? count : 1))
        return application;
    return c->thread->statuses;
}
