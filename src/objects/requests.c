/* Requests; see requests.h.
 *
 * Live operations with one handle form a FIFO, a doubly linked list whose first element also holds the list's tail
 * and cursor; a table leads from the handle to it. The cursor says how far the running requests_find has come in
 * this FIFO, so that an array with one handle many times costs no more than any other: it counts only if its stamp
 * is that of the running call. Threads share a handle's FIFO, but a thread takes its own operations first. */
#include "objects/requests.h"

#include <pthread.h>
#include <stddef.h>

#include "objects/pages.h"
#include "objects/pool.h"
#include "objects/sharing.h"
#include "objects/table.h"

struct live {
    struct operation operation;
    struct live *next;
    struct live *previous; /* NULL: first */
    bool used;
    uint64_t taken;        /* by call `taken` */
    uint32_t completed_by; /* thread number + 1 of a call under way that may complete it; 0: none */
    /* Of the first one: */
    struct live *tail;
    struct live *cursor; /* found last in call `stamp` */
    uint64_t stamp;
};

/* A class's pool of places. */
struct places {
    struct pool pool;
    struct places *next_free; /* unused in a slab */
};

uint64_t request_null_handle;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct table fifos;   /* handle -> its first struct live */
static struct table classes; /* class number -> struct places */
static struct live *free_operations;
static struct places *free_places;
static uint64_t calls;

/* ---- memory: slabs cut into elements, never given back ---- */

enum { SLAB_BYTES = 64 * 1024 };

static struct live *live_take(void)
{
    if (!free_operations) {
        struct live *slab = pages_take(SLAB_BYTES);
        for (size_t i = 0; slab && i < SLAB_BYTES / sizeof *slab; i++) {
            slab[i].next = free_operations;
            free_operations = &slab[i];
        }
    }
    struct live *l = free_operations;
    if (l)
        free_operations = l->next;
    return l;
}

static void live_give(struct live *l)
{
    l->used = false;
    l->next = free_operations;
    free_operations = l;
}

/* The pool of CLASS_NUMBER, or NULL where memory is short. */
static struct pool *pool_of(int64_t class_number)
{
    struct places *p = (struct places *)(uintptr_t)table_get(&classes, (uint64_t)class_number);
    if (p)
        return &p->pool;
    if (!free_places) {
        struct places *slab = pages_take(SLAB_BYTES);
        for (size_t i = 0; slab && i < SLAB_BYTES / sizeof *slab; i++) {
            slab[i].next_free = free_places;
            free_places = &slab[i];
        }
    }
    p = free_places;
    if (!p || !table_set(&classes, (uint64_t)class_number, (uint64_t)(uintptr_t)p))
        return NULL;
    free_places = p->next_free;
    return &p->pool;
}

/* ---- FIFOs ---- */

static struct live *fifo_of(uint64_t handle)
{
    return (struct live *)(uintptr_t)table_get(&fifos, handle);
}

static bool fifo_append(struct live *l)
{
    struct live *first = fifo_of(l->operation.handle);
    l->next = NULL;
    l->previous = NULL;
    l->taken = 0;
    l->completed_by = 0;
    if (!first) {
        l->tail = l;
        l->cursor = NULL;
        l->stamp = 0;
        return table_set(&fifos, l->operation.handle, (uint64_t)(uintptr_t)l);
    }
    l->previous = first->tail;
    first->tail->next = l;
    first->tail = l;
    return true;
}

static void fifo_remove(struct live *l)
{
    uint64_t handle = l->operation.handle;
    struct live *first = fifo_of(handle);
    if (l->next)
        l->next->previous = l->previous;
    if (l != first) {
        l->previous->next = l->next;
        if (first->tail == l)
            first->tail = l->previous;
    } else if (l->next) {
        l->next->tail = l->tail;
        l->next->cursor = NULL;
        l->next->stamp = 0;
        (void)table_set(&fifos, handle, (uint64_t)(uintptr_t)l->next); /* the key is there: needs no memory */
    } else {
        (void)table_remove(&fifos, handle);
    }
}

/* A new live operation, last of its handle's FIFO. Without memory: one that is not live, whose place is wrong. */
static struct operation add(struct operation o)
{
    struct pool *pool = pool_of(o.class_number);
    struct live *l = pool ? live_take() : NULL;
    int64_t place = l ? pool_take(pool) : -1;
    if (place >= 0) {
        o.place = place;
        o.live = l;
        l->operation = o;
        l->used = true;
        if (fifo_append(l))
            return o;
        pool_give(pool, place);
    }
    if (l)
        live_give(l);
    objects_fail();
    o.place = 0;
    o.live = NULL;
    return o;
}

/* The live operation that O is a copy of; NULL: it is gone. Another thread may have completed it, where two wait for
 * the same handle. */
static struct live *live_of(const struct operation *o)
{
    struct live *l = o->live;
    return l && l->used && l->operation.handle == o->handle && l->operation.class_number == o->class_number &&
                   l->operation.place == o->place
               ? l
               : NULL;
}

/* ---- what the header promises ---- */

struct operation request_created(uint64_t handle, int64_t class_number, enum request_kind kind, bool persistent,
                                 const struct view *view)
{
    struct operation o = {.null = handle == request_null_handle,
                          .active = !persistent,
                          .persistent = persistent,
                          .kind = kind,
                          .handle = handle,
                          .class_number = class_number,
                          .view = *view};
    if (o.null)
        return o;
    objects_lock(&lock);
    o = add(o);
    objects_unlock(&lock);
    return o;
}

/* Whether thread THREAD began it, as far as is known. */
static bool is_own(const struct live *l, uint32_t thread)
{
    int64_t class_number = l->operation.class_number;
    return class_number < 0 || class_number >> REQUEST_THREAD_SHIFT == thread;
}

/* Whether another thread's call is about to complete it: then the library may have given its handle away already. */
static bool is_others(const struct live *l, uint32_t thread)
{
    return l->completed_by && l->completed_by != thread + 1;
}

/* The next operation of FIRST's handle that THREAD may mean in the running call; NULL: there is none left. */
static struct live *next_of(struct live *first, uint32_t thread)
{
    struct live *l = first && first->stamp == calls ? first->cursor->next : first;
    while (l && (!is_own(l, thread) || is_others(l, thread)))
        l = l->next;
    if (l) {
        first->cursor = l;
        first->stamp = calls;
        return l;
    }
    for (l = first; l && (l->taken == calls || is_others(l, thread)); l = l->next)
        ;
    if (l)
        return l;
    for (l = first; l && l->taken == calls; l = l->next)
        ;
    return l;
}

/* The next operation of HANDLE in the running call. */
static struct operation find(uint64_t handle, uint32_t thread)
{
    struct operation unknown = {.active = true, .kind = REQUEST_OTHER, .handle = handle, .class_number = -1};
    if (handle == request_null_handle)
        return (struct operation){.null = true, .handle = handle};
    struct live *l = next_of(fifo_of(handle), thread);
    if (!l) {
        unknown = add(unknown);
        l = unknown.live;
        if (!l)
            return unknown;
    }
    l->taken = calls;
    return l->operation;
}

void requests_find(const uint64_t *handles, int64_t count, uint32_t thread, struct operation *operations)
{
    objects_lock(&lock);
    calls++;
    for (int64_t i = 0; i < count; i++)
        operations[i] = find(handles[i], thread);
    objects_unlock(&lock);
}

void requests_complete(const struct operation *operations, int64_t count, uint32_t thread, bool under_way)
{
    if (!objects_several_threads())
        return;
    objects_lock(&lock);
    for (int64_t i = 0; i < count; i++) {
        struct live *l = live_of(&operations[i]);
        if (l && (under_way ? !l->completed_by : l->completed_by == thread + 1))
            l->completed_by = under_way ? thread + 1 : 0;
    }
    objects_unlock(&lock);
}

void request_finished(const struct operation *operation, uint64_t after)
{
    if (operation->null || after != request_null_handle)
        return;
    objects_lock(&lock);
    /* Where another thread took this one for the same handle, one of the others is what this call completed. */
    struct live *l = live_of(operation);
    if (!l)
        l = fifo_of(operation->handle);
    if (l) {
        const struct operation done = l->operation;
        fifo_remove(l);
        live_give(l);
        objects_tell_request_released(done.class_number, done.place); /* before another thread can take the place */
        pool_give(pool_of(done.class_number), done.place); /* the pool is there: the place came from it */
    }
    objects_unlock(&lock);
}

void request_set_active(const struct operation *operation, bool active)
{
    objects_lock(&lock);
    struct live *l = live_of(operation);
    if (l)
        l->operation.active = active;
    objects_unlock(&lock);
}
