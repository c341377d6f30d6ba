/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions for the traced program; see runtime.h. */
#include <stdio.h>

#include "lifecycle/runtime.h"
#include "process/told_site.h"
#include "wrap/call_inline.h"

void pilgrim_runtime_on(void)
{
    atomic_fetch_and(&capture.off, ~(unsigned)OFF_PAUSED);
}

void pilgrim_runtime_off(void)
{
    atomic_fetch_or(&capture.off, OFF_PAUSED);
}

void pilgrim_runtime_marker(const char *name)
{
    struct call c;
    uint8_t *at = call_begin(&c, call_off(), FUNCTION_pilgrim_marker, FOLLOWS_NOTHING, CALL_SITE, CALL_FRAME);
    if (!at)
        return;
    call_flush(&c, at);
    put_string(&c, name);
    call_enter(&c, call_resume(&c));
    call_leave_value(&c);
    put_none(&c, 1);
    call_done(&c, call_resume(&c));
}

static void dump_thread(const struct thread *t, void *to)
{
    fprintf(to, "rank %d thread %u\n", capture.rank, t->index);
    if (t->stream)
        stream_dump(t->stream, to);
}

void pilgrim_runtime_dump(FILE *to)
{
    struct thread *t = thread_now;
    bool inside = t && t->inside;
    if (atomic_load(&capture.off) & (OFF_UNLOADED | OFF_SETTING | OFF_CHILD))
        return;
    if (t)
        thread_enter(t);
    thread_visit(dump_thread, to);
    if (t && !inside)
        thread_leave(t);
}

const void *pilgrim_runtime_site(const struct pilgrim_frame *site)
{
    atomic_fetch_or(&capture.off, OFF_MOVED);
    return told_site(site);
}

void pilgrim_runtime_call_at(const void *site, int fortran)
{
    if (!told_now.told)
        (void)thread_self(); /* threads are numbered by their first calls */
    told_now = (struct told_call){true, fortran, site};
}
