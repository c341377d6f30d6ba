/* Requests; see requests.h.
 *
 * Live operations with one handle form a FIFO, a doubly linked list whose first element also holds the list's tail
 * and cursor; a table leads from the handle to it. The cursor says how far the running requests_find has come in
 * this FIFO, so that an array with one handle many times costs no more than any other: it counts only if its stamp
 * is that of the running call. Threads share a handle's FIFO, but a thread takes its own operations first.
 *
 * The tables are cut into shards, by handle and by class, each with a lock, so that threads seldom meet. A lock of a
 * handle's shard may be held when one of a class's shard is taken, not the other way round; several of a kind in
 * ascending order. */
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

enum { SHARD_BITS = 6, SHARDS = 1 << SHARD_BITS, SLAB_BYTES = 64 * 1024 };

/* By handle. */
static struct shard {
    pthread_mutex_t lock;
    struct table fifos; /* handle -> its first struct live */
    struct live *free_operations;
} shards[SHARDS] = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* By class. */
static struct class_shard {
    pthread_mutex_t lock;
    struct table classes; /* class number -> struct places */
    struct places *free_places;
} class_shards[SHARDS] = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static unsigned shard_number(uint64_t key)
{
    return (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SHARD_BITS));
}

static struct shard *shard_of(uint64_t handle)
{
    return &shards[shard_number(handle)];
}

/* ---- memory: slabs cut into elements, never given back ---- */

static struct live *live_take(struct shard *s)
{
    if (!s->free_operations) {
        struct live *slab = pages_take(SLAB_BYTES);
        for (size_t i = 0; slab && i < SLAB_BYTES / sizeof *slab; i++) {
            slab[i].next = s->free_operations;
            s->free_operations = &slab[i];
        }
    }
    struct live *l = s->free_operations;
    if (l)
        s->free_operations = l->next;
    return l;
}

static void live_give(struct shard *s, struct live *l)
{
    l->used = false;
    l->next = s->free_operations;
    s->free_operations = l;
}

/* The pool of CLASS_NUMBER, or NULL where memory is short. Under the lock of S. */
static struct pool *pool_of(struct class_shard *s, int64_t class_number)
{
    struct places *p = (struct places *)(uintptr_t)table_get(&s->classes, (uint64_t)class_number);
    if (p)
        return &p->pool;
    if (!s->free_places) {
        struct places *slab = pages_take(SLAB_BYTES);
        for (size_t i = 0; slab && i < SLAB_BYTES / sizeof *slab; i++) {
            slab[i].next_free = s->free_places;
            s->free_places = &slab[i];
        }
    }
    p = s->free_places;
    if (!p || !table_set(&s->classes, (uint64_t)class_number, (uint64_t)(uintptr_t)p))
        return NULL;
    s->free_places = p->next_free;
    return &p->pool;
}

/* A place in the pool of a class; -1: no memory. */
static int64_t place_take(int64_t class_number)
{
    struct class_shard *s = &class_shards[shard_number((uint64_t)class_number)];
    objects_lock(&s->lock);
    struct pool *pool = pool_of(s, class_number);
    int64_t place = pool ? pool_take(pool) : -1;
    objects_unlock(&s->lock);
    return place;
}

static void place_give(int64_t class_number, int64_t place)
{
    struct class_shard *s = &class_shards[shard_number((uint64_t)class_number)];
    objects_lock(&s->lock);
    pool_give(pool_of(s, class_number), place); /* the pool is there: the place came from it */
    objects_unlock(&s->lock);
}

/* ---- FIFOs; under the lock of the handle's shard ---- */

static struct live *fifo_of(uint64_t handle)
{
    return (struct live *)(uintptr_t)table_get(&shard_of(handle)->fifos, handle);
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
        return table_set(&shard_of(l->operation.handle)->fifos, l->operation.handle, (uint64_t)(uintptr_t)l);
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
        (void)table_set(&shard_of(handle)->fifos, handle, (uint64_t)(uintptr_t)l->next); /* the key is there: needs no memory */
    } else {
        (void)table_remove(&shard_of(handle)->fifos, handle);
    }
}

/* A new live operation, last of its handle's FIFO. Without memory: one that is not live, whose place is wrong. */
static struct operation add(struct operation o)
{
    struct shard *s = shard_of(o.handle);
    struct live *l = live_take(s);
    int64_t place = l ? place_take(o.class_number) : -1;
    if (place >= 0) {
        o.place = place;
        o.live = l;
        l->operation = o;
        l->used = true;
        if (fifo_append(l))
            return o;
        place_give(o.class_number, place);
    }
    if (l)
        live_give(s, l);
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
    objects_lock(&shard_of(handle)->lock);
    o = add(o);
    objects_unlock(&shard_of(handle)->lock);
    return o;
}

void request_posted(const struct operation *operation, const struct posting *posted)
{
    pthread_mutex_t *lock = &shard_of(operation->handle)->lock;
    objects_lock(lock);
    struct live *l = live_of(operation);
    if (l)
        l->operation.posted = *posted;
    objects_unlock(lock);
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

/* The next operation of FIRST's handle that THREAD may mean in call number `call`; NULL: there is none left. */
static struct live *next_of(struct live *first, uint32_t thread, uint64_t call)
{
    struct live *l = first && first->stamp == call ? first->cursor->next : first;
    while (l && (!is_own(l, thread) || is_others(l, thread)))
        l = l->next;
    if (l) {
        first->cursor = l;
        first->stamp = call;
        return l;
    }
    for (l = first; l && (l->taken == call || is_others(l, thread)); l = l->next)
        ;
    if (l)
        return l;
    for (l = first; l && l->taken == call; l = l->next)
        ;
    return l;
}

/* The next operation of HANDLE in call number `call`. */
static struct operation find(uint64_t handle, uint32_t thread, uint64_t call)
{
    struct operation unknown = {.active = true, .kind = REQUEST_OTHER, .handle = handle, .class_number = -1};
    if (handle == request_null_handle)
        return (struct operation){.null = true, .handle = handle};
    struct live *l = next_of(fifo_of(handle), thread, call);
    if (!l) {
        unknown = add(unknown);
        l = unknown.live;
        if (!l)
            return unknown;
    }
    l->taken = call;
    return l->operation;
}

/* The shards of HANDLES, a bit each. */
static uint64_t shards_of(const uint64_t *handles, int64_t count)
{
    uint64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found |= UINT64_C(1) << shard_number(handles[i]);
    return found;
}

static void shards_lock(uint64_t wanted)
{
    for (; wanted; wanted &= wanted - 1)
        objects_lock(&shards[__builtin_ctzll(wanted)].lock);
}

static void shards_unlock(uint64_t wanted)
{
    for (; wanted; wanted &= wanted - 1)
        objects_unlock(&shards[__builtin_ctzll(wanted)].lock);
}

void requests_find(const uint64_t *handles, int64_t count, uint32_t thread, struct operation *operations)
{
    static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t calls;
    uint64_t call = ++calls << 32 | thread; /* no other call's */
    uint64_t wanted = objects_several_threads() ? shards_of(handles, count) : 0;
    shards_lock(wanted);
    for (int64_t i = 0; i < count; i++)
        operations[i] = find(handles[i], thread, call);
    shards_unlock(wanted);
}

void requests_complete(const struct operation *operations, int64_t count, uint32_t thread, bool under_way)
{
    if (!objects_several_threads())
        return;
    for (int64_t i = 0; i < count; i++) {
        pthread_mutex_t *lock = &shard_of(operations[i].handle)->lock;
        objects_lock(lock);
        struct live *l = live_of(&operations[i]);
        if (l && (under_way ? !l->completed_by : l->completed_by == thread + 1))
            l->completed_by = under_way ? thread + 1 : 0;
        objects_unlock(lock);
    }
}

void request_finished(const struct operation *operation, uint64_t after)
{
    if (operation->null || after != request_null_handle)
        return;
    struct shard *s = shard_of(operation->handle);
    objects_lock(&s->lock);
    /* Where another thread took this one for the same handle, one of the others is what this call completed. */
    struct live *l = live_of(operation);
    if (!l)
        l = fifo_of(operation->handle);
    if (l) {
        const struct operation done = l->operation;
        fifo_remove(l);
        live_give(s, l);
        objects_tell_request_released(done.class_number, done.place); /* before another thread can take the place */
        place_give(done.class_number, done.place);
    }
    objects_unlock(&s->lock);
}

void request_set_active(const struct operation *operation, bool active)
{
    pthread_mutex_t *lock = &shard_of(operation->handle)->lock;
    objects_lock(lock);
    struct live *l = live_of(operation);
    if (l)
        l->operation.active = active;
    objects_unlock(lock);
}
