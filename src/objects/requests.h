/* Requests: from handles, which are not unique, to live operations.
 *
 * MPICH returns one built-in handle for every send that is complete at once, so a handle leads to a FIFO of live
 * operations (architecture: request handles are not unique). An operation's name is the class of the call that
 * created it and its place in that class's pool, smallest free first: completion order does not disturb it.
 *
 * What a thread began is in a book of its own. All functions may be called by any thread once objects_set_threads(true) was
 * called, each with the calling thread's book. */
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
    REQUEST_SEND,    /* status undefined: recorded as null */
    REQUEST_RECV,    /* source, tag, bytes */
    REQUEST_PRECV,   /* partitioned receive: as RECV */
    REQUEST_IO,      /* bytes only: source and tag are null */
    REQUEST_GREQ,    /* generalized: source, tag, bytes as the query function set them */
    REQUEST_OTHER    /* collective, RMA, communicator creation: undefined, null */
};

/* A class number is (thread << REQUEST_THREAD_SHIFT) | number of the call class, or one of these. */
enum { REQUEST_THREAD_SHIFT = VALUE_THREAD_SHIFT, REQUEST_UNKNOWN = -1, REQUEST_NULL = -2 };

struct operation_name {
    int64_t class_number; /* REQUEST_UNKNOWN: of a call that was not recorded; REQUEST_NULL: MPI_REQUEST_NULL */
    int64_t place;
};

/* What a receive was posted with. */
struct posting {
    int64_t count; /* 0: it is not known */
    uint32_t round; /* in which of its thread's */
    int source, tag;
};

/* A live operation. Once it has ended the name and what follows `active` stay as they are until its thread's next call begins one. */
struct operation {
    struct operation_name name;
    struct fifo *fifo;          /* of its handle, that it is in */
    struct operation *next;     /* in there */
    struct operation *previous; /* idem; the first one's is the last one */
    _Atomic(struct requests *) requests; /* the book that it is in */
    struct places *places;      /* that its place is of; NULL: of a class that nothing is begun of any more */
    uint32_t serial;            /* of this operation, among those that had this memory */
    bool active;                /* false: a persistent request not started; its status is the empty one */
    bool persistent;
    uint8_t kind;               /* enum request_kind */
    const struct requests *completed_by; /* whose call under way may complete it; NULL: none's */
    struct posting posted;      /* by a call that is recorded, of the class that NAME says */
    struct view view;           /* that the status's source refers to */
};

static inline bool operation_is_null(const struct operation *o)
{
    return o->name.class_number == REQUEST_NULL;
}

/* An operation, as a call has found it. */
struct found {
    const struct operation *operation; /* what it is, for the call to read: the live one, or a copy where that may go at any time */
    struct operation *live;            /* NULL: there is none, or it is over */
    uint32_t serial;
};

/* What a call has found; a thread's scratch. All zero is empty. */
struct finding {
    uint64_t *handles; /* to be set for requests_find */
    uint64_t *after;   /* for requests_finished */
    struct found *found;
    struct operation *copies;
    int64_t capacity, copy_capacity;
    int64_t count; /* the call numbered CALL of the thread has found so many, */
    uint64_t call; /* and no other */
};

/* Room for COUNT handles. False: no memory. */
bool finding_reserve(struct finding *f, int64_t count);
void finding_free(struct finding *f);

/* The operations that one thread began. */
struct requests {
    atomic_uint lock;
    unsigned shift;             /* of a hash, to an index of `fifos` */
    size_t mask;                /* idem */
    struct fifo *fifos;         /* a hash table by handle */
    struct fifo *spare;         /* room for another one, or NULL */
    size_t used;                /* of `fifos` */
    uint64_t search;            /* number of the last search in it; counts up with each operation that begins or ends, too */
    struct operation *free;
    struct operation *fresh, *fresh_end; /* never used so far */
    struct places **classes;    /* by number of the call class; NULL: has begun none */
    uint32_t class_count;
    atomic_size_t live;         /* how many there are */
    _Atomic(struct requests *) next;
};

extern _Atomic(struct requests *) requests_first;

/* A book for one thread, after those of others. Never freed: others may look for what it began. NULL: no memory. */
struct requests *requests_new(void);

/* The thread of R has ended: what it began and what is live still goes to a book that all such threads have in common, behind all others,
 * and R is as if it were new, for another thread. False, and R stays as it is: no memory. */
bool requests_bequeath(struct requests *r);

/* Whether any operation is live that was not begun unseen: it must not be completed unseen, or it would stay for ever. */
static inline bool requests_live(void)
{
    struct requests *r = atomic_load_explicit(&requests_first, memory_order_acquire);
    while (r && !atomic_load_explicit(&r->live, memory_order_relaxed))
        r = atomic_load_explicit(&r->next, memory_order_acquire);
    return r != NULL;
}

/* request_created, request_find and request_finish, of one request, are in book.h. */

/* The operations behind F->handles[0..count-1], in F->found: the k-th occurrence of one handle is the k-th of its FIFO that the
 * thread of R began itself, after those the next that others did, thread by thread. An unknown handle, and an occurrence beyond the end of
 * its FIFO, gets a name in a pool of its own (REQUEST_UNKNOWN). O(count), whatever is in flight.
 *
 * Until requests_leave the call counts as one that may complete them: they are given to no other thread while there are others behind the
 * same handle. The library gives a handle away again before the call that freed it returns. */
void requests_find(struct requests *r, struct finding *f, int64_t count);

/* The call is over and left F->after[0..count-1] where the handles were: releases the operations where MPI_REQUEST_NULL is now. */
void requests_finished(struct requests *r, struct finding *f, int64_t count);

/* The call has ended that found F->found[0..count-1]. */
void requests_leave(struct requests *r, struct finding *f, int64_t count);

/* The call never returned that found F->found[0..count-1]: whether it has completed them is not known. They are not looked for again; one that
 * the program has still is an unknown one from now on. */
void requests_forget(struct finding *f, int64_t count);

/* A persistent request was started; or one completed and is inactive again. */
void request_set_active(const struct found *found, bool active);

#endif
