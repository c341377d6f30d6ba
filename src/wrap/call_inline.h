/* SPDX-License-Identifier: BSD-3-Clause */
/* What is inline in the wrappers of hot functions: the fast path of a call that is recorded, made from C, and not
 * inside another call. call_begin_slowly does all else. Of the headers of this folder such a wrapper includes only this
 * one. Wrappers of other functions have the same text, include call_cold.h, and call all this.
 *
 * A wrapper has its write position in the key in a variable, `at`. Before it calls a function that appends to the key
 * itself, it writes the position back (call_flush), and takes the new one after that (call_resume). Then there is room
 * for CALL_ROOM bytes at `at`, more than all scalar values of a call need. So a store writes a tag and a slot, without
 * a check. */
#ifndef PILGRIM_CALL_INLINE_H
#define PILGRIM_CALL_INLINE_H

#include <stddef.h>

#include "base/clock.h"
#include "wrap/call.h"
#include "process/capture.h"
#include "process/filter.h"
#include "wrap/fortran_call.h"
#include "objects/handle_cache.h"
#include "wrap/communicator_calls.h"
#include "wrap/lengths.h"
#include "wrap/put.h"
#include "wrap/put_inline.h"
#include "wrap/put_requests.h"
#include "wrap/put_status.h"
#include "process/thread.h"
#include "record/stream_times.h"
#include "functions.h"

_Static_assert(CALL_ROOM == 32 * CALL_ROOM_OF_VALUE, "gen/emit_wrappers.c counts a call's values");

_Static_assert(offsetof(struct thread, key) == 0, "a call's thread is its key, too");

#define CALL_LIKELY(x) __builtin_expect(!!(x), 1)
#define CALL_INLINE    static inline __attribute__((always_inline))

/* What wrappers call. The compiler decides about what is small. In call_cold.c these are ordinary functions. */
#ifndef WRAPPER_INLINE
#define WRAPPER_INLINE CALL_INLINE
#define WRAPPER_SMALL  static inline
#endif

/* ---- the call ---- */

/* Fills C for a call of T, which has entered it, that is made at SITE. Does not set t->class, c->frame, nor c->base. */
CALL_INLINE void call_fill(struct call *c, struct thread *t, uint32_t function, const void *site)
{
    t->frame = c;
    t->site = site;
    t->error_in_status = false;
    c->thread = t;
    c->function = function;
    c->current_base = 0;
    memset(&c->fortran, 0, offsetof(struct call, frame) - offsetof(struct call, fortran));
}

/* Returns the reasons not to record, to be tested at once; 0: calls are recorded. */
WRAPPER_SMALL unsigned call_off(void)
{
    return atomic_load_explicit(&capture.off, memory_order_relaxed);
}

/* True if a call of a function that FOLLOWS need not be seen while recording is paused. A request may begin unseen only
 * if none is live. So a handle never stands for a tracked and an untracked request at the same time. */
static inline bool call_may_be_untracked(enum call_follows follows)
{
    return follows == FOLLOWS_NOTHING || (follows == FOLLOWS_REQUESTS && !requests_live());
}

/* True if recording is paused and the call need not be seen. Tested before anything else, so that a paused call costs
 * as little as possible. A call from Fortran must be seen, by the entry that it came through. */
WRAPPER_INLINE bool call_passes(unsigned off, enum call_follows follows)
{
    return !CALL_LIKELY(!off) && off == OFF_PAUSED && !fortran_now && call_may_be_untracked(follows);
}

/* Returns where the first value goes. NULL: the call is not recorded, and its objects need not be followed (off,
 * paused, nested, left out, not initialised, after finalize). The wrapper then calls the real function and
 * call_passed, and returns. */
WRAPPER_INLINE uint8_t *call_begin(struct call *c, unsigned off, uint32_t function, enum call_follows follows,
                                   const void *site, const void *frame)
{
    struct thread *t = thread_now;
    if (!CALL_LIKELY(!off) || !CALL_LIKELY(t) || !CALL_LIKELY(!t->inside) || !CALL_LIKELY(!fortran_now))
        return call_begin_slowly(c, function, follows, site, frame);
    thread_enter(t);
    if (!CALL_LIKELY(!call_off())) { /* MPI_Finalize, maybe, since OFF was read */
        thread_leave(t);
        return call_begin_slowly(c, function, follows, site, frame);
    }
    const struct class_head *class = stream_expected(t->stream);
    const struct path_trail *trail = class->trail;
    if (!CALL_LIKELY(class_is(class, function, site, false))) {
        if (!CALL_LIKELY(!filter_left_out[function])) {
            if (!call_may_be_untracked(follows)) {
                thread_leave(t);
                return call_begin_slowly(c, function, follows, site, frame);
            }
            c->thread = t;
            t->frame = c; /* so that a call from its callback does not count as one after a call that never returned */
            t->site = site;
            t->class = NULL;
            return NULL;
        }
        class = stream_class_head(t->stream, function, site, frame, false);
        if (!class) {
            c->thread = NULL;
            thread_leave(t);
            return call_no_memory();
        }
        trail = NULL;
    }
    t->class = class;
    call_fill(c, t, function, site);
    c->trail = trail;
    c->frame = frame;
    uint8_t *at = t->key.data;
    if (!at)
        __builtin_unreachable(); /* so the caller need not test it */
    return at;
}

/* Ends a call for which call_begin returned NULL. RET is what MPI returned; returns it. If the function was left out
 * (PILGRIM_FILTER), the thread is no longer inside a call. */
WRAPPER_SMALL int call_passed(const struct call *c, int ret)
{
    if (!CALL_LIKELY(!c->thread))
        thread_leave(c->thread);
    return ret;
}

/* Makes t->class the class of the call. To be called before call_enter where a value depends on it. */
static inline void call_settle_path(struct call *c)
{
    if (c->trail && !path_trail_is(c->trail, c->frame))
        call_other_path(c);
}

/* The real function is called next. AT: where the outputs begin in the key.
 *
 * The path is compared here, behind the reading of the clock, because it was measured to cost least here. */
WRAPPER_INLINE void call_enter(struct call *c, uint8_t *at)
{
    struct thread *t = c->thread;
    struct journal_live *live = t->journal;
    live->outputs = at;
    live->class = t->class ? t->class->number : JOURNAL_NO_CLASS;
    live->start = clock_now();
    if (c->trail && !CALL_LIKELY(path_trail_is(c->trail, c->frame)))
        call_other_path(c);
    /* From here on a journal's reader takes the call for one in progress, until it is counted. */
    atomic_store_explicit(&live->entered, atomic_load_explicit(&live->calls, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* The real function has returned. RET decides c->ok: outputs are defined after MPI_SUCCESS. _statuses: for functions
 * with an array of statuses, whose outputs are also defined after MPI_ERR_IN_STATUS. _value: for functions that return
 * no error code; c->ok is true. */
WRAPPER_SMALL void call_leave(struct call *c, int ret)
{
    c->returned = true;
    c->end = clock_now();
    c->ok = ret == MPI_SUCCESS;
}

WRAPPER_SMALL void call_leave_statuses(struct call *c, int ret)
{
    call_leave(c, ret);
    if (!CALL_LIKELY(c->ok))
        call_leave_failed(c, ret);
}

WRAPPER_SMALL void call_leave_value(struct call *c)
{
    call_leave(c, MPI_SUCCESS);
}

/* Writes the position AT back to the key, so that a put_ function can append. */
WRAPPER_SMALL void call_flush(struct call *c, const uint8_t *at)
{
    c->key->length = (size_t)(at - c->key->data);
}

/* Returns the position behind what was appended to the key, with room for CALL_ROOM bytes. */
WRAPPER_INLINE uint8_t *call_resume(struct call *c)
{
    const struct bytes *key = c->key;
    return CALL_LIKELY(key->capacity - key->length >= CALL_ROOM) ? key->data + key->length : call_make_room(c);
}

/* True if there is room for COUNT bytes at AT, and for CALL_ROOM bytes behind them. */
static inline bool call_has_room(const struct call *c, const uint8_t *at, size_t count)
{
    return c->key->capacity - (size_t)(at - c->key->data) >= count + CALL_ROOM;
}

/* ---- values: each store returns where the next value goes ---- */

/* The head of an array of COUNT items, which follow. */
enum { ARRAY_HEAD_BYTES = 5 };
static inline uint8_t *store_array_head(uint8_t *at, uint32_t count)
{
    *at = VALUE_ARRAY;
    return store_u32(at + 1, count);
}

WRAPPER_SMALL uint8_t *store_none(uint8_t *at, int count)
{
    for (int i = 0; i < count; i++)
        *at++ = VALUE_NONE;
    return at;
}

WRAPPER_SMALL uint8_t *store_name(uint8_t *at, unsigned name)
{
    *at = VALUE_NAME;
    return store_u16(at + 1, name);
}

WRAPPER_SMALL uint8_t *store_int(uint8_t *at, int64_t v)
{
    *at = VALUE_INT;
    return store_slot(at + 1, v);
}

/* In C any int is true or false. One that is neither 0 nor 1 is stored as an integer. */
WRAPPER_SMALL uint8_t *store_bool(uint8_t *at, int v)
{
    *at = (unsigned)v <= 1 ? VALUE_BOOL : VALUE_INT;
    return store_slot(at + 1, v);
}

WRAPPER_SMALL uint8_t *store_real(uint8_t *at, double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *at = VALUE_REAL;
    return store_slot(at + 1, bits);
}

WRAPPER_INLINE uint8_t *store_enum(uint8_t *at, unsigned enumeration, int64_t v)
{
    return CALL_LIKELY(v > enumerations[enumeration].last) ? store_int(at, v) : store_constant(at, enumeration, v);
}

/* A time that a function read from a clock and returned. */
WRAPPER_INLINE uint8_t *store_time(const struct call *c, uint8_t *at, double v)
{
    if (capture.readings != READINGS_NOT_KEPT &&
        (capture.readings == READINGS_VALUES || !stream_keep_reading(c->thread->stream, v)))
        return store_real(at, v);
    *at = VALUE_TIME;
    return at + 1;
}

/* The same for a clock that Pilgrim knows nothing about. */
WRAPPER_INLINE uint8_t *store_stamp(uint8_t *at, int64_t v)
{
    if (capture.readings >= READINGS_EXACT)
        return store_int(at, v);
    *at = VALUE_TIME;
    return at + 1;
}

/* RANK in the group that BASE describes. */
CALL_INLINE uint8_t *store_rank_of(struct call *c, uint8_t *at, const struct rank_base *base, int rank)
{
    if (!CALL_LIKELY((unsigned)rank < (unsigned)base->size && (unsigned)base->rank < (unsigned)base->size))
        return store_rank_slowly(c, at, base, rank);
    if (base->index != c->current_base) {
        *at = VALUE_RANK_BASE;
        at = store_slot(at + 1, base->index);
        c->current_base = base->index;
    }
    *at = VALUE_RANK;
    return store_slot(at + 1, rank_distance(base, rank));
}

WRAPPER_INLINE uint8_t *store_rank(struct call *c, uint8_t *at, int rank)
{
    return store_rank_of(c, at, &c->base, rank);
}

static inline uint8_t *store_token(uint8_t *at, const struct short_token *token)
{
    memcpy(at, token, sizeof *token);
    return at + (token->words[1] >> 56);
}

WRAPPER_INLINE uint8_t *store_handle(struct call *c, uint8_t *at, enum object_kind kind, uint64_t handle)
{
    const struct cached_object *o = handle_cache_object(&c->thread->handle_cache, kind, handle);
    return CALL_LIKELY(o) ? store_token(at, &o->token) : store_handle_slowly(c, at, kind, handle);
}

/* Sets c->base to the rank base of HANDLE. Returns the token of HANDLE for store_with_base; an empty one if it is not
 * in the cache. */
WRAPPER_INLINE struct short_token call_rank_base(struct call *c, enum object_kind kind, uint64_t handle)
{
    const struct cached_object *o = handle_cache_based_object(&c->thread->handle_cache, kind, handle);
    if (CALL_LIKELY(o)) {
        c->base = o->base;
        return o->token;
    }
    call_rank_base_slowly(c, kind, handle);
    return (struct short_token){{0, 0}};
}

/* Stores HANDLE, for which call_rank_base returned TOKEN. */
WRAPPER_INLINE uint8_t *store_with_base(struct call *c, uint8_t *at, const struct short_token *token,
                                        enum object_kind kind, uint64_t handle)
{
    return CALL_LIKELY(token->words[1] >> 56) ? store_token(at, token) : store_handle_slowly(c, at, kind, handle);
}

WRAPPER_INLINE uint8_t *store_buffer(struct call *c, uint8_t *at, const void *p)
{
    const struct cached_buffer *b = handle_cache_buffer(&c->thread->handle_cache, p);
    if (!CALL_LIKELY(b))
        return store_buffer_slowly(c, at, p);
    memcpy(at, b->token, sizeof b->token);
    return at + b->token[CACHED_BUFFER_BYTES - 1];
}

/* Returns what PMPI gets in place of APPLICATION, the program's status. */
WRAPPER_INLINE MPI_Status *call_status(struct call *c, MPI_Status *application)
{
    bool ignored = application == MPI_STATUS_IGNORE;
    if (!CALL_LIKELY(ignored ? c->thread->status_capacity > 0 : !c->fortran))
        return call_status_slowly(c, application);
    return ignored ? c->thread->statuses : application;
}

/* The same for an array of COUNT statuses. */
WRAPPER_INLINE MPI_Status *call_statuses(struct call *c, MPI_Status *application, int64_t count)
{
    bool ignored = application == MPI_STATUSES_IGNORE;
    bool room = (uint64_t)count <= (uint64_t)c->thread->status_capacity && c->thread->status_capacity > 0;
    if (!CALL_LIKELY(ignored ? room : !c->fortran))
        return call_statuses_slowly(c, application, count);
    return ignored ? c->thread->statuses : application;
}

/* Stores the return code and records the call. */
WRAPPER_SMALL void call_end(struct call *c, uint8_t *at, int ret)
{
    call_done(c, store_int(at, ret));
}

#endif
