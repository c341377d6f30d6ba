/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: from handles, which are not unique, to live operations.
 *
 * MPICH returns one built-in handle for every send that is complete at once, so a handle leads to a FIFO of live
 * operations (architecture: request handles are not unique). An operation's name is the class of the call that
 * created it and its place in that class's pool, smallest free first: completion order does not disturb it.
 *
 * What a thread began is in a book of its own. All functions may be called by any thread once objects_set_threads(true)
 * was called, each with the calling thread's book. */
#ifndef PILGRIM_REQUESTS_H
#define PILGRIM_REQUESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/value.h"
#include "objects/handles.h"

/* HANDLE(MPI_REQUEST_NULL); set before the first call (handles.c), and never once there are operations. */
extern uint64_t request_null_handle;

/* What the operation's status means once complete. */
enum request_kind {
    REQUEST_SEND,  /* status undefined: recorded as null */
    REQUEST_RECV,  /* source, tag, bytes */
    REQUEST_PRECV, /* partitioned receive: as RECV */
    REQUEST_IO,    /* bytes only: source and tag are null */
    REQUEST_GREQ,  /* generalized: source, tag, bytes as the query function set them */
    REQUEST_OTHER  /* collective, RMA, communicator creation: undefined, null */
};

/* A class number is (thread << REQUEST_THREAD_SHIFT) | number of the call class, or one of these. */
enum { REQUEST_THREAD_SHIFT = VALUE_THREAD_SHIFT, REQUEST_UNKNOWN = -1, REQUEST_NULL = -2 };

struct operation_name {
    int64_t class_number; /* REQUEST_UNKNOWN: of a call that was not recorded; REQUEST_NULL: MPI_REQUEST_NULL */
    int64_t request_index;
};

/* What a receive was posted with. */
struct posting {
    uint32_t count;   /* 0: it is not known */
    uint32_t segment; /* in which of its thread's */
    int source, tag;
};

/* A live operation: a line of the cache, as there may be many. Once it has ended what it is stays as it is until its
 * thread's next call begins one. Operations refer to each other by index (thread_requests_inline.h); 0 is none. */
struct operation {
    union {
        uint64_t key;            /* of its handle, never 0 */
        struct operation *spare; /* the next one that is not live */
    };
    int64_t what; /* its class number << OPERATION_CLASS_SHIFT | enum request_kind << 1 | whether it is persistent */
    uint32_t next, previous; /* with the same handle; the previous of the first one is the last one */
    uint32_t cursor, search; /* of the first one: which one search number `search` is to find next */
    uint32_t serial;         /* of this operation, among those that had this memory */
    uint32_t request_index;  /* with its class, its name */
    uint32_t base;           /* that the status's source refers to: its index */
    uint16_t completed_by;   /* number of the book whose call under way may complete it; 0: none's */
    bool active;             /* false: a persistent request not started; its status is the empty one */
    atomic_bool moved;       /* from its thread's book to that of ended threads */
    struct posting posted;   /* by a call that is recorded, of the class that the name says */
};

enum { OPERATION_CLASS_SHIFT = 8 };

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
    return o->what & 1;
}

static inline bool operation_is_null(const struct operation *o)
{
    return operation_class(o) == REQUEST_NULL;
}

/* An operation, as a call has found it. Packed, as a call may find many: addresses of the program's have 48 bits,
 * operations lie at multiples of 16 bytes, and of the serial number 16 bits tell whether it is over. All zero: nothing
 * has been found. */
struct found_operation_bits {
    uint64_t address : 44; /* found_operation() */
    uint64_t serial : 16;  /* found_is() */
    uint64_t live : 1;     /* 0: there is none that is, or it is over */
    uint64_t own : 1;      /* it is in the book of the thread that found it */
    uint64_t copied : 1;   /* the address is that of a struct operation_copy */
    uint64_t gone : 1;     /* for requests_finished: MPI_REQUEST_NULL is where its handle was */
};

enum { FOUND_SHIFT = 4 };

struct operation_copy {
    _Alignas(1 << FOUND_SHIFT) struct operation operation;
    struct operation *live;
};

/* What it is, for the call to read: the live one, or a copy where that may go at any time. NULL: nothing. */
static inline struct operation *found_operation(const struct found_operation_bits *f)
{
    return (struct operation *)(uintptr_t)((uint64_t)f->address << FOUND_SHIFT);
}

/* The one that O is now, which nothing is to be done to. */
static inline struct found_operation_bits found_only(const struct operation *o)
{
    return (struct found_operation_bits){.address = (uintptr_t)o >> FOUND_SHIFT & ((UINT64_C(1) << 44) - 1)};
}

/* Whether O is the operation still that was found there. */
static inline bool found_is(const struct found_operation_bits *f, const struct operation *o)
{
    return (uint16_t)o->serial == f->serial;
}

/* What a call has found; a thread's scratch. All zero is empty. */
struct finding {
    uint64_t *handles; /* to be set for requests_find, which may free it */
    struct found_operation_bits *found;
    struct operation_copy *copies;
    int64_t capacity, copy_capacity; /* of a call to come */
    int64_t count;                   /* the call numbered CALL of the thread has found so many, */
    uint64_t call;                   /* and no other */
};

/* Room for COUNT handles. False: no memory. */
bool finding_reserve(struct finding *f, int64_t count);
void finding_free(struct finding *f);

/* The operations that one thread began. */
struct thread_requests {
    atomic_uint lock;
    unsigned shift;    /* of a hash, to an index of `table` */
    size_t mask;       /* idem */
    uint32_t *table;   /* of the first operation with each handle; 0: free. Open, with linear probing */
    size_t room;       /* entries that may still be taken */
    uint64_t search;   /* counts up with each search in it, and with each operation that begins or ends */
    uint32_t searches; /* number of the last search for several handles */
    uint16_t number;   /* of the book, from 1 */
    struct operation *free;
    struct operation *fresh, *fresh_end;  /* never used so far */
    _Atomic(struct operation *) returned; /* free ones that other threads have ended */
    struct pool **classes;                /* of places; by number of the call class; NULL: has begun none */
    uint32_t class_count;
    atomic_size_t live; /* how many there are */
    _Atomic(struct thread_requests *) next;
};

extern _Atomic(struct thread_requests *) requests_first;

/* A book for one thread, after those of others. Never freed: others may look for what it began. NULL: no memory. */
struct thread_requests *requests_new(void);

/* The thread of R has ended: what it began and what is live still goes to a book that all such threads have in common,
 * behind all others, and R is as if it were new, for another thread. False, and R stays as it is: no memory. */
bool requests_thread_ended(struct thread_requests *r);

/* Whether any operation is live that was not begun untracked: it must not be completed untracked, or it would stay for
 * ever. */
static inline bool requests_live(void)
{
    struct thread_requests *r = atomic_load_explicit(&requests_first, memory_order_acquire);
    while (r && !atomic_load_explicit(&r->live, memory_order_relaxed))
        r = atomic_load_explicit(&r->next, memory_order_acquire);
    return r != NULL;
}

/* request_created, request_find and request_finish, of one request, are in thread_requests_inline.h. */

/* The operations behind F->handles[0..count-1], in F->found: the k-th occurrence of one handle is the k-th of its FIFO
 * that the thread of R began itself, after those the next that others did, thread by thread. An unknown handle, and an
 * occurrence beyond the end of its FIFO, gets a name in a pool of its own (REQUEST_UNKNOWN). O(count), whatever is in
 * flight.
 *
 * Until requests_leave the call counts as one that may complete them: they are given to no other thread while there are
 * others behind the same handle. The library gives a handle away again before the call that freed it returns. */
void requests_find(struct thread_requests *r, struct finding *f, int64_t count);

/* The call is over, and F->found[0..count-1].gone says where MPI_REQUEST_NULL is now: releases these operations. */
void requests_finished(struct thread_requests *r, struct finding *f, int64_t count);

/* The call has ended that found F->found[0..count-1]. */
void requests_leave(struct thread_requests *r, struct finding *f, int64_t count);

/* The call never returned that found F->found[0..count-1]: whether it has completed them is not known. They are not
 * looked for again; one that the program has still is an unknown one from now on. */
void requests_forget(struct finding *f, int64_t count);

/* A persistent request was started; or one completed and is inactive again. */
void request_set_active(const struct found_operation_bits *found, bool active);

#endif
