/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls inside other calls; see inside.h.
 *
 * The inputs of the outer call may name requests by their age (VALUE_LIVE). They were stored when it began, and are
 * read behind the calls inside it, which may have completed older ones. Therefore, where a call inside may complete
 * requests, these get their full names in the key of the outer call first. */
#include "wrap/inside.h"

#include <stdatomic.h>
#include <string.h>

#include "functions.h"
#include "mpi/mpi_library.h"
#include "objects/sharing.h"
#include "process/filter.h"
#include "process/spill.h"
#include "process/stack.h"
#include "process/thread.h"
#include "record/thread_pattern.h"
#include "wrap/abandoned.h"
#include "wrap/call.h"
#include "wrap/fortran_call.h"

enum { DEPTH_MAX = 4 }; /* calls inside calls inside calls, ... */

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

bool inside_is_recorded(struct thread *t, uint32_t function, const void *site, const struct fortran_call *from)
{
    struct thread *around = recorded_around(t);
    const struct call *outer = around ? around->frame : NULL;
    const void *layer = from    ? atomic_load_explicit(&from->entry->next, memory_order_relaxed)
                        : outer ? mpi_library_next(vocabulary.functions[outer->function].name)
                                : NULL;
    if (filter_left_out[function] || (!around && filter_is_noted(FILTER_INSIDE, function)) ||
        abandoned_is_of_mpi(site, layer))
        return false;
    if (around && mpi_is_apart() && (!completes(function) || name_all_requests(t, around)))
        return true;
    filter_note(FILTER_INSIDE, function);
    return false;
}

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
    return call_no_memory() != NULL;
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
