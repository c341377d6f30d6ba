/* A call's way through the tracer, from call_begin to call_done, and what it refers to: view, statuses.
 *
 * A thread has at most one recorded call under way. What is called below it (by an I/O layer, by a callback of the
 * program's) is not recorded, but the objects that it makes and frees are followed. */
#include "capture/call.h"

#include <time.h>

#include "capture/capture.h"
#include "capture/fortran.h"
#include "capture/init.h"
#include "capture/put.h"
#include "capture/shadow_file.h"
#include "capture/thread.h"
#include "functions.h"

static inline uint64_t clock_ns(void)
{
    struct timespec now;
    if (!capture.settings.times)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What of OFF, which is not 0, is left against this call: MPI is looked for if none was seen so far, and after each
 * unloading the thread's call sites are looked at again. */
static __attribute__((noinline, cold)) unsigned call_reasons(unsigned off, const void *site)
{
    if (off & OFF_UNBOUND && capture_bind(site))
        off = atomic_load(&capture.off);
    off &= ~(unsigned)OFF_MOVED;
    if (off & ~(unsigned)OFF_PAUSED)
        return off;
    struct thread *t = thread_self();
    unsigned moved = atomic_load_explicit(&capture_moved, memory_order_relaxed);
    if (t && !t->inside && t->moved != moved) {
        t->moved = moved;
        stream_forget_moved(t->stream);
    }
    return off;
}

bool call_begin(struct call *c, uint32_t function, const void *site)
{
    struct fortran_call *from = fortran_now;
    if (from) {
        const struct thread *t = thread_known();
        if (fortran_claims(from, function))
            site = from->site;
        else if (t && t->inside)
            from = NULL; /* made by C, within the call from Fortran */
        else
            return false; /* the Fortran layer's own */
    }
    unsigned off = atomic_load_explicit(&capture.off, memory_order_relaxed);
    if (off & ~(unsigned)OFF_PAUSED) {
        off = call_reasons(off, site);
        if (off & ~(unsigned)OFF_PAUSED)
            return false;
    }
    struct thread *t = thread_self();
    if (!t)
        return false;
    c->recorded = off == 0;
    if (__builtin_expect(t->inside, 0)) {
        c->recorded = false;
        t = thread_nested(t);
        if (!t)
            return false;
    }
    if (c->recorded && stream_class(t->stream, function, site, from != NULL, &t->class) != PILGRIM_OK) {
        capture_fail("out of memory");
        return false;
    }
    t->inside = true;
    t->error_in_status = false;
    t->key.length = 0;
    c->thread = t;
    c->shadow = c->recorded ? t->shadow : NULL;
    c->key = &t->key;
    c->function = function;
    c->site = site;
    c->fortran = from;
    c->view = capture.world;
    c->current_view = 0;
    c->ok = false;
    c->failed_poll = false;
    c->operations = NULL;
    c->operation_count = 0;
    c->kept = false;
    if (c->shadow)
        shadow_begin(c->shadow, function, site, from != NULL);
    return true;
}

void call_enter(struct call *c)
{
    c->start = clock_ns();
}

void call_leave(struct call *c, int ret)
{
    c->end = clock_ns();
    c->ok = ret == MPI_SUCCESS;
}

void call_leave_statuses(struct call *c, int ret)
{
    c->end = clock_ns();
    c->ok = ret == MPI_SUCCESS;
    if (c->ok)
        return;
    int class = MPI_SUCCESS;
    if (PMPI_Error_class(ret, &class) == MPI_SUCCESS && class == MPI_ERR_IN_STATUS)
        c->ok = c->thread->error_in_status = true;
}

void call_leave_value(struct call *c)
{
    c->end = clock_ns();
    c->ok = true;
}

void call_end(struct call *c, int ret)
{
    put_int(c, ret);
    call_done(c);
}

/* A call that could not be recorded: from here on the trace would be wrong, so there is none. */
static void call_lost(const struct call *c, enum pilgrim_status status)
{
    if (status == PILGRIM_LIMIT)
        capture_fail("a call's arguments are too large to record");
    else if (status == PILGRIM_NOMEM || c->key->failed)
        capture_fail("out of memory");
    else
        capture_fail("a call could not be recorded");
}

void call_done(struct call *c)
{
    struct thread *t = c->thread;
    t->inside = false;
    if (c->operation_count)
        requests_complete(c->operations, c->operation_count, t->index, false);
    if (!c->recorded)
        return;
    enum pilgrim_status status = bytes_status(c->key);
    if (status == PILGRIM_OK)
        status = stream_append(t->stream, t->class, c->failed_poll, c->key->data, c->key->length, c->end - c->start);
    if (status != PILGRIM_OK)
        call_lost(c, status);
    else
        keep_commit(&t->keeper);
    if (status == PILGRIM_OK && c->shadow)
        shadow_end(c->shadow, t->calls);
    t->calls++;
    if (t->pause) {
        t->pause = false;
        atomic_fetch_or(&capture.off, OFF_PAUSED);
    }
}

void call_control(int level)
{
    if (level == 1) {
        atomic_fetch_and(&capture.off, ~(unsigned)OFF_PAUSED);
    } else if (level == 0 && !(atomic_load(&capture.off) & ~(unsigned)OFF_MOVED)) {
        struct thread *t = thread_self();
        if (t)
            t->pause = true;
    }
}

void call_view(struct call *c, enum object_kind kind, uint64_t handle)
{
    c->view = object_view(kind, handle);
}

bool call_at_root(const struct call *c, int root)
{
    return c->view.inter ? root == MPI_ROOT : root == c->view.rank;
}

MPI_Status *call_status(struct call *c, MPI_Status *application)
{
    return call_statuses(c, application == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : application, 1);
}

MPI_Status *call_statuses(struct call *c, MPI_Status *application, int64_t count)
{
    bool ignored = application == MPI_STATUSES_IGNORE || (c->fortran && fortran_ignores_status(c->fortran));
    if (!ignored || !thread_reserve_statuses(c->thread, count > 0 ? count : 1))
        return application;
    return c->thread->statuses;
}
