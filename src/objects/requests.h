/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: leads from request handles, which are not unique, to live operations.
 *
 * MPICH returns one built-in handle for every send that is complete at once. So a handle leads to a FIFO of live
 * operations (docs/design/requests.md). The name of an operation is the class of the call that created it and a
 * request index: the smallest one that was free in this class. So the order in which operations complete does not
 * disturb the names of later ones.
 *
 * Each thread has thread requests: the operations that it began. Any thread may call these functions once
 * objects_set_threads(true) was called, each with its own thread requests. */
#ifndef PILGRIM_REQUESTS_H
#define PILGRIM_REQUESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/value.h"
#include "objects/handles.h"

/* HANDLE(MPI_REQUEST_NULL). Set by handles_set_null_request before the first call; it never changes while there are
 * operations. */
extern uint64_t request_null_handle __attribute__((visibility("hidden")));

/* What the status of a complete operation means. */
enum request_kind {
    REQUEST_SEND,  /* undefined; recorded as null */
    REQUEST_RECV,  /* source, tag, bytes */
    REQUEST_PRECV, /* a partitioned receive: as REQUEST_RECV */
    REQUEST_IO,    /* bytes only: source and tag are null */
    REQUEST_GREQ,  /* generalized request: source, tag, bytes as its query function set them */
    REQUEST_OTHER  /* collective, RMA, creation of a communicator: undefined, recorded as null */
};

/* A class number is (thread << REQUEST_THREAD_SHIFT) | number of the call class, or one of these. */
enum { REQUEST_THREAD_SHIFT = VALUE_THREAD_SHIFT, REQUEST_UNKNOWN = -1, REQUEST_NULL = -2 };

struct operation_name {
    int64_t class_number; /* REQUEST_UNKNOWN: the call was not recorded; REQUEST_NULL: MPI_REQUEST_NULL */
    int64_t request_index;
};

/* What a receive was posted with. */
struct posting {
    uint32_t count;   /* 0: unknown */
    uint32_t segment; /* the thread's segment in which it was posted */
    int source, tag;
};

/* A live operation. It fills a cache line, because there may be many. After it has ended its members stay as they
 * are until the next call of its thread begins an operation. Operations refer to each other by index
 * (thread_requests_inline.h); 0: none. */
struct operation {
    union {
        uint64_t key;            /* its handle ^ request_null_handle, never 0 */
        struct operation *spare; /* the next operation that is not live */
    };
    int64_t what;            /* class number << OPERATION_CLASS_SHIFT | traits */
    uint32_t next, previous; /* in the FIFO; the `previous` of the first one is the last one, 0 if there is no other */
    uint32_t cursor, search; /* of the first one in a FIFO: search number `search` looks at `cursor` next */
    uint32_t base;           /* index of the rank base that the source in the status refers to */
    uint32_t serial;         /* counts the operations that had this memory */
    uint32_t request_index;  /* with the class, its name */
    uint16_t completed_by;   /* number of the thread requests whose current call may complete it; 0: none */
    bool active;             /* false: a persistent request that is not started; its status is empty */
    atomic_bool moved;       /* to the requests of ended threads */
    struct posting posted;   /* by a recorded call of its class */
};

enum { OPERATION_CLASS_SHIFT = 8, TRAIT_PERSISTENT = 1 };

/* Returns the traits of an operation: what is told of it beside its class, below 1 << OPERATION_CLASS_SHIFT. */
static inline unsigned request_traits(enum request_kind kind, bool persistent)
{
    return (unsigned)kind << 1 | (persistent ? TRAIT_PERSISTENT : 0);
}

static inline int64_t operation_class(const struct operation *o)
{
    return o->what >> OPERATION_CLASS_SHIFT;
}

static inline struct operation_name operation_name(const struct operation *o)
{
    return (struct operation_name){operation_class(o), o->request_index};
}

static inline enum request_kind operation_kind(const struct operation *o)
{
    return (enum request_kind)(o->what >> 1 & 7);
}

static inline bool operation_is_persistent(const struct operation *o)
{
    return o->what & TRAIT_PERSISTENT;
}

static inline bool operation_is_null(const struct operation *o)
{
    return operation_class(o) == REQUEST_NULL;
}

/* An operation that a call has found, in 8 bytes because a call may find many: its address, FOUND_... flags, and in the
 * upper 16 bits those of its serial number, which tell whether the operation has ended. Addresses of a program have 48
 * bits, and operations lie at multiples of 16 bytes. All zero: nothing was found. */
struct found_operation_bits {
    uint64_t word;
};

enum {
    FOUND_LIVE = 1,   /* not set: no live operation was found, or it has ended */
    FOUND_OWN = 2,    /* it is in the requests of the thread that found it */
    FOUND_COPIED = 4, /* the address is that of a struct operation_copy */
    FOUND_GONE = 8,   /* for requests_finished: MPI_REQUEST_NULL has replaced its handle */
    FOUND_ALIGNMENT = 16,
    FOUND_SERIAL_SHIFT = 48
};

#define FOUND_ADDRESS ((UINT64_C(1) << FOUND_SERIAL_SHIFT) - FOUND_ALIGNMENT)

struct operation_copy {
    _Alignas(FOUND_ALIGNMENT) struct operation operation;
    struct operation *live;
};

/* Returns what the call may read: the live operation, or a copy if the live one may end at any time. NULL: nothing
 * was found. */
static inline struct operation *found_operation(const struct found_operation_bits *f)
{
    return (struct operation *)(uintptr_t)(f->word & FOUND_ADDRESS);
}

/* Returns O as found, to be read only: calls that end operations leave it alone. */
static inline struct found_operation_bits found_only(const struct operation *o)
{
    return (struct found_operation_bits){(uintptr_t)o};
}

/* True if O is still the operation that was found. */
static inline bool found_is(const struct found_operation_bits *f, const struct operation *o)
{
    return (uint16_t)o->serial == f->word >> FOUND_SERIAL_SHIFT;
}

/* True if all of FLAGS are set. */
static inline bool found_has(const struct found_operation_bits *f, unsigned flags)
{
    return (f->word & flags) == flags;
}

/* Notes that the operation has ended. */
static inline void found_end(struct found_operation_bits *f)
{
    f->word &= ~(uint64_t)FOUND_LIVE;
}

static inline void found_set_gone(struct found_operation_bits *f, bool gone)
{
    f->word = (f->word & ~(uint64_t)FOUND_GONE) | (gone ? FOUND_GONE : 0);
}

/* The operations that a call has found. Scratch memory of a thread. All zero is empty. */
struct finding {
    uint64_t *handles; /* the caller sets them before requests_find, which may free them */
    struct found_operation_bits *found;
    struct operation_copy *copies;
    int64_t capacity, copy_capacity; /* of the arrays above */
    int64_t count;                   /* operations that were found */
    uint64_t search; /* `search` of the thread requests when a call had found all its operations there; 0 before that */
    uint64_t call;   /* by this call of the thread; for other calls COUNT says nothing */
};

/* Makes room for COUNT handles. False: no memory. */
bool finding_reserve(struct finding *f, int64_t count);
void finding_free(struct finding *f);

/* Thread requests: the operations that one thread began. Not moved in memory, because others hold pointers to it. */
struct thread_requests {
    atomic_uint lock;
    unsigned shift;           /* hash >> shift is an index into `table` */
    size_t mask;              /* of indices into `table` */
    struct operation **table; /* the first operation of each handle; NULL: free. Open addressing, linear probing */
    size_t room;              /* entries that may still be taken */
    uint64_t search;          /* counts up with each search here, and each operation that begins or ends */
    uint32_t searches;        /* number of the last search for several handles */
    uint16_t number;          /* of these thread requests, from 1 */
    struct operation *free;
    struct operation *fresh, *fresh_end;  /* memory that was never used */
    _Atomic(struct operation *) returned; /* free operations that other threads have ended */
    struct pool **classes; /* pools of request indices, by number of the call class; NULL: it has begun none */
    uint32_t class_count;
    atomic_size_t live; /* number of live operations */
    _Atomic(struct thread_requests *) next;
};

extern _Atomic(struct thread_requests *) requests_first;

/* Makes thread requests for one thread, behind those of the other threads. They are never freed, because others may
 * look for what the thread began. NULL: no memory. */
struct thread_requests *requests_new(void);

/* Moves the live operations of R, whose thread has ended, to the requests of ended threads, which lie behind all
 * others. Afterwards R is as new, for another thread. False: no memory, and R is unchanged. */
bool requests_thread_ended(struct thread_requests *r);

/* True if any operation is live that was recorded when it began. It must then not be completed untracked, or it
 * would stay for ever. */
static inline bool requests_live(void)
{
    struct thread_requests *r = atomic_load_explicit(&requests_first, memory_order_acquire);
    while (r && !atomic_load_explicit(&r->live, memory_order_relaxed))
        r = atomic_load_explicit(&r->next, memory_order_acquire);
    return r != NULL;
}

/* request_created, request_find and request_finish handle one request; they are in thread_requests_inline.h. */

/* Finds the operations of F->handles[0..count-1] and puts them into F->found. The k-th occurrence of a handle is the
 * k-th operation of its FIFO in R, the calling thread's own. Occurrences beyond the end of that FIFO are looked for
 * in the requests of the other threads, one after another. A handle that is found nowhere begins an unknown
 * operation (REQUEST_UNKNOWN), whose index is of a pool of its own. Takes O(count) steps, whatever is in flight.
 *
 * Until requests_leave the call counts as one that may complete the operations. Calls of other threads do not find
 * them as long as there is another operation behind the same handle, because the MPI library may give a handle away
 * before the call that freed it returns. */
void requests_find(struct thread_requests *r, struct finding *f, int64_t count);

/* Ends the operations in F->found[0..count-1] that have FOUND_GONE: MPI_REQUEST_NULL has replaced their handles in a
 * call that has ended. */
void requests_finished(struct thread_requests *r, struct finding *f, int64_t count);

/* Lets other threads find what is still live of F->found[0..count-1], because the call that found them has ended. */
void requests_leave(struct thread_requests *r, struct finding *f, int64_t count);

/* Ends F->found[0..count-1], because the call that found them never returned and nobody knows which of them it
 * completed. If the program still has such a request, it is an unknown one from now on. */
void requests_forget(struct finding *f, int64_t count);

/* Marks a persistent request as started, or as inactive, because it has completed. */
void request_set_active(const struct found_operation_bits *found, bool active);

#endif
