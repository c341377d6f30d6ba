/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls inside other calls; see inside.h.
 *
 * The inputs of the outer call may name requests by their age (VALUE_LIVE). They were stored when it began, and are
 * read behind the calls inside it, which may have completed older ones. Therefore, where a call inside may complete
 * requests, these get their full names in the key of the outer call first.
 *
 * A signal may interrupt MPI anywhere, also where it has locked the memory that recording a call may take. So calls of
 * signal handlers are not recorded. Behind a handler's frame stands the address that the kernel lets it return to: it
 * is looked for on the stack, between the call and the one around it. An old one that nobody has overwritten may stand
 * there, too; then a callback's call is not recorded, and the user is told. */
#define _GNU_SOURCE 1 /* syscall */
#include "wrap/inside.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "functions.h"
#include "mpi/mpi_library.h"
#include "objects/memory.h"
#include "objects/sharing.h"
#include "process/filter.h"
#include "process/spill.h"
#include "process/stack.h"
#include "process/thread.h"
#include "record/thread_pattern.h"
#include "wrap/abandoned.h"
#include "wrap/call.h"
#include "wrap/fortran_call.h"

enum {
    DEPTH_MAX = 4,           /* calls inside calls inside calls, ... */
    SEARCHED_BYTES = 1 << 20 /* of stack, at most */
};

/* ---- handlers of signals ---- */

#if defined __x86_64__
/* Returns the address that handlers return to; 0: there are none. All are set by the C library, which has one for
 * all; those of other languages have stacks of their own. */
static uintptr_t handlers_return(void)
{
    static atomic_uintptr_t known;
    struct {
        void *handler;
        unsigned long flags;
        uintptr_t restorer;
        unsigned long mask;
    } action;
    uintptr_t found = atomic_load_explicit(&known, memory_order_relaxed);
    const int error = errno;
    for (long number = 1; !found && number < NSIG; number++) {
        memset(&action, 0, sizeof action);
        if (!syscall(SYS_rt_sigaction, number, NULL, &action, sizeof action.mask) &&
            action.handler != (void *)SIG_DFL && action.handler != (void *)SIG_IGN)
            found = action.restorer;
    }
    errno = error;
    atomic_store_explicit(&known, found, memory_order_relaxed);
    return found;
}

static bool returns_from_handler(uintptr_t word, uintptr_t known)
{
    return word == known;
}
#else
/* The kernel's own code, which is on two pages, and which programs do not call in between. */
static uintptr_t handlers_return(void)
{
    return getauxval(AT_SYSINFO_EHDR);
}

static bool returns_from_handler(uintptr_t word, uintptr_t known)
{
    enum { CODE_BYTES = 8192 };
    return word - known < CODE_BYTES;
}
#endif

/* True if a handler is on the stack between HERE and OUTER, which is further out; also if that is not known. */
static bool is_in_handler(const void *here, const void *outer)
{
    const uintptr_t known = handlers_return(), low = (uintptr_t)here / sizeof(uintptr_t) * sizeof(uintptr_t),
                    high = (uintptr_t)outer;
    if (!memory_in_own_stack(here) || !memory_in_own_stack(outer) || high < low || high - low > SEARCHED_BYTES)
        return true;
    bool found = false;
    for (uintptr_t at = low; known && at < high; at += sizeof at)
        found |= returns_from_handler(*(const uintptr_t *)at, known);
    return found;
}

/* ---- requests of the call around ---- */

/* True if FUNCTION may complete requests. */
static bool completes(uint32_t function)
{
    const struct function_descriptor *f = &vocabulary.functions[function];
    for (unsigned i = 0; i < f->parameter_count; i++)
        if (f->parameters[i].direction == DIRECTION_INOUT && strstr(f->parameters[i].name, "request"))
            return true;
    return false;
}

static int64_t slot_at(const uint8_t *at)
{
    uint64_t le;
    memcpy(&le, at, sizeof le);
    return (int64_t)le64toh(le);
}

/* Names the requests among the inputs of T's call in full; LIVE are those of the thread. False: it has an array of them
 * that is stored as a run. */
static bool name_requests(const struct thread *t, struct live_requests *live)
{
    uint8_t *const key = t->key.data;
    struct key_walk w = {.key = key, .length = (size_t)(t->journal->outputs - key)};
    while (key_next_slot(&w)) {
        if (w.tag != VALUE_LIVE || w.slot != 1)
            continue;
        uint8_t *const tag = key + w.at - 2 * sizeof(int64_t) - 1;
        const int64_t index = live_at(live, slot_at(tag + 1), slot_at(tag + 1 + sizeof(int64_t)));
        if (w.runs || index < 0)
            return false;
        *tag = VALUE_REQUEST;
        store_slot(tag + 1 + sizeof(int64_t), index);
    }
    return !w.damaged;
}

/* ---- is it recorded? ---- */

/* True if T's call is in MPI, so that the stream is not being changed. */
static bool is_in_mpi(const struct thread *t)
{
    const struct call *c = t->frame;
    return t->inside && t->class && !c->returned &&
           atomic_load_explicit(&t->journal->entered, memory_order_relaxed) == thread_calls(t) + 1;
}

/* Returns the state of the innermost recorded call of T, if a call inside it can be recorded. NULL: it cannot. */
static struct thread *recorded_around(struct thread *t)
{
    struct thread *around = NULL;
    int depth = 0;
    for (struct thread *o = t; o && o->inside; o = o->nested)
        if (o == t || o->stream) {
            around = is_in_mpi(o) ? o : NULL;
            depth++;
        }
    return depth <= DEPTH_MAX && t->stream && !(t->grown && spill_is_overdue(t)) ? around : NULL;
}

static bool mpi_is_apart(void)
{
    enum { UNKNOWN, YES, NO };
    static atomic_int apart;
    int known = atomic_load_explicit(&apart, memory_order_relaxed);
    if (known == UNKNOWN) {
        known = abandoned_knows_mpi() ? YES : NO;
        atomic_store_explicit(&apart, known, memory_order_relaxed);
    }
    return known == YES;
}

/* Names the requests of all recorded calls of T, of which AROUND is the innermost one, as above. */
static bool name_all_requests(const struct thread *t, struct thread *around)
{
    for (const struct thread *o = t; o && o->inside; o = o->nested)
        if ((o == t || o->stream) && !name_requests(o, &around->live))
            return false;
    return true;
}

bool inside_mpi(const struct thread *t)
{
    while (t->nested && t->nested->inside)
        t = t->nested;
    return is_in_mpi(t);
}

bool inside_is_recorded(struct thread *t, uint32_t function, const void *site, const void *frame,
                        const struct fortran_call *from)
{
    struct thread *around = recorded_around(t);
    const struct call *outer = around ? around->frame : NULL;
    const void *layer = from    ? atomic_load_explicit(&from->entry->next, memory_order_relaxed)
                        : outer ? mpi_library_next(vocabulary.functions[outer->function].name)
                                : NULL;
    if (filter_left_out[function] || (!around && filter_is_noted(FILTER_INSIDE, function)) ||
        abandoned_is_of_mpi(site, layer))
        return false;
    if (around && mpi_is_apart() && !is_in_handler(frame, outer) &&
        (!completes(function) || name_all_requests(t, around)))
        return true;
    filter_note(FILTER_INSIDE, function);
    return false;
}

/* ---- recording it ---- */

bool inside_begin(struct thread *t, uint32_t function, const void *site, const void *frame, bool fortran)
{
    if (!thread_begin_inside(t))
        return false;
    const struct thread *around = thread_recorded_outside(t);
    const struct call *outer = around->frame;
    const struct class_key *key = &around->class->key;
    const struct call_path *path = stacks_path_inside(t->stacks, site, frame, outer->function, key->site, key->path);
    t->class = path ? stream_class_inside(t->stream, function, site, path, fortran) : NULL;
    if (t->class)
        return true;
    thread_end_inside(t, false);
    (void)call_no_memory();
    return false;
}

enum pilgrim_status inside_end(struct thread *t, bool failed_poll)
{
    enum pilgrim_status status = PILGRIM_NOMEM;
    if (!t->key.failed && !objects_failed())
        status = stream_append_inside(t->stream, t->class->number, failed_poll, t->key.data, t->key.length,
                                      thread_recorded_outside(t)->journal->start);
    thread_end_inside(t, status == PILGRIM_OK);
    return status;
}
