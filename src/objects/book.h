/* The inside of a book of requests (requests.h), and what is done to one request at a time, which wants to be quick: for put_requests.c.
 *
 * A book is locked by one exchange, for some instructions, and nearly always free. */
#ifndef PILGRIM_BOOK_H
#define PILGRIM_BOOK_H

#include "objects/places.h"
#include "objects/requests.h"
#include "objects/sharing.h"

/* An entry of the table. */
struct fifo {
    uint64_t key;             /* handle ^ request_null_handle: 0, the entry is free */
    struct operation *first;  /* NULL: it is empty */
    struct operation *cursor; /* next one of search `search` */
    uint64_t search;
};

extern struct operation request_null; /* the null operation */
extern struct operation request_lost; /* stands for one that there was no memory for */

/* The rest of what follows them. */
void book_wait(struct requests *r);
struct operation *operation_make(struct requests *r);                  /* NULL: no memory */
struct places *places_make(struct requests *r, uint32_t number);       /* idem; NUMBER: of the call class */
bool fifos_renew(struct requests *r);                                  /* room for one more entry. False: no memory */
bool unknown_place_take(struct operation *o);                          /* idem */
void unknown_place_give(const struct operation *o);

static inline void book_lock(struct requests *r)
{
    if (__builtin_expect(objects_threads, 0) && atomic_exchange_explicit(&r->lock, 1, memory_order_acquire))
        book_wait(r);
}

static inline void book_unlock(struct requests *r)
{
    if (__builtin_expect(objects_threads, 0))
        atomic_store_explicit(&r->lock, 0, memory_order_release);
}

/* ---- FIFOs; from here on under the lock of the book ---- */

/* Fibonacci hashing: the high bits of the product depend on all bits of the key. */
static inline size_t fifo_hash(const struct requests *r, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15)) >> r->shift;
}

/* The entry of KEY, or the free one where it would be. */
static inline struct fifo *fifo_find(const struct requests *r, uint64_t key)
{
    struct fifo *f = &r->fifos[fifo_hash(r, key)];
    while (__builtin_expect(f->key != key && f->key, 0))
        f = f == &r->fifos[r->mask] ? r->fifos : f + 1;
    return f;
}

/* The entry of KEY; NULL: no memory for a new one. */
static inline struct fifo *fifo_make(struct requests *r, uint64_t key)
{
    struct fifo *f = fifo_find(r, key);
    if (__builtin_expect(f->key != 0, 1))
        return f;
    if (r->used > r->mask / 2) {
        if (!fifos_renew(r))
            return NULL;
        f = fifo_find(r, key);
    }
    r->used++;
    f->key = key;
    return f;
}

static inline void fifo_append(struct fifo *f, struct operation *o)
{
    struct operation *first = f->first;
    o->fifo = f;
    o->next = NULL;
    if (__builtin_expect(!first, 1)) {
        o->previous = o;
        f->first = o;
    } else {
        o->previous = first->previous;
        first->previous->next = o;
        first->previous = o;
    }
}

static inline void fifo_remove(struct operation *o)
{
    struct fifo *f = o->fifo;
    if (f->first == o)
        f->first = o->next;
    else
        o->previous->next = o->next;
    if (o->next)
        o->next->previous = o->previous;
    else if (f->first)
        f->first->previous = o->previous;
}

/* ---- operations that begin and end ---- */

/* Memory for an operation of R; NULL: there is none. It is never given back, so that what was found stays an operation. */
static inline struct operation *operation_take(struct requests *r)
{
    struct operation *o = r->free;
    if (__builtin_expect(!o, 0))
        return operation_make(r);
    r->free = o->next;
    return o;
}

static inline void operation_give(struct requests *r, struct operation *o)
{
    o->next = r->free;
    r->free = o;
}

static inline void count_live(struct requests *r, size_t more)
{
    size_t live = atomic_load_explicit(&r->live, memory_order_relaxed);
    atomic_store_explicit(&r->live, live + more, memory_order_relaxed);
}

/* Gives O, whose book is R, a place. False: no memory. */
static inline bool place_take(struct requests *r, struct operation *o)
{
    if (__builtin_expect(o->name.class_number == REQUEST_UNKNOWN, 0)) {
        bool taken = unknown_place_take(o);
        count_live(r, taken);
        return taken;
    }
    uint32_t number = (uint32_t)o->name.class_number & ((1u << REQUEST_THREAD_SHIFT) - 1);
    struct places *p = number < r->class_count ? r->classes[number] : NULL;
    if (__builtin_expect(!p, 0))
        p = places_make(r, number);
    o->places = p;
    o->name.place = p ? places_take(p) : -1;
    if (__builtin_expect(o->name.place < 0, 0))
        return false;
    count_live(r, 1);
    return true;
}

static inline void place_give(struct requests *r, const struct operation *o)
{
    count_live(r, (size_t)-1);
    if (__builtin_expect(o->name.class_number == REQUEST_UNKNOWN, 0))
        unknown_place_give(o);
    else if (__builtin_expect(o->places != NULL, 1))
        places_give(o->places, o->name.place);
}

/* A new live operation, last of KEY's FIFO; NULL: no memory. What is in it is the caller's to fill in. */
static inline struct operation *operation_begin(struct requests *r, uint64_t key, int64_t class_number)
{
    struct fifo *f = fifo_make(r, key);
    struct operation *o = f ? operation_take(r) : NULL;
    if (__builtin_expect(!o, 0))
        return NULL;
    o->name.class_number = class_number;
    if (__builtin_expect(!place_take(r, o), 0)) {
        operation_give(r, o);
        return NULL;
    }
    o->completed_by = NULL;
    r->search++;
    fifo_append(f, o);
    return o;
}

/* The same where everything is there: else NULL, and nothing has been done. */
static inline struct operation *operation_begin_quickly(struct requests *r, uint64_t key, int64_t class_number)
{
    struct fifo *f = &r->fifos[fifo_hash(r, key)];
    struct operation *o = r->free;
    uint32_t number = (uint32_t)class_number & ((1u << REQUEST_THREAD_SHIFT) - 1);
    if (__builtin_expect(f->key != key || !key || !o || class_number == REQUEST_UNKNOWN || number >= r->class_count, 0))
        return NULL;
    struct places *p = r->classes[number];
    if (__builtin_expect(!p || !places_any_near(p), 0))
        return NULL;
    r->free = o->next;
    o->name = (struct operation_name){class_number, places_take_near(p)};
    o->places = p;
    o->completed_by = NULL;
    count_live(r, 1);
    fifo_append(f, o);
    return o;
}

static inline void operation_end(struct operation *o)
{
    struct requests *r = o->requests;
    fifo_remove(o);
    r->search++;
    o->serial++;
    operation_give(r, o);
    if (__builtin_expect(objects_release_hook != NULL, 0)) /* before another thread can take the place */
        objects_tell_request_released(o->name.class_number, o->name.place);
    place_give(r, o);
}

/* ---- finding ---- */

/* Whether a call of R may find O: no other thread's call is about to complete it. Then the library may have given its handle away. */
static inline bool operation_is_free(const struct operation *o, const struct requests *r)
{
    return !o->completed_by || o->completed_by == r;
}

/* A call of R has found O. */
static inline void found_set(struct found *found, struct operation *o, const struct requests *r)
{
    found->operation = found->live = o;
    found->serial = o->serial;
    if (__builtin_expect(objects_threads, 0) && !o->completed_by)
        o->completed_by = r;
}

/* ---- several requests, while there is no other thread ---- */

/* A search for some handles, in order. */
static inline uint64_t requests_search_begin(struct requests *r)
{
    return ++r->search;
}

/* The operation of HANDLE, which is not that of null, if this is its first occurrence in the search; NULL: it is not, or not found so
 * quickly. */
static inline struct operation *requests_search_quickly(struct requests *r, uint64_t handle, uint64_t search)
{
    uint64_t key = handle ^ request_null_handle;
    struct fifo *f = &r->fifos[fifo_hash(r, key)];
    struct operation *o = f->first;
    if (__builtin_expect(f->key != key || !o || f->search == search, 0))
        return NULL;
    f->search = search;
    f->cursor = o->next;
    return o;
}

/* ---- one request; without a lock ---- */

static inline void operation_fill(struct operation *o, enum request_kind kind, bool persistent, const struct view *view,
                                  const struct posting *posted)
{
    o->active = !persistent;
    o->persistent = persistent;
    o->kind = (uint8_t)kind;
    o->view = *view;
    o->posted.count = 0;
    if (posted)
        o->posted = *posted;
}

const struct operation *request_created_slowly(struct requests *r, uint64_t handle, int64_t class_number, enum request_kind kind,
                                               bool persistent, const struct view *view, const struct posting *posted);

/* A call created HANDLE: a live operation of the class CLASS_NUMBER. Built-in null: the null operation. POSTED: how it was posted,
 * copied; NULL: not known. */
static inline const struct operation *request_created(struct requests *r, uint64_t handle, int64_t class_number,
                                                      enum request_kind kind, bool persistent, const struct view *view,
                                                      const struct posting *posted)
{
    struct operation *o = NULL;
    if (__builtin_expect(!objects_threads, 1))
        o = operation_begin_quickly(r, handle ^ request_null_handle, class_number);
    if (__builtin_expect(!o, 0)) {
        struct posting copy = posted ? *posted : (struct posting){0}; /* so that the caller's may stay in registers */
        return request_created_slowly(r, handle, class_number, kind, persistent, view, posted ? &copy : NULL);
    }
    operation_fill(o, kind, persistent, view, posted);
    return o;
}

/* As requests_find of HANDLE alone; F has room for one. */
const struct operation *request_find_slowly(struct requests *r, struct finding *f, uint64_t handle);

static inline const struct operation *request_find(struct requests *r, struct finding *f, uint64_t handle)
{
    uint64_t key = handle ^ request_null_handle;
    const struct fifo *at = &r->fifos[fifo_hash(r, key)];
    if (__builtin_expect(objects_threads || at->key != key || !at->first, 0))
        return request_find_slowly(r, f, handle);
    f->handles[0] = handle;
    r->search++;
    found_set(f->found, at->first, r);
    return at->first;
}

/* MPI_REQUEST_NULL is now where F->handles[i] was: releases the operation. */
void request_finish_slowly(struct requests *r, struct finding *f, int64_t i);

static inline void request_finish(struct requests *r, struct finding *f, int64_t i)
{
    struct operation *o = f->found[i].live;
    if (__builtin_expect(!o, 0))
        return;
    bool quick = !objects_threads && o->requests == r && o->serial == f->found[i].serial && !objects_release_hook &&
                 o->name.class_number != REQUEST_UNKNOWN && o->name.place < PLACES_NEAR;
    if (__builtin_expect(!quick, 0)) {
        request_finish_slowly(r, f, i);
        return;
    }
    f->found[i].live = NULL;
    fifo_remove(o);
    r->search++;
    o->serial++;
    operation_give(r, o);
    count_live(r, (size_t)-1);
    places_give_near(o->places, o->name.place);
}

#endif
