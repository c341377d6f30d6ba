/* SPDX-License-Identifier: BSD-3-Clause */
/* The inline functions of thread requests (requests.h), which are on the hot path, and the data that they need.
 * src/wrap/put_requests.c uses it.
 *
 * The lock of thread requests is one atomic exchange. It is held for some instructions and is nearly always free. */
#ifndef PILGRIM_THREAD_REQUESTS_INLINE_H
#define PILGRIM_THREAD_REQUESTS_INLINE_H

#include "objects/pool.h"
#include "objects/requests.h"
#include "objects/sharing.h"

/* Operations lie in slabs, which are never freed. The index of an operation is the slab's number and the operation's
 * number in the slab, from 1. */
enum { SLAB_BYTES = 1 << 16, SLAB_SHIFT = 10, SLABS_MAX = 1 << 16 };

struct operation_slab {
    struct thread_requests *requests; /* which its operations belong to, unless they were moved */
    uint32_t base;                    /* the slab's number << SLAB_SHIFT */
};

_Static_assert(sizeof(struct operation) == SLAB_BYTES >> SLAB_SHIFT, "the slab's head is one operation long");

extern struct operation_slab *operation_slabs[SLABS_MAX] __attribute__((visibility("hidden"))); /* by number */
extern struct operation request_null __attribute__((visibility("hidden")));                     /* the null operation */
extern struct operation request_lost; /* stands for an operation that there was no memory for */

/* ---- slow paths of the inline functions; requests.c. The caller holds the lock, but for the first one. ---- */

/* Takes the lock of R. Called when an attempt has failed. */
void thread_requests_wait(struct thread_requests *r);

/* Returns memory for an operation when no free one is left; NULL: no memory. */
struct operation *operation_make(struct thread_requests *r);

/* Makes the pool of request indices of call class NUMBER; NULL: no memory. */
struct pool *index_pool_make(struct thread_requests *r, uint32_t number);

/* Makes room for another entry. False: no memory. */
bool table_grow(struct thread_requests *r);

/* Begins the numbers of searches again at 1. */
void searches_begin_anew(struct thread_requests *r);

/* fifo_remove, if O is not the first in its FIFO, or entries of the table may have to move. */
void fifo_remove_slowly(struct thread_requests *r, struct operation *o);

/* Takes an index of the pool of unknown operations for O (false: no memory), and gives it back. */
bool unknown_index_take(struct operation *o);
void unknown_index_give(const struct operation *o);

/* Gives the memory of O, which was moved and has ended, back to the thread requests that made it. */
void operation_return(struct operation *o);

/* ---- addresses, indices, locks ---- */

static inline struct operation_slab *operation_slab(const struct operation *o)
{
    return (struct operation_slab *)((uintptr_t)o & ~(uintptr_t)(SLAB_BYTES - 1));
}

static inline uint32_t operation_index(const struct operation *o)
{
    return operation_slab(o)->base + (uint32_t)((uintptr_t)o % SLAB_BYTES / sizeof *o);
}

static inline struct operation *operation_at(uint32_t index)
{
    return (struct operation *)(void *)operation_slabs[index >> SLAB_SHIFT] + index % (1u << SLAB_SHIFT);
}

static inline void thread_requests_lock(struct thread_requests *r)
{
    if (__builtin_expect(objects_threads, 0) && atomic_exchange_explicit(&r->lock, 1, memory_order_acquire))
        thread_requests_wait(r);
}

static inline void thread_requests_unlock(struct thread_requests *r)
{
    if (__builtin_expect(objects_threads, 0))
        atomic_store_explicit(&r->lock, 0, memory_order_release);
}

/* ---- FIFOs. From here on the caller holds the lock of the thread requests. ---- */

/* Returns where in the table the search for KEY begins. Fibonacci hashing: the high bits of the product depend on
 * all bits of the key. */
static inline size_t fifo_hash(const struct thread_requests *r, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15)) >> r->shift;
}

/* Returns the first operation of KEY, and in *AT its entry. NULL: there is none; *AT is then the free entry for it. */
static inline struct operation *fifo_find(const struct thread_requests *r, uint64_t key, size_t *at)
{
    struct operation *o;
    for (*at = fifo_hash(r, key); (o = r->table[*at]) != NULL; *at = (*at + 1) & r->mask)
        if (__builtin_expect(o->key == key, 1))
            break;
    return o;
}

/* Returns the first operation of KEY; NULL: there is none. */
static inline struct operation *fifo_first(const struct thread_requests *r, uint64_t key)
{
    size_t at;
    return fifo_find(r, key, &at);
}

/* Makes O the only operation of KEY, with the free entry AT. */
static inline void fifo_begin(struct thread_requests *r, size_t at, uint64_t key, struct operation *o)
{
    r->table[at] = o;
    r->room--;
    o->key = key;
    o->next = o->previous = o->search = 0;
}

/* Appends O to the FIFO of KEY. The table must have room for an entry. */
static inline void fifo_append(struct thread_requests *r, uint64_t key, struct operation *o)
{
    size_t at;
    struct operation *first = fifo_find(r, key, &at);
    if (!first) {
        fifo_begin(r, at, key, o);
        return;
    }
    uint32_t index = operation_index(o);
    o->key = key;
    o->next = o->search = 0;
    o->previous = first->previous ? first->previous : operation_index(first);
    operation_at(o->previous)->next = index;
    first->previous = index;
}

/* Makes the operation behind FIRST, which has the entry AT, the first one. */
static inline void fifo_remove_first(struct thread_requests *r, size_t at, const struct operation *first)
{
    struct operation *second = operation_at(first->next);
    r->table[at] = second;
    second->previous = second->next ? first->previous : 0;
}

static inline void fifo_remove(struct thread_requests *r, struct operation *o)
{
    size_t at = fifo_hash(r, o->key);
    if (__builtin_expect(r->table[at] != o, 0)) {
        fifo_remove_slowly(r, o);
    } else if (o->next) {
        fifo_remove_first(r, at, o);
    } else if (__builtin_expect(r->table[(at + 1) & r->mask] != NULL, 0)) {
        fifo_remove_slowly(r, o);
    } else {
        r->table[at] = NULL;
        r->room++;
    }
}

/* ---- operations that begin and end ---- */

/* Returns memory for an operation of R; NULL: there is none. Memory of operations is never freed, so that what a
 * call has found stays an operation. */
static inline struct operation *operation_take(struct thread_requests *r)
{
    struct operation *o = r->free;
    if (__builtin_expect(!o, 0))
        return operation_make(r);
    r->free = o->spare;
    return o;
}

static inline void operation_give(struct thread_requests *r, struct operation *o)
{
    o->spare = r->free;
    r->free = o;
}

static inline void count_live(struct thread_requests *r, size_t more)
{
    size_t live = atomic_load_explicit(&r->live, memory_order_relaxed);
    atomic_store_explicit(&r->live, live + more, memory_order_relaxed);
}

static inline uint32_t class_index(int64_t class_number)
{
    return (uint32_t)class_number & ((1u << REQUEST_THREAD_SHIFT) - 1);
}

/* Gives O, an operation of R, a request index. False: no memory. */
static inline bool request_index_take(struct thread_requests *r, struct operation *o, int64_t class_number)
{
    if (__builtin_expect(class_number == REQUEST_UNKNOWN, 0)) {
        bool taken = unknown_index_take(o);
        count_live(r, taken);
        return taken;
    }
    uint32_t number = class_index(class_number);
    struct pool *p = number < r->class_count ? r->classes[number] : NULL;
    if (__builtin_expect(!p, 0))
        p = index_pool_make(r, number);
    int64_t request_index = p ? pool_take_quickly(p) : -1;
    if (__builtin_expect(request_index < 0, 0))
        request_index = p ? pool_take(p) : -1;
    if (__builtin_expect(request_index < 0 || request_index > UINT32_MAX, 0))
        return false;
    o->request_index = (uint32_t)request_index;
    count_live(r, 1);
    return true;
}

/* Gives the request index of O back. R: the thread requests that O is in now. */
static inline void request_index_give(struct thread_requests *r, const struct operation *o)
{
    count_live(r, (size_t)-1);
    if (__builtin_expect(operation_class(o) == REQUEST_UNKNOWN, 0))
        unknown_index_give(o);
    else if (__builtin_expect(!atomic_load_explicit(&o->moved, memory_order_relaxed), 1))
        pool_give_quickly(r->classes[class_index(operation_class(o))], o->request_index);
}

static inline void operation_fill(struct operation *o, int64_t class_number, unsigned traits, uint32_t base,
                                  const struct posting *posted)
{
    o->what = (int64_t)((uint64_t)class_number << OPERATION_CLASS_SHIFT | traits);
    o->active = !(traits & TRAIT_PERSISTENT);
    o->base = base;
    o->completed_by = 0;
    o->posted.count = 0;
    if (posted)
        o->posted = *posted;
}

/* Begins an operation and appends it to KEY's FIFO. NULL: no memory. */
static inline struct operation *operation_begin(struct thread_requests *r, uint64_t key, int64_t class_number,
                                                unsigned traits, uint32_t base, const struct posting *posted)
{
    struct operation *o = r->room || table_grow(r) ? operation_take(r) : NULL;
    if (__builtin_expect(!o, 0))
        return NULL;
    if (__builtin_expect(!request_index_take(r, o, class_number), 0)) {
        operation_give(r, o);
        return NULL;
    }
    r->search++;
    fifo_append(r, key, o);
    operation_fill(o, class_number, traits, base, posted);
    return o;
}

/* As operation_begin, if nothing has to be allocated. NULL: another case, and nothing was done. The operation is filled
 * before the FIFO is searched, so that fewer values are kept meanwhile. */
static inline __attribute__((always_inline)) struct operation *
operation_begin_quickly(struct thread_requests *r, uint64_t key, int64_t class_number, unsigned traits, uint32_t base,
                        const struct posting *posted)
{
    struct operation *o = r->free;
    uint32_t number = class_index(class_number);
    if (__builtin_expect(!r->room || !key || !o || class_number == REQUEST_UNKNOWN || number >= r->class_count, 0))
        return NULL;
    struct pool *p = r->classes[number];
    int64_t request_index = __builtin_expect(p != NULL, 1) ? pool_take_quickly(p) : -1;
    if (__builtin_expect(request_index < 0, 0))
        return NULL;
    r->free = o->spare;
    o->request_index = (uint32_t)request_index;
    operation_fill(o, class_number, traits, base, posted);
    count_live(r, 1);
    fifo_append(r, key, o);
    return o;
}

/* Ends O, which is in R. */
static inline void operation_end(struct thread_requests *r, struct operation *o)
{
    fifo_remove(r, o);
    r->search++;
    o->serial++;
    if (__builtin_expect(objects_release_hook != NULL, 0)) /* before another thread can take the request index */
        objects_tell_request_released(operation_class(o), o->request_index);
    request_index_give(r, o);
    if (__builtin_expect(atomic_load_explicit(&o->moved, memory_order_relaxed), 0))
        operation_return(o);
    else
        operation_give(r, o);
}

/* ---- finding ---- */

/* True if a call of R may find O: no other thread's call is about to complete it. Otherwise the MPI library may
 * already have given its handle to somebody else. */
static inline bool operation_is_free(const struct operation *o, const struct thread_requests *r)
{
    return !o->completed_by || o->completed_by == r->number;
}

/* Does found_set while there is one thread. */
static inline void found_set_alone(struct found_operation_bits *found, const struct operation *o, bool own)
{
    found->word = (uintptr_t)o | (uint64_t)o->serial << FOUND_SERIAL_SHIFT | FOUND_LIVE | (own ? FOUND_OWN : 0);
}

/* Records in FOUND that a call of R has found O. OWN: O is in R. */
static inline void found_set(struct found_operation_bits *found, struct operation *o, const struct thread_requests *r,
                             bool own)
{
    found_set_alone(found, o, own);
    if (__builtin_expect(objects_threads, 0) && !o->completed_by)
        o->completed_by = r->number;
}

/* Returns the live operation; NULL: it has ended, or none was found. */
static inline struct operation *found_live(const struct found_operation_bits *found)
{
    if (!found_has(found, FOUND_LIVE))
        return NULL;
    struct operation *o = found_operation(found);
    return found_has(found, FOUND_COPIED) ? ((struct operation_copy *)(void *)o)->live : o;
}

/* ---- several requests, while there is one thread ---- */

/* Begins a search for several handles, one after another. Returns its number. */
static inline uint32_t requests_search_begin(struct thread_requests *r)
{
    r->search++;
    if (__builtin_expect(!++r->searches, 0))
        searches_begin_anew(r);
    return r->searches;
}

/* Returns the next operation of HANDLE, which is not MPI_REQUEST_NULL, in search number SEARCH. NULL: none is left
 * here. */
static inline struct operation *requests_search_next(struct thread_requests *r, uint64_t handle, uint32_t search)
{
    struct operation *first = fifo_first(r, handle ^ request_null_handle), *o = first;
    if (__builtin_expect(!first, 0))
        return NULL;
    if (first->search == search) {
        if (__builtin_expect(!first->cursor, 0))
            return NULL;
        o = operation_at(first->cursor);
    }
    first->search = search;
    first->cursor = o->next;
    return o;
}

/* True if no operation of R has been looked for, and none has begun or ended, since R->search was SINCE. False while
 * there are several threads: another one may be looking. */
static inline bool requests_unchanged(const struct thread_requests *r, uint64_t since)
{
    return !objects_threads && r->search == since;
}

/* ---- one request. The caller holds no lock. ---- */

/* TRAITS: request_traits. */
const struct operation *request_created_slowly(struct thread_requests *r, uint64_t handle, int64_t class_number,
                                               unsigned traits, const struct rank_base *base,
                                               const struct posting *posted);

/* As request_created, if nothing has to be allocated, and while there is one thread. NULL: another case, and nothing
 * was done. */
static inline __attribute__((always_inline)) const struct operation *
request_created_quickly(struct thread_requests *r, uint64_t handle, int64_t class_number, unsigned traits,
                        const struct rank_base *base, const struct posting *posted)
{
    if (__builtin_expect(objects_threads, 0))
        return NULL;
    return operation_begin_quickly(r, handle ^ request_null_handle, class_number, traits, base->index, posted);
}

/* Begins and returns the operation of HANDLE, which a call of class CLASS_NUMBER created. Returns the null operation
 * for MPI_REQUEST_NULL. POSTED: how it was posted, copied; NULL: not known. */
static inline const struct operation *request_created(struct thread_requests *r, uint64_t handle, int64_t class_number,
                                                      enum request_kind kind, bool persistent,
                                                      const struct rank_base *base, const struct posting *posted)
{
    unsigned traits = request_traits(kind, persistent);
    const struct operation *o = request_created_quickly(r, handle, class_number, traits, base, posted);
    return __builtin_expect(o != NULL, 1) ? o : request_created_slowly(r, handle, class_number, traits, base, posted);
}

/* As requests_find for HANDLE alone. F has room for one operation. */
const struct operation *request_find_slowly(struct thread_requests *r, struct finding *f, uint64_t handle);

static inline const struct operation *request_find(struct thread_requests *r, struct finding *f, uint64_t handle)
{
    struct operation *o = __builtin_expect(objects_threads, 0) ? NULL : fifo_first(r, handle ^ request_null_handle);
    if (__builtin_expect(!o, 0))
        return request_find_slowly(r, f, handle);
    f->handles[0] = handle;
    r->search++;
    found_set(f->found, o, r, true);
    return o;
}

/* Ends the operation of F->handles[i], which MPI_REQUEST_NULL has replaced. */
void request_finish(struct thread_requests *r, struct finding *f, int64_t i);

/* True if request_end_quickly may be called. */
static inline bool requests_end_quickly(void)
{
    return !objects_threads && !objects_release_hook;
}

/* True if FOUND has a live operation of the thread that found it, which has a class. */
static inline bool found_is_own(const struct found_operation_bits *found)
{
    const struct operation *o = found_operation(found);
    return found_has(found, FOUND_OWN | FOUND_LIVE) && found_is(found, o) && operation_class(o) != REQUEST_UNKNOWN;
}

/* Does request_finish for O, an operation of R, found_is_own, with the name CLASS_NUMBER, REQUEST_INDEX; but the caller
 * calls found_end and requests_ended. */
static inline __attribute__((always_inline)) void request_end_quickly(struct thread_requests *r, struct operation *o,
                                                                      int64_t class_number, uint32_t request_index)
{
    fifo_remove(r, o);
    o->serial++;
    operation_give(r, o);
    pool_give_quickly(r->classes[class_index(class_number)], request_index);
}

/* COUNT operations of R have ended by request_end_quickly. */
static inline void requests_ended(struct thread_requests *r, size_t count)
{
    r->search += count;
    count_live(r, -count);
}

#endif
