/* Requests; see requests.h.
 *
 * Live operations with one handle form a FIFO, a linked list; a book's hash table leads from the handle to it. An entry stays when its FIFO
 * is empty, as the library will mostly give the same handle away again; entries that are empty go when the table is full. The cursor of
 * a FIFO says how far the running search has come in it, so that an array with one handle many times costs no more than any other: it
 * counts only if its search is the running one.
 *
 * A thread looks in its own book first, and mostly finds there what it looks for, so that threads seldom meet. A book is locked for as
 * long as it is searched or changed, one book at a time; the pool of unknown operations may be locked within. */
#include "objects/requests.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "objects/book.h"
#include "objects/pages.h"
#include "objects/places.h"
#include "objects/sharing.h"
#include "objects/unseen.h"

uint64_t request_null_handle;
_Atomic(struct requests *) requests_first;

enum { SLAB_BYTES = 64 * 1024, FIFOS_MIN = 256 };

static pthread_mutex_t books_lock = PTHREAD_MUTEX_INITIALIZER;
static struct requests *inheritance; /* the book of ended threads; under the lock. It is the last one: a search that has missed an operation in
                                        the book that it was in meets it there */

/* The places of unknown operations, of all threads. */
static pthread_mutex_t unknown_lock = PTHREAD_MUTEX_INITIALIZER;
static struct places *unknown_places;

struct operation request_null = {.name = {.class_number = REQUEST_NULL}};

/* Stands for one that there was no memory for. */
struct operation request_lost = {.name = {.class_number = REQUEST_UNKNOWN}, .active = true, .kind = REQUEST_OTHER};

/* ---- books ---- */

/* Sleeps in the end, so that a thread of higher priority does not keep the one that holds the lock from going on. */
void book_wait(struct requests *r)
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

static struct requests *book_next(const struct requests *r)
{
    return atomic_load_explicit(&r->next, memory_order_acquire);
}

static struct requests *books(void)
{
    return atomic_load_explicit(&requests_first, memory_order_acquire);
}

/* ---- memory ---- */

/* FIFOS, of CAPACITY entries, a power of two, are the table. */
static void fifos_set(struct requests *r, struct fifo *fifos, size_t capacity)
{
    r->fifos = fifos;
    r->mask = capacity - 1;
    r->shift = (unsigned)__builtin_clzll(capacity) + 1;
}

static struct requests *book_make(void)
{
    struct requests *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    fifos_set(r, calloc(FIFOS_MIN, sizeof *r->fifos), FIFOS_MIN);
    if (!r->fifos) {
        free(r);
        return NULL;
    }
    return r;
}

/* R is the last book, but for the common one of ended threads. Under the lock of the books. */
static void book_add(struct requests *r)
{
    _Atomic(struct requests *) *end = &requests_first;
    struct requests *at = atomic_load_explicit(end, memory_order_relaxed);
    for (; at && at != inheritance; at = atomic_load_explicit(end, memory_order_relaxed))
        end = &at->next;
    atomic_store_explicit(&r->next, at, memory_order_relaxed);
    atomic_store_explicit(end, r, memory_order_release);
}

struct requests *requests_new(void)
{
    struct requests *r = book_make();
    if (!r)
        return NULL;
    pthread_mutex_lock(&books_lock);
    book_add(r);
    pthread_mutex_unlock(&books_lock);
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
    uint64_t *after = realloc(f->after, capacity * sizeof *after);
    if (after)
        f->after = after;
    struct found *found = realloc(f->found, capacity * sizeof *found);
    if (found)
        f->found = found;
    if (!handles || !after || !found)
        return false;
    f->capacity = (int64_t)capacity;
    return true;
}

/* Room for a copy of each of COUNT operations. */
static bool copies_reserve(struct finding *f, int64_t count)
{
    if (count <= f->copy_capacity)
        return true;
    struct operation *copies = realloc(f->copies, (size_t)f->capacity * sizeof *copies);
    if (!copies)
        return false;
    f->copies = copies;
    f->copy_capacity = f->capacity;
    return true;
}

void finding_free(struct finding *f)
{
    free(f->handles);
    free(f->after);
    free(f->found);
    free(f->copies);
    *f = (struct finding){0};
}

/* Locks the book that O is in, which may become another one when its thread ends. */
static struct requests *operation_lock(const struct operation *o)
{
    for (;;) {
        struct requests *r = atomic_load_explicit(&o->requests, memory_order_acquire);
        book_lock(r);
        if (atomic_load_explicit(&o->requests, memory_order_relaxed) == r)
            return r;
        book_unlock(r);
    }
}

struct operation *operation_make(struct requests *r)
{
    if (r->fresh == r->fresh_end) {
        r->fresh = pages_take(SLAB_BYTES);
        r->fresh_end = r->fresh ? r->fresh + SLAB_BYTES / sizeof *r->fresh : NULL;
        if (!r->fresh)
            return NULL;
    }
    struct operation *o = r->fresh++;
    atomic_store_explicit(&o->requests, r, memory_order_relaxed);
    return o;
}

/* ---- places ---- */

struct places *places_make(struct requests *r, uint32_t number)
{
    if (number >= r->class_count) {
        uint32_t count = number + number / 2 + 16;
        struct places **classes = realloc(r->classes, count * sizeof *classes);
        if (!classes)
            return NULL;
        memset(classes + r->class_count, 0, (count - r->class_count) * sizeof *classes);
        r->classes = classes;
        r->class_count = count;
    }
    return r->classes[number] = places_new();
}

bool unknown_place_take(struct operation *o)
{
    objects_lock(&unknown_lock);
    if (!unknown_places)
        unknown_places = places_new();
    o->places = unknown_places;
    o->name.place = o->places ? places_take(o->places) : -1;
    objects_unlock(&unknown_lock);
    return o->name.place >= 0;
}

void unknown_place_give(const struct operation *o)
{
    objects_lock(&unknown_lock);
    places_give(o->places, o->name.place);
    objects_unlock(&unknown_lock);
}

/* ---- FIFOs ---- */

/* A table of CAPACITY entries without a key; NULL: no memory. */
static struct fifo *fifos_take(struct requests *r, size_t capacity)
{
    if (!r->spare || capacity != r->mask + 1)
        return calloc(capacity, sizeof(struct fifo));
    struct fifo *fifos = r->spare;
    r->spare = NULL;
    memset(fifos, 0, capacity * sizeof *fifos);
    return fifos;
}

/* Moves ENTRY to R's table. */
static void fifo_move(struct requests *r, const struct fifo *entry)
{
    struct fifo *f = fifo_find(r, entry->key);
    *f = *entry;
    for (struct operation *o = f->first; o; o = o->next)
        o->fifo = f;
}

bool fifos_renew(struct requests *r)
{
    struct fifo *before = r->fifos;
    size_t count = r->mask + 1, used = 0, capacity = FIFOS_MIN;
    for (size_t i = 0; i < count; i++)
        used += before[i].first != NULL;
    while (capacity < 4 * used)
        capacity *= 2;
    struct fifo *fifos = fifos_take(r, capacity);
    if (!fifos)
        return false;
    fifos_set(r, fifos, capacity);
    r->used = used;
    for (size_t i = 0; i < count; i++)
        if (before[i].first)
            fifo_move(r, &before[i]);
    free(r->spare);
    r->spare = capacity == count ? before : NULL;
    if (!r->spare)
        free(before);
    return true;
}

/* ---- threads that end ---- */

/* The common book; NULL: no memory. Under the lock of the books. */
static struct requests *heir(void)
{
    if (!inheritance) {
        struct requests *r = book_make();
        if (r)
            book_add(r);
        inheritance = r;
    }
    return inheritance;
}

/* Moves all operations of ENTRY. False: no memory, some may be left. */
static bool fifo_bequeath(struct requests *to, struct fifo *entry)
{
    struct fifo *f = entry->first ? fifo_make(to, entry->key) : NULL;
    while (f && entry->first) {
        struct operation *o = entry->first;
        struct requests *r = o->requests;
        fifo_remove(o);
        if (o->name.class_number != REQUEST_UNKNOWN) {
            places_give(o->places, o->name.place);
            o->places = NULL;
        }
        if (o->completed_by == r) /* by a call that was cancelled */
            o->completed_by = NULL;
        count_live(r, (size_t)-1);
        count_live(to, 1);
        atomic_store_explicit(&o->requests, to, memory_order_release); /* TO may be new: operation_lock() */
        fifo_append(f, o);
        r->search++;
        to->search++;
    }
    return f || !entry->first;
}

static bool bequeath_all(struct requests *r, struct requests *to)
{
    bool good = true;
    book_lock(r);
    book_lock(to);
    for (size_t i = 0; good && i <= r->mask; i++)
        good = fifo_bequeath(to, &r->fifos[i]);
    book_unlock(to);
    book_unlock(r);
    return good;
}

bool requests_bequeath(struct requests *r)
{
    bool good = true;
    if (atomic_load_explicit(&r->live, memory_order_relaxed)) {
        pthread_mutex_lock(&books_lock);
        struct requests *to = heir();
        good = to && bequeath_all(r, to);
        pthread_mutex_unlock(&books_lock);
    }
    return good;
}

/* ---- finding ---- */

/* Which operations a search takes: those that no other thread's call is about to complete, or all that no call of R is. */
enum taking { FREE_ONES, OTHERS_TOO };

static inline bool may_take(const struct operation *o, const struct requests *r, enum taking taking)
{
    return taking == FREE_ONES ? operation_is_free(o, r) : o->completed_by != r;
}

/* The next operation of KEY in the book IN that a call of R may take; NULL: there is none left. */
static inline struct operation *next_of(struct requests *in, uint64_t key, const struct requests *r, enum taking taking)
{
    struct fifo *f = fifo_find(in, key);
    if (!f->key)
        return NULL;
    struct operation *o = f->search == in->search ? f->cursor : f->first;
    while (o && __builtin_expect(!may_take(o, r, taking), 0))
        o = o->next;
    f->cursor = o ? o->next : NULL;
    f->search = in->search;
    return o;
}

/* Looks in the book IN for what is still missing. What another thread began may go at any time: COPY. Returns how much is missing then. */
static int64_t find_in(struct requests *in, const struct requests *r, struct finding *f, int64_t count, enum taking taking)
{
    int64_t missing = 0;
    book_lock(in);
    in->search++;
    for (int64_t i = 0; i < count; i++) {
        if (f->found[i].operation)
            continue;
        struct operation *o = next_of(in, f->handles[i] ^ request_null_handle, r, taking);
        if (!o) {
            missing++;
            continue;
        }
        found_set(&f->found[i], o, r);
        if (objects_threads && in != r) {
            f->copies[i] = *o;
            f->found[i].operation = &f->copies[i];
        }
    }
    book_unlock(in);
    return missing;
}

/* What is still missing is unknown. */
static void find_unknown(struct requests *r, struct finding *f, int64_t count)
{
    book_lock(r);
    for (int64_t i = 0; i < count; i++) {
        if (f->found[i].operation)
            continue;
        struct operation *o = operation_begin(r, f->handles[i] ^ request_null_handle, REQUEST_UNKNOWN);
        if (o) {
            o->active = true;
            o->persistent = false;
            enum request_kind kind = REQUEST_OTHER;
            (void)unseen_take(f->handles[i], &kind, &o->view);
            o->kind = (uint8_t)kind;
            o->posted.count = 0;
            found_set(&f->found[i], o, r);
        } else {
            objects_fail();
            f->found[i].operation = &request_lost;
        }
    }
    book_unlock(r);
}

/* What the book R itself does not have. */
static __attribute__((noinline)) void find_elsewhere(struct requests *r, struct finding *f, int64_t count)
{
    int64_t missing = count;
    if (objects_threads && !copies_reserve(f, count)) {
        objects_fail();
    } else {
        for (struct requests *in = books(); in && missing; in = book_next(in))
            if (in != r)
                missing = find_in(in, r, f, count, FREE_ONES);
        if (objects_threads && missing)
            missing = find_in(r, r, f, count, OTHERS_TOO);
        for (struct requests *in = books(); objects_threads && in && missing; in = book_next(in))
            if (in != r)
                missing = find_in(in, r, f, count, OTHERS_TOO);
    }
    if (missing)
        find_unknown(r, f, count);
}

void requests_find(struct requests *r, struct finding *f, int64_t count)
{
    bool missing = false;
    const uint64_t *handles = f->handles;
    struct found *found = f->found;
    book_lock(r);
    r->search++;
    for (int64_t i = 0; i < count; i++) {
        uint64_t key = handles[i] ^ request_null_handle;
        struct operation *o = key ? next_of(r, key, r, FREE_ONES) : NULL;
        if (__builtin_expect(o != NULL, 1)) {
            found_set(&found[i], o, r);
        } else {
            found[i] = (struct found){.operation = key ? NULL : &request_null};
            missing |= key != 0;
        }
    }
    book_unlock(r);
    if (__builtin_expect(missing, 0))
        find_elsewhere(r, f, count);
}

/* ---- one request ---- */

const struct operation *request_created_slowly(struct requests *r, uint64_t handle, int64_t class_number, enum request_kind kind,
                                               bool persistent, const struct view *view, const struct posting *posted)
{
    uint64_t key = handle ^ request_null_handle;
    if (!key)
        return &request_null;
    book_lock(r);
    struct operation *o = operation_begin_quickly(r, key, class_number);
    if (!o)
        o = operation_begin(r, key, class_number);
    if (o)
        operation_fill(o, kind, persistent, view, posted);
    book_unlock(r);
    if (o)
        return o;
    objects_fail();
    return &request_lost;
}

const struct operation *request_find_slowly(struct requests *r, struct finding *f, uint64_t handle)
{
    f->handles[0] = handle;
    book_lock(r);
    r->search++;
    struct operation *o = fifo_find(r, handle ^ request_null_handle)->first;
    bool good = o && operation_is_free(o, r);
    if (good)
        found_set(f->found, o, r);
    book_unlock(r);
    if (!good)
        requests_find(r, f, 1);
    return f->found->operation;
}

/* ---- calls that end ---- */

/* Ends the first operation of KEY in the book IN. False: there is none. */
static bool end_first(struct requests *in, uint64_t key)
{
    book_lock(in);
    struct operation *o = fifo_find(in, key)->first;
    if (o)
        operation_end(o);
    book_unlock(in);
    return o;
}

/* One that another thread began; or one that is gone: where another thread took this one for the same handle, one of the others is what
 * this call completed. */
static void finish_elsewhere(struct requests *r, struct finding *f, int64_t i)
{
    struct operation *o = f->found[i].live;
    struct requests *of = operation_lock(o);
    bool done = o->serial == f->found[i].serial;
    if (done)
        operation_end(o);
    book_unlock(of);
    uint64_t key = f->handles[i] ^ request_null_handle;
    done = done || end_first(r, key);
    for (struct requests *in = books(); in && !done; in = book_next(in))
        done = end_first(in, key);
    f->found[i].live = NULL;
}

void request_finish_slowly(struct requests *r, struct finding *f, int64_t i)
{
    struct operation *o = f->found[i].live;
    book_lock(r);
    bool good = o->requests == r && o->serial == f->found[i].serial;
    if (good) {
        operation_end(o);
        f->found[i].live = NULL;
    }
    book_unlock(r);
    if (!good)
        finish_elsewhere(r, f, i);
}

void requests_finished(struct requests *r, struct finding *f, int64_t count)
{
    bool left = false;
    const uint64_t *after = f->after;
    struct found *found = f->found;
    book_lock(r);
    for (int64_t i = 0; i < count; i++) {
        struct operation *o = found[i].live;
        if (!o || after[i] != request_null_handle)
            continue;
        if (__builtin_expect(o->requests != r || o->serial != found[i].serial, 0)) {
            left = true;
            continue;
        }
        operation_end(o);
        found[i].live = NULL;
    }
    book_unlock(r);
    for (int64_t i = 0; __builtin_expect(left, 0) && i < count; i++)
        if (found[i].live && after[i] == request_null_handle)
            finish_elsewhere(r, f, i);
}

void requests_leave(struct requests *r, struct finding *f, int64_t count)
{
    if (!objects_threads)
        return;
    for (int64_t i = 0; i < count; i++) {
        struct operation *o = f->found[i].live;
        if (!o)
            continue;
        struct requests *of = operation_lock(o);
        if (o->serial == f->found[i].serial && o->completed_by == r)
            o->completed_by = NULL;
        book_unlock(of);
    }
}

void requests_forget(struct finding *f, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        struct operation *o = f->found[i].live;
        if (!o)
            continue;
        book_lock(o->requests);
        if (o->serial == f->found[i].serial) {
            unseen_begun(f->handles[i], (enum request_kind)o->kind, &o->view);
            operation_end(o);
        }
        book_unlock(o->requests);
        f->found[i].live = NULL;
    }
}

void request_set_active(const struct found *found, bool active)
{
    struct operation *o = found->live;
    if (!o)
        return;
    struct requests *of = operation_lock(o);
    if (o->serial == found->serial)
        o->active = active;
    book_unlock(of);
}
