/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that never return; see abandoned.h.
 *
 * Stacks grow downwards. A call that begins no deeper than the one before has replaced it. A call that begins deeper is
 * made by a callback, or somewhere else after the other one was left. Then the stack is unwound, and the other one is
 * gone if its return address is not on it. If that is uncertain (the unwinder does not reach the end of the stack; the
 * stack is not the thread's own, as with coroutines), the call counts as one inside the other. It would be worse to end
 * a call that still returns. */
#define _GNU_SOURCE 1 /* dladdr */
#include "wrap/abandoned.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <string.h>

#include "base/value.h"
#include "wrap/call.h"
#include "process/capture.h"
#include "wrap/fortran_call.h"
#include "wrap/inside.h"
#include "process/spill.h"
#include "process/stack.h"
#include "process/thread.h"
#include "functions.h"
#include "objects/memory.h"

enum { FRAMES_MAX = 1024, SITE_BITS = 6 };

/* ---- is a call on the stack? ---- */

/* Of the loader, whose lock a thread may take again: a signal may have interrupted who holds one of Pilgrim's. */
static const void *library_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* True if the call that returns to SITE names its function. False: it calls through a pointer, as callbacks are called;
 * so if SITE is in LIBRARY, which is MPI's, a callback has made the MPI call as its last act, by a jump. */
static bool names_function(const void *site, const void *library)
{
#if defined __x86_64__
    enum { CALL = 0xe8, CALL_BYTES = 5, INDIRECT = 0xff, OF_TABLE = 0x15, OF_TABLE_BYTES = 6 };
    const uint8_t *const end = site;
    int32_t distance;
    memcpy(&distance, end - sizeof distance, sizeof distance);
    return (end[-CALL_BYTES] == CALL && library_of(end + distance) == library) ||
           (end[-OF_TABLE_BYTES] == INDIRECT && end[1 - OF_TABLE_BYTES] == OF_TABLE);
#elif defined __aarch64__
    uint32_t instruction;
    (void)library;
    memcpy(&instruction, (const uint8_t *)site - sizeof instruction, sizeof instruction);
    return instruction >> 26 == 0x25; /* bl */
#else
    (void)site, (void)library;
    return true;
#endif
}

bool abandoned_knows_mpi(void)
{
    return library_of((const void *)(uintptr_t)PMPI_Init) != library_of((const void *)(uintptr_t)abandoned_is_of_mpi);
}

static bool is_of_mpi(const void *site, const void *layer)
{
    const void *library = library_of(site), *mpi = library_of((const void *)(uintptr_t)PMPI_Init);
    return library && (library == mpi || (layer && library == library_of(layer))) &&
           library != library_of((const void *)(uintptr_t)abandoned_is_of_mpi) && names_function(site, library);
}

/* SITE is in the MPI library: MPI makes its own calls inside a call. Always false if MPI is linked statically. The
 * loader looks through all symbols of a library, so its answers are kept: 63 bits that stand for SITE and LAYER, and 1
 * if SITE is MPI's. */
bool abandoned_is_of_mpi(const void *site, const void *layer)
{
    static _Atomic(uint64_t) known[1 << SITE_BITS];
    const uint64_t mixed =
        ((uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15)) ^ ((uintptr_t)layer * UINT64_C(0xc2b2ae3d27d4eb4f));
    _Atomic(uint64_t) *slot = &known[mixed >> (64 - SITE_BITS)];
    const uint64_t key = mixed | 1, found = atomic_load_explicit(slot, memory_order_relaxed);
    if (site && (found | 1) == key)
        return found & 1;
    const bool of_mpi = is_of_mpi(site, layer);
    atomic_store_explicit(slot, of_mpi ? key : key - 1, memory_order_relaxed);
    return of_mpi;
}

/* True if a call made at SITE is on the stack, outside of the call that begins at HERE; also if that is uncertain.
 * CALLER: CALL_FRAME of the one that begins, or NULL. The thread's own walk is quick, but may end too early; and it
 * takes locks, which the thread may hold where a signal has interrupted it outside of MPI. */
static bool is_on_stack(const void *site, const void *here, const void *caller)
{
    if (caller && thread_now->stacks && inside_mpi(thread_now) &&
        stacks_lead_to(thread_now->stacks, here, caller, site))
        return true;
    void *addresses[FRAMES_MAX];
    int i = 0, error = errno, count = backtrace(addresses, FRAMES_MAX);
    errno = error;
    while (i < count && addresses[i] != here)
        i++;
    bool whole = i < count && count < FRAMES_MAX && stack_ends_at(addresses[count - 1]);
    while (++i < count)
        if (addresses[i] == site)
            return true;
    return !whole;
}

/* True if the call made at SITE, whose data was on the stack at CALL_SITE, is gone now that a call with FRAME begins at
 * HERE. */
static bool is_gone(const void *call_site, const void *site, const void *frame, const void *here, const void *caller,
                    const void *layer)
{
    if (!memory_in_own_stack(call_site) || !memory_in_own_stack(frame))
        return false;
    return (uintptr_t)frame >= (uintptr_t)call_site ||
           (!abandoned_is_of_mpi(here, layer) && !is_on_stack(site, here, caller));
}

/* ---- ending such a call ---- */

static void record(struct thread *t)
{
    const struct function_descriptor *f = &vocabulary.functions[t->class->key.function];
    enum pilgrim_status status = PILGRIM_NOMEM;
    t->key.length = (size_t)(t->journal->outputs - t->key.data);
    for (unsigned i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].direction & DIRECTION_OUT)
            bytes_put_u8(&t->key, VALUE_NONE);
    bytes_put_u8(&t->key, VALUE_NONE);
    if (t->outer)
        status = inside_end(t, false);
    else if (!t->key.failed)
        status = stream_append(t->stream, t->class->number, false, t->key.data, t->key.length, t->journal->start,
                               t->journal->start);
    if (status == PILGRIM_OK && !t->outer)
        thread_call_recorded(t);
    else if (status != PILGRIM_OK)
        capture_fail("a call that never returned could not be recorded");
}

/* T is a thread, or a thread's state for calls inside calls. */
static void end(struct thread *t)
{
    if (t->finding.call == thread_calls(t))
        requests_forget(&t->finding, t->finding.count);
    t->finding.count = 0;
    t->request_delta.pending = 0;
    t->request_delta.search = 0;
    if (t->class)
        record(t);
    if (t->class && t->pending && !t->outer)
        call_ended(t);
    thread_leave(t);
}

/* Ends the call of T and those inside it, the innermost one first. */
static void end_all(struct thread *t)
{
    if (!t)
        return;
    end_all(t->nested);
    if (t->inside)
        end(t);
}

void abandoned_calls(struct thread *t, const void *frame, const void *site, const void *caller)
{
    while (t && t->inside && !is_gone(t->frame, t->site, frame, site, caller, NULL))
        t = t->nested;
    end_all(t);
}

/* ---- calls from Fortran ---- */

struct fortran_call *abandoned_fortran(uint32_t function, const void *frame, const void *site)
{
    struct fortran_call *from = fortran_now;
    /* On another stack than this one, FROM may not even be mapped. If FROM is overwritten, it is unknown which call it
     * was made in. */
    while (from && (memory_in_own_stack(from) != memory_in_own_stack(frame) || !fortran_is_whole(from)))
        from = fortran_now = NULL;
    while (
        from && !fortran_expects_of(from, function) &&
        is_gone(from, from->site, frame, site, NULL, atomic_load_explicit(&from->entry->next, memory_order_relaxed))) {
        from = fortran_now = from->outer;
        if (from && !fortran_is_whole(from))
            from = fortran_now = NULL;
    }
    return from;
}
