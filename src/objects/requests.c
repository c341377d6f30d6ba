/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests; see requests.h.
 *
 * Live operations with one handle form a FIFO, a linked list. A hash table leads from the handle to its first
 * operation. The cursor of a FIFO says how far the current search has come in it, so an array that has one handle
 * many times costs no more than another array. A cursor counts only if its search is the current one. 10^5
 * operations in flight take 64 bytes each, and some 20 in the table.
 *
 * A thread searches its own requests first and mostly finds there what it looks for, so threads seldom meet. Thread
 * requests are locked while they are searched or changed. While those of a thread are locked, two other locks may be
 * taken: that of the requests of ended threads, and that of the pool of unknown operations.
 *
 * The file is longer than 400 lines, because all of it works on one data structure. */
#include "objects/requests.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "objects/thread_requests_inline.h"
#include "objects/pages.h"
#include "objects/sharing.h"
#include "objects/untracked_requests.h"

uint64_t request_null_handle;
_Atomic(struct thread_requests *) requests_first;

enum {
    TABLE_MIN = 512,
    THREAD_REQUESTS_MAX = UINT16_MAX,
    LARGE = 4096 /* a call with more operations frees its handles after the search */
};

static pthread_mutex_t all_requests_lock = PTHREAD_MUTEX_INITIALIZER;

/* The requests of ended threads; set under the lock. They are the last in the list: a search that misses an operation
 * in the requests of its thread, because it is being moved, meets it here. */
static _Atomic(struct thread_requests *) ended_requests;

/* The request indices of unknown operations, of all threads. */
static pthread_mutex_t unknown_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool unknown_indices;

#define WHAT(class_number, kind) ((class_number) * (1 << OPERATION_CLASS_SHIFT) + 2 * (kind))

struct operation_slab *operation_slabs[SLABS_MAX];
static atomic_uint slab_count, thread_requests_count;

_Alignas(FOUND_ALIGNMENT) struct operation request_null = {.what = WHAT(REQUEST_NULL, 0)};

_Alignas(FOUND_ALIGNMENT) struct operation request_lost = {.what = WHAT(REQUEST_UNKNOWN, REQUEST_OTHER),
                                                           .active = true};

/* ---- locks and the list ---- */

/* Sleeps after many attempts. Otherwise a waiting thread of higher priority could keep the thread that holds the
 * lock from running. */
void thread_requests_wait(struct thread_requests *r)
{
    enum { SPINS = 64, YIELDS = 128 };
    const struct timespec nap = {.tv_nsec = 20000};
    for (unsigned tries = 0; atomic_exchange_explicit(&r->lock, 1, memory_order_acquire); tries++) {
        if (tries >= YIELDS)
            nanosleep(&nap, NULL);
        else if (tries >= SPINS)
            sched_yield();
    }
}

static struct thread_requests *thread_requests_next(const struct thread_requests *r)
{
    return atomic_load_explicit(&r->next, memory_order_acquire);
}

static struct thread_requests *thread_requests_first(void)
{
    return atomic_load_explicit(&requests_first, memory_order_acquire);
}

static inline struct operation *operation_or_null(uint32_t index)
{
    return index ? operation_at(index) : NULL;
}

/* ---- memory ---- */

/* Makes TABLE, of CAPACITY entries (a power of two), the table of R. */
static void table_set(struct thread_requests *r, struct operation **table, size_t capacity)
{
    r->table = table;
    r->mask = capacity - 1;
    r->room = capacity / 2;
    r->shift = (unsigned)__builtin_clzll(capacity) + 1;
}

static struct thread_requests *thread_requests_make(void)
{
    uint32_t number = atomic_fetch_add_explicit(&thread_requests_count, 1, memory_order_relaxed) + 1;
    struct thread_requests *r = number <= THREAD_REQUESTS_MAX ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->number = (uint16_t)number;
    table_set(r, calloc(TABLE_MIN, sizeof *r->table), TABLE_MIN);
    if (!r->table) {
        free(r);
        return NULL;
    }
    return r;
}

/* Appends R to the list, but before the requests of ended threads. Under all_requests_lock. */
static void thread_requests_add(struct thread_requests *r)
{
    _Atomic(struct thread_requests *) *end = &requests_first;
    struct thread_requests *at = atomic_load_explicit(end, memory_order_relaxed);
    for (; at && at != ended_requests; at = atomic_load_explicit(end, memory_order_relaxed))
        end = &at->next;
    atomic_store_explicit(&r->next, at, memory_order_relaxed);
    atomic_store_explicit(end, r, memory_order_release);
}

struct thread_requests *requests_new(void)
{
    struct thread_requests *r = thread_requests_make();
    if (!r)
        return NULL;
    pthread_mutex_lock(&all_requests_lock);
    thread_requests_add(r);
    pthread_mutex_unlock(&all_requests_lock);
    return r;
}

bool finding_reserve(struct finding *f, int64_t count)
{
    if (count <= f->capacity)
        return true;
    if (count > INT32_MAX)
        return false;
    size_t capacity = (size_t)count + (size_t)count / 2 + 16;
    uint64_t *handles = realloc(f->handles, capacity * sizeof *handles);
    if (handles)
        f->handles = handles;
    struct found_operation_bits *found = realloc(f->found, capacity * sizeof *found);
    if (found)
        f->found = found;
    if (!handles || !found)
        return false;
    f->capacity = (int64_t)capacity;
    return true;
}

/* Makes room for copies of COUNT operations. False: no memory. */
static bool copies_reserve(struct finding *f, int64_t count)
{
    if (count <= f->copy_capacity)
        return true;
    struct operation_copy *copies = realloc(f->copies, (size_t)f->capacity * sizeof *copies);
    if (!copies)
        return false;
    f->copies = copies;
    f->copy_capacity = f->capacity;
    return true;
}

void finding_free(struct finding *f)
{
    free(f->handles);
    free(f->found);
    free(f->copies);
    *f = (struct finding){0};
}

/* Locks and returns the thread requests that O is in. They change when O's thread ends. */
static struct thread_requests *operation_lock(const struct operation *o)
{
    for (;;) {
        bool moved = atomic_load_explicit(&o->moved, memory_order_acquire);
        struct thread_requests *r =
            moved ? atomic_load_explicit(&ended_requests, memory_order_relaxed) : operation_slab(o)->requests;
        thread_requests_lock(r);
        if (atomic_load_explicit(&o->moved, memory_order_relaxed) == moved)
            return r;
        thread_requests_unlock(r);
    }
}

/* Returns pages for a slab, at a multiple of its size. */
static char *slab_pages(void)
{
    char *pages = pages_take(2 * (size_t)SLAB_BYTES);
    if (!pages)
        return NULL;
    size_t before = -(uintptr_t)pages % SLAB_BYTES;
    if (before)
        pages_give(pages, before);
    pages_give(pages + before + SLAB_BYTES, SLAB_BYTES - before);
    return pages + before;
}

static bool slab_make(struct thread_requests *r)
{
    uint32_t number = atomic_fetch_add_explicit(&slab_count, 1, memory_order_relaxed);
    char *pages = number < SLABS_MAX ? slab_pages() : NULL;
    if (!pages)
        return false;
    struct operation_slab *slab = (void *)pages;
    slab->requests = r;
    slab->base = number << SLAB_SHIFT;
    operation_slabs[number] = slab;
    r->fresh = (struct operation *)(void *)slab + 1;
    r->fresh_end = (struct operation *)(void *)slab + SLAB_BYTES / sizeof *r->fresh;
    return true;
}

/* Takes back what other threads have returned to R. They may still check if an operation is the one that they found;
 * they do so under the lock of the requests of ended threads, which this takes, too. */
static void take_returned(struct thread_requests *r)
{
    struct thread_requests *from = atomic_load_explicit(&ended_requests, memory_order_relaxed);
    thread_requests_lock(from);
    r->free = atomic_exchange_explicit(&r->returned, NULL, memory_order_acquire);
    for (struct operation *o = r->free; o; o = o->spare)
        atomic_store_explicit(&o->moved, false, memory_order_relaxed);
    thread_requests_unlock(from);
}

struct operation *operation_make(struct thread_requests *r)
{
    if (atomic_load_explicit(&r->returned, memory_order_relaxed)) {
        take_returned(r);
        return operation_take(r);
    }
    if (r->fresh == r->fresh_end && !slab_make(r))
        return NULL;
    return r->fresh++;
}

void operation_return(struct operation *o)
{
    struct thread_requests *r = operation_slab(o)->requests;
    o->spare = atomic_load_explicit(&r->returned, memory_order_relaxed);
    while (
        !atomic_compare_exchange_weak_explicit(&r->returned, &o->spare, o, memory_order_release, memory_order_relaxed))
        ;
}

/* ---- request indices ---- */

struct pool *index_pool_make(struct thread_requests *r, uint32_t number)
{
    if (number >= r->class_count) {
        uint32_t count = number + number / 2 + 16;
        struct pool **classes = realloc(r->classes, count * sizeof *classes);
        if (!classes)
            return NULL;
        memset(classes + r->class_count, 0, (count - r->class_count) * sizeof *classes);
        r->classes = classes;
        r->class_count = count;
    }
    return r->classes[number] = calloc(1, sizeof **r->classes);
}

bool unknown_index_take(struct operation *o)
{
    objects_lock(&unknown_lock);
    int64_t request_index = pool_take(&unknown_indices);
    o->request_index = (uint32_t)request_index;
    objects_unlock(&unknown_lock);
    return request_index >= 0;
}

void unknown_index_give(const struct operation *o)
{
    objects_lock(&unknown_lock);
    pool_give(&unknown_indices, o->request_index);
    objects_unlock(&unknown_lock);
}

/* ---- FIFOs ---- */

bool table_grow(struct thread_requests *r)
{
    struct operation **before = r->table;
    size_t count = r->mask + 1;
    struct operation **table = calloc(2 * count, sizeof *table);
    if (!table)
        return false;
    table_set(r, table, 2 * count);
    for (size_t i = 0; i < count; i++)
        if (before[i]) {
            size_t at;
            (void)fifo_find(r, before[i]->key, &at);
            table[at] = before[i];
            r->room--;
        }
    free(before);
    return true;
}

/* Empties entry AT and moves up the entries behind it whose search passes over it. */
static void table_remove(struct thread_requests *r, size_t at)
{
    for (size_t next = (at + 1) & r->mask; r->table[next]; next = (next + 1) & r->mask) {
        size_t home = fifo_hash(r, r->table[next]->key);
        if (((next - home) & r->mask) < ((next - at) & r->mask))
            continue;
        r->table[at] = r->table[next];
        at = next;
    }
    r->table[at] = NULL;
    r->room++;
}

void fifo_remove_slowly(struct thread_requests *r, struct operation *o)
{
    size_t at;
    struct operation *first = fifo_find(r, o->key, &at);
    if (first != o) {
        operation_at(o->previous)->next = o->next;
        if (o->next)
            operation_at(o->next)->previous = o->previous;
        else
            first->previous = operation_at(o->previous) == first ? 0 : o->previous;
    } else if (o->next) {
        fifo_remove_first(r, at, o);
    } else {
        table_remove(r, at);
    }
}

void searches_begin_anew(struct thread_requests *r)
{
    for (size_t i = 0; i <= r->mask; i++)
        for (struct operation *o = r->table[i]; o; o = operation_or_null(o->next))
            o->search = 0;
    r->searches = 1;
}

/* ---- threads that end ---- */

/* Returns the requests of ended threads, made at the first call; NULL: no memory. Under all_requests_lock. */
static struct thread_requests *ended_requests_get(void)
{
    struct thread_requests *r = atomic_load_explicit(&ended_requests, memory_order_relaxed);
    if (!r && (r = thread_requests_make())) {
        thread_requests_add(r);
        atomic_store_explicit(&ended_requests, r, memory_order_relaxed);
    }
    return r;
}

/* Moves O from R to TO, which has room for it. */
static void operation_move(struct thread_requests *r, struct thread_requests *to, struct operation *o)
{
    if (operation_class(o) != REQUEST_UNKNOWN)
        pool_give(r->classes[class_index(operation_class(o))], o->request_index);
    if (o->completed_by == r->number) /* by a call of a thread that was cancelled */
        o->completed_by = 0;
    count_live(r, (size_t)-1);
    count_live(to, 1);
    atomic_store_explicit(&o->moved, true, memory_order_release); /* TO may be new: see operation_lock() */
    fifo_append(to, o->key, o);
}

/* Moves all of R's operations to TO. False: no memory, and nothing was moved. */
static bool move_all(struct thread_requests *r, struct thread_requests *to)
{
    bool good = true;
    thread_requests_lock(r);
    thread_requests_lock(to);
    while (good && to->room < (r->mask + 1) / 2 - r->room)
        good = table_grow(to);
    for (size_t i = 0; good && i <= r->mask; i++) {
        for (struct operation *o = r->table[i], *next; o; o = next) {
            next = operation_or_null(o->next);
            operation_move(r, to, o);
        }
        r->table[i] = NULL;
    }
    if (good) {
        r->room = (r->mask + 1) / 2;
        r->search++;
        to->search++;
    }
    thread_requests_unlock(to);
    thread_requests_unlock(r);
    return good;
}

bool requests_thread_ended(struct thread_requests *r)
{
    bool good = true;
    if (atomic_load_explicit(&r->live, memory_order_relaxed)) {
        pthread_mutex_lock(&all_requests_lock);
        struct thread_requests *to = ended_requests_get();
        good = to && move_all(r, to);
        pthread_mutex_unlock(&all_requests_lock);
    }
    return good;
}

/* ---- finding ---- */

/* Which operations a search takes: FREE_ONES, those that no other thread's call is about to complete; OTHERS_TOO,
 * all but those that the call of R has taken itself, and unknown ones that another call is about to complete: their
 * handle is all that is known, and an unrecorded call has given it away again. */
enum taking { FREE_ONES, OTHERS_TOO };

static inline bool may_take(const struct operation *o, const struct thread_requests *r, enum taking taking)
{
    if (taking == FREE_ONES)
        return operation_is_free(o, r);
    return !o->completed_by || (o->completed_by != r->number && operation_class(o) != REQUEST_UNKNOWN);
}

/* Returns the next operation of KEY in IN that the call of R may take; NULL: none is left. */
static inline struct operation *next_of(struct thread_requests *in, uint64_t key, const struct thread_requests *r,
                                        enum taking taking)
{
    struct operation *first = fifo_first(in, key), *o = first;
    if (!first)
        return NULL;
    if (first->search == in->searches)
        o = operation_or_null(first->cursor);
    while (o && __builtin_expect(!may_take(o, r, taking), 0))
        o = operation_or_null(o->next);
    first->cursor = o ? o->next : 0;
    first->search = in->searches;
    return o;
}

/* Looks in IN for what is still missing. Operations of other threads may end at any time, so they are copied.
 * Returns how many are missing afterwards. */
static int64_t find_in(struct thread_requests *in, const struct thread_requests *r, struct finding *f, int64_t count,
                       enum taking taking)
{
    int64_t missing = 0;
    thread_requests_lock(in);
    (void)requests_search_begin(in);
    for (int64_t i = 0; i < count; i++) {
        if (found_operation(&f->found[i]))
            continue;
        struct operation *o = next_of(in, f->handles[i] ^ request_null_handle, r, taking);
        if (!o) {
            missing++;
            continue;
        }
        found_set(&f->found[i], o, r, in == r);
        if (objects_threads && in != r) {
            f->copies[i] = (struct operation_copy){*o, o};
            f->found[i].word = (f->found[i].word & ~FOUND_ADDRESS) | (uintptr_t)&f->copies[i].operation | FOUND_COPIED;
        }
    }
    thread_requests_unlock(in);
    return missing;
}

/* Begins an unknown operation for each handle that is still missing. */
static void find_unknown(struct thread_requests *r, struct finding *f, int64_t count)
{
    thread_requests_lock(r);
    for (int64_t i = 0; i < count; i++) {
        if (found_operation(&f->found[i]))
            continue;
        enum request_kind kind = REQUEST_OTHER;
        uint32_t base = 0;
        (void)untracked_request_take(f->handles[i], &kind, &base);
        struct operation *o = operation_begin(r, f->handles[i] ^ request_null_handle, REQUEST_UNKNOWN,
                                              request_traits(kind, false), base, NULL);
        if (o) {
            found_set(&f->found[i], o, r, true);
        } else {
            objects_fail();
            f->found[i] = found_only(&request_lost);
        }
    }
    thread_requests_unlock(r);
}

/* Looks for what R itself does not have: in the requests of other threads, and last among operations that other
 * calls are about to complete. */
static __attribute__((noinline)) void find_elsewhere(struct thread_requests *r, struct finding *f, int64_t count)
{
    int64_t missing = count;
    if (objects_threads && !copies_reserve(f, count)) {
        objects_fail();
    } else {
        for (struct thread_requests *in = thread_requests_first(); in && missing; in = thread_requests_next(in))
            if (in != r)
                missing = find_in(in, r, f, count, FREE_ONES);
        if (objects_threads && missing)
            missing = find_in(r, r, f, count, OTHERS_TOO);
        for (struct thread_requests *in = thread_requests_first(); objects_threads && in && missing;
             in = thread_requests_next(in))
            if (in != r)
                missing = find_in(in, r, f, count, OTHERS_TOO);
    }
    if (missing)
        find_unknown(r, f, count);
}

void requests_find(struct thread_requests *r, struct finding *f, int64_t count)
{
    bool missing = false;
    const uint64_t *handles = f->handles;
    struct found_operation_bits *found = f->found;
    thread_requests_lock(r);
    (void)requests_search_begin(r);
    for (int64_t i = 0; i < count; i++) {
        uint64_t key = handles[i] ^ request_null_handle;
        struct operation *o = key ? next_of(r, key, r, FREE_ONES) : NULL;
        if (__builtin_expect(o != NULL, 1)) {
            found_set(&found[i], o, r, true);
        } else {
            found[i] = key ? (struct found_operation_bits){0} : found_only(&request_null);
            missing |= key != 0;
        }
    }
    thread_requests_unlock(r);
    if (__builtin_expect(missing, 0))
        find_elsewhere(r, f, count);
    if (__builtin_expect(count > LARGE, 0) && !objects_threads) {
        free(f->handles);
        f->handles = NULL;
        f->capacity = 0; /* the next call allocates what it needs */
    }
}

/* ---- one request ---- */

const struct operation *request_created_slowly(struct thread_requests *r, uint64_t handle, int64_t class_number,
                                               unsigned traits, const struct rank_base *base,
                                               const struct posting *posted)
{
    uint64_t key = handle ^ request_null_handle;
    if (!key)
        return &request_null;
    thread_requests_lock(r);
    struct operation *o = operation_begin(r, key, class_number, traits, base->index, posted);
    thread_requests_unlock(r);
    if (o)
        return o;
    objects_fail();
    return &request_lost;
}

const struct operation *request_find_slowly(struct thread_requests *r, struct finding *f, uint64_t handle)
{
    f->handles[0] = handle;
    thread_requests_lock(r);
    r->search++;
    struct operation *o = fifo_first(r, handle ^ request_null_handle);
    bool good = o && operation_is_free(o, r);
    if (good)
        found_set(f->found, o, r, true);
    thread_requests_unlock(r);
    if (!good)
        requests_find(r, f, 1);
    return found_operation(f->found);
}

/* ---- calls that end ---- */

/* Ends the first operation of KEY in IN. False: there is none. */
static bool end_first(struct thread_requests *in, uint64_t key)
{
    thread_requests_lock(in);
    struct operation *o = fifo_first(in, key);
    if (o)
        operation_end(in, o);
    thread_requests_unlock(in);
    return o;
}

/* Ends an operation that another thread began, or that is already over. It is over if another thread found it, too,
 * and ended it for its own completion of the handle. Then this call completed another operation of that handle, so
 * one of those is ended. */
static void finish_elsewhere(struct thread_requests *r, struct finding *f, int64_t i)
{
    struct operation *o = found_live(&f->found[i]);
    struct thread_requests *of = operation_lock(o);
    bool done = found_is(&f->found[i], o);
    if (done)
        operation_end(of, o);
    thread_requests_unlock(of);
    uint64_t key = f->handles ? f->handles[i] ^ request_null_handle : 0;
    done = done || !key || end_first(r, key);
    for (struct thread_requests *in = thread_requests_first(); in && !done; in = thread_requests_next(in))
        done = end_first(in, key);
    found_end(&f->found[i]);
}

/* Ends the operation if it is in R, which is locked. False: it is not there. */
static inline bool finish_here(struct thread_requests *r, struct found_operation_bits *found)
{
    struct operation *o = found_operation(found);
    bool here = found_has(found, FOUND_OWN) && !atomic_load_explicit(&o->moved, memory_order_relaxed);
    if (!here || !found_is(found, o))
        return false;
    operation_end(r, o);
    found_end(found);
    return true;
}

void request_finish(struct thread_requests *r, struct finding *f, int64_t i)
{
    if (!found_has(&f->found[i], FOUND_LIVE))
        return;
    thread_requests_lock(r);
    bool good = finish_here(r, &f->found[i]);
    thread_requests_unlock(r);
    if (!good)
        finish_elsewhere(r, f, i);
}

void requests_finished(struct thread_requests *r, struct finding *f, int64_t count)
{
    bool left = false;
    struct found_operation_bits *found = f->found;
    thread_requests_lock(r);
    for (int64_t i = 0; i < count; i++)
        if (found_has(&found[i], FOUND_LIVE | FOUND_GONE) && __builtin_expect(!finish_here(r, &found[i]), 0))
            left = true;
    thread_requests_unlock(r);
    for (int64_t i = 0; __builtin_expect(left, 0) && i < count; i++)
        if (found_has(&found[i], FOUND_LIVE | FOUND_GONE))
            finish_elsewhere(r, f, i);
}

void requests_leave(struct thread_requests *r, struct finding *f, int64_t count)
{
    if (!objects_threads)
        return;
    for (int64_t i = 0; i < count; i++) {
        struct operation *o = found_live(&f->found[i]);
        if (!o)
            continue;
        struct thread_requests *of = operation_lock(o);
        if (found_is(&f->found[i], o) && o->completed_by == r->number)
            o->completed_by = 0;
        thread_requests_unlock(of);
    }
}

void requests_forget(struct finding *f, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        struct operation *o = found_live(&f->found[i]);
        if (!o)
            continue;
        struct thread_requests *of = operation_lock(o);
        if (found_is(&f->found[i], o)) {
            untracked_request_begun(o->key ^ request_null_handle, operation_kind(o), o->base);
            operation_end(of, o);
        }
        thread_requests_unlock(of);
        found_end(&f->found[i]);
    }
}

void request_set_active(const struct found_operation_bits *found, bool active)
{
    struct operation *o = found_live(found);
    if (!o)
        return;
    struct thread_requests *of = operation_lock(o);
    if (found_is(found, o))
        o->active = active;
    thread_requests_unlock(of);
}
