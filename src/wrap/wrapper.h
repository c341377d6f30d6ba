/* SPDX-License-Identifier: BSD-3-Clause */
/* What generated wrappers do themselves: the way of a call that is recorded, made by C, not inside of another one. All
 * else is behind call_begin_slowly.
 *
 * A wrapper holds the place in the key that it writes to in a variable, `at`. Where it calls a function that writes to
 * the key itself, it hands the place over (call_gives) and has it back after (call_takes). There is always room for
 * CALL_ROOM bytes at `at` then, more than all scalar values of a call take, so a store is a tag and a slot and no
 * check. */
#ifndef PILGRIM_WRAPPER_H
#define PILGRIM_WRAPPER_H

#include <stddef.h>

#include "base/clock.h"
#include "wrap/call.h"
#include "process/capture.h"
#include "process/filter.h"
#include "wrap/fortran_call.h"
#include "objects/handle_cache.h"
#include "wrap/put.h"
#include "process/thread.h"
#include "record/stream_times.h"
#include "functions.h"

_Static_assert(CALL_ROOM == 32 * CALL_ROOM_OF_VALUE, "gen/emit_wrappers.c counts a call's values");

_Static_assert(offsetof(struct thread, key) == 0, "a call's thread is its key, too");

#define CALL_LIKELY(x) __builtin_expect(!!(x), 1)
#define CALL_INLINE    static inline __attribute__((always_inline))

/* ---- the call ---- */

/* Fills C for the call of T that begins, made at SITE; t->class and, where it is used, c->base are set apart. */
CALL_INLINE void call_fill(struct call *c, struct thread *t, uint32_t function, const void *site)
{
    t->inside = true;
    t->frame = c;
    t->site = site;
    t->error_in_status = false;
    c->thread = t;
    c->function = function;
    c->current_base = 0;
    memset(&c->fortran, 0, offsetof(struct call, base) - offsetof(struct call, fortran));
}

/* To be looked at once: 0, or what is against recording. */
static inline unsigned call_off(void)
{
    return atomic_load_explicit(&capture.off, memory_order_relaxed);
}

/* Whether a call of a function that FOLLOWS need not be seen while recording is paused. Requests are begun untracked
 * only where none is live, so that no handle means one that is known and another that is not. */
static inline bool call_may_be_untracked(enum call_follows follows)
{
    return follows == FOLLOWS_NOTHING || (follows == FOLLOWS_REQUESTS && !requests_live());
}

/* Whether recording is paused and the call need not be seen: before anything else, so that it costs no more than to say
 * so. A call from Fortran is to be seen by the entry that it came by. */
CALL_INLINE bool call_passes(unsigned off, enum call_follows follows)
{
    return !CALL_LIKELY(!off) && off == OFF_PAUSED && !fortran_now && call_may_be_untracked(follows);
}

/* Where the first value goes. NULL: not recorded, nor are its objects to be followed (off, paused, nested, left out,
 * not initialised, after finalize): the wrapper calls PMPI, then call_passed, and returns. */
CALL_INLINE uint8_t *call_begin(struct call *c, unsigned off, uint32_t function, enum call_follows follows,
                                const void *site)
{
    struct thread *t = thread_now;
    if (!CALL_LIKELY(!off) || !CALL_LIKELY(t) || !CALL_LIKELY(!t->inside) || !CALL_LIKELY(!fortran_now))
        return call_begin_slowly(c, function, follows, site);
    const struct class_head *class = stream_expected(t->stream);
    if (!CALL_LIKELY(class_is(class, function, site, false))) {
        if (!CALL_LIKELY(!filter_left_out[function])) {
            if (!call_may_be_untracked(follows))
                return call_begin_slowly(c, function, follows, site);
            c->thread = t;
            t->inside = true;
            t->frame = c; /* so that a call in its callback is not taken for one after a call that never returned */
            t->site = site;
            t->class = NULL;
            return NULL;
        }
        class = stream_class_head(t->stream, function, site, false);
        if (!class) {
            c->thread = NULL;
            return call_no_memory();
        }
    }
    t->class = class;
    call_fill(c, t, function, site);
    uint8_t *at = t->key.data;
    if (!at)
        __builtin_unreachable(); /* the caller need not ask */
    return at;
}

/* RET, which MPI has returned to a call that call_begin had no place for. If it was left out (PILGRIM_FILTER), calls
 * are the program's own again. */
static inline int call_passed(const struct call *c, int ret)
{
    if (!CALL_LIKELY(!c->thread))
        c->thread->inside = false;
    return ret;
}

/* The same for other types: returns CALL. */
#define CALL_PASSED(c, type, call)                                                                                     \
    do {                                                                                                               \
        type passed = (call);                                                                                          \
        (void)call_passed(c, 0);                                                                                       \
        return passed;                                                                                                 \
    } while (0)

/* AT: where the first value goes that comes out. */
static inline void call_enter(struct call *c, uint8_t *at)
{
    c->thread->outputs = at;
    c->thread->start = clock_now();
}

/* RET decides c->ok: outputs are defined after MPI_SUCCESS. _statuses: for functions with an array of statuses,
 * whose outputs are defined after MPI_ERR_IN_STATUS too. _value: functions that return no error code (ok is true). */
static inline void call_leave(struct call *c, int ret)
{
    c->end = clock_now();
    c->ok = ret == MPI_SUCCESS;
}

static inline void call_leave_statuses(struct call *c, int ret)
{
    call_leave(c, ret);
    if (!CALL_LIKELY(c->ok))
        call_leave_failed(c, ret);
}

static inline void call_leave_value(struct call *c)
{
    call_leave(c, MPI_SUCCESS);
}

static inline void call_gives(struct call *c, const uint8_t *at)
{
    c->key->length = (size_t)(at - c->key->data);
}

CALL_INLINE uint8_t *call_takes(struct call *c)
{
    const struct bytes *key = c->key;
    return CALL_LIKELY(key->capacity - key->length >= CALL_ROOM) ? key->data + key->length : call_make_room(c);
}

/* ---- values: each returns where the next one goes ---- */

static inline uint8_t *store_none(uint8_t *at, int count)
{
    for (int i = 0; i < count; i++)
        *at++ = VALUE_NONE;
    return at;
}

static inline uint8_t *store_name(uint8_t *at, unsigned name)
{
    *at = VALUE_NAME;
    return store_u16(at + 1, name);
}

static inline uint8_t *store_int(uint8_t *at, int64_t v)
{
    *at = VALUE_INT;
    return store_slot(at + 1, v);
}

/* Any int is true or false in C: one that is neither 0 nor 1 keeps its number. */
static inline uint8_t *store_bool(uint8_t *at, int v)
{
    *at = (unsigned)v <= 1 ? VALUE_BOOL : VALUE_INT;
    return store_slot(at + 1, v);
}

static inline uint8_t *store_real(uint8_t *at, double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *at = VALUE_REAL;
    return store_slot(at + 1, bits);
}

CALL_INLINE uint8_t *store_enum(uint8_t *at, unsigned enumeration, int64_t v)
{
    return CALL_LIKELY(v > enumerations[enumeration].last) ? store_int(at, v) : store_constant(at, enumeration, v);
}

/* A reading of the clock that a function returns. */
CALL_INLINE uint8_t *store_time(const struct call *c, uint8_t *at, double v)
{
    if (capture.readings != READINGS_NOT_KEPT &&
        (capture.readings == READINGS_VALUES || !stream_keep_reading(c->thread->stream, v)))
        return store_real(at, v);
    *at = VALUE_TIME;
    return at + 1;
}

/* That of a clock about which nothing is known. */
CALL_INLINE uint8_t *store_stamp(uint8_t *at, int64_t v)
{
    if (capture.readings >= READINGS_EXACT)
        return store_int(at, v);
    *at = VALUE_TIME;
    return at + 1;
}

/* RANK of the group that BASE describes. */
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

CALL_INLINE uint8_t *store_rank(struct call *c, uint8_t *at, int rank)
{
    return store_rank_of(c, at, &c->base, rank);
}

static inline uint8_t *store_token(uint8_t *at, const struct short_token *token)
{
    memcpy(at, token, sizeof *token);
    return at + (token->words[1] >> 56);
}

CALL_INLINE uint8_t *store_handle(struct call *c, uint8_t *at, enum object_kind kind, uint64_t handle)
{
    const struct cached_object *o = handle_cache_object(&c->thread->handle_cache, kind, handle);
    return CALL_LIKELY(o) ? store_token(at, &o->token) : store_handle_slowly(c, at, kind, handle);
}

/* Sets c->base. The result is what stands for HANDLE in the key, none where it may have no name yet. */
CALL_INLINE struct short_token call_rank_base(struct call *c, enum object_kind kind, uint64_t handle)
{
    const struct cached_object *o = handle_cache_based_object(&c->thread->handle_cache, kind, handle);
    if (CALL_LIKELY(o)) {
        c->base = o->base;
        return o->token;
    }
    call_rank_base_slowly(c, kind, handle);
    return (struct short_token){{0, 0}};
}

/* store_handle of what call_rank_base was given. */
CALL_INLINE uint8_t *store_with_base(struct call *c, uint8_t *at, const struct short_token *token,
                                     enum object_kind kind, uint64_t handle)
{
    return CALL_LIKELY(token->words[1] >> 56) ? store_token(at, token) : store_handle_slowly(c, at, kind, handle);
}

CALL_INLINE uint8_t *store_buffer(struct call *c, uint8_t *at, const void *p)
{
    const struct cached_buffer *b = handle_cache_buffer(&c->thread->handle_cache, p);
    if (!CALL_LIKELY(b))
        return store_buffer_slowly(c, at, p);
    memcpy(at, b->token, sizeof b->token);
    return at + b->token[CACHED_BUFFER_BYTES - 1];
}

/* What to pass to PMPI in place of APPLICATION, the status of the program's. */
CALL_INLINE MPI_Status *call_status(struct call *c, MPI_Status *application)
{
    bool ignored = application == MPI_STATUS_IGNORE;
    if (!CALL_LIKELY(ignored ? c->thread->status_capacity > 0 : !c->fortran))
        return call_status_slowly(c, application);
    return ignored ? c->thread->statuses : application;
}

/* Puts the return code, records the call. */
static inline void call_end(struct call *c, uint8_t *at, int ret)
{
    call_done(c, store_int(at, ret));
}

#endif
