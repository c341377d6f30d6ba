/* Requests: from handles, which are not unique, to live operations.
 *
 * MPICH returns one built-in handle for every send that is complete at once, so a handle leads to a FIFO of live
 * operations (architecture: request handles are not unique). An operation's name is the class of the call that
 * created it and its place in that class's pool, smallest free first: completion order does not disturb it. */
#ifndef PILGRIM_REQUESTS_H
#define PILGRIM_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/handles.h"

/* HANDLE(MPI_REQUEST_NULL); set before the first call (handles.c). */
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

/* What a receive was posted with. */
struct posting {
    int64_t count; /* 0: it is not known */
    int source, tag;
};

/* A live operation, as one call sees it (a copy: stays valid when the operation is released). */
struct operation {
    bool null;          /* MPI_REQUEST_NULL */
    bool active;        /* false: a persistent request not started; its status is the empty one */
    bool persistent;
    enum request_kind kind;
    uint64_t handle;
    int64_t class_number;
    int64_t place;
    struct view view;   /* that the status's source refers to */
    struct posting posted; /* by a call that is recorded, of the class CLASS_NUMBER */
    void *live;         /* requests.c only */
};

/* A call created HANDLE: a live operation of the class CLASS_NUMBER (process-wide). Built-in null: ignored, *null* result. */
struct operation request_created(uint64_t handle, int64_t class_number, enum request_kind kind, bool persistent,
                                 const struct view *view);

/* How OPERATION, which has just been created, was posted. */
void request_posted(const struct operation *operation, const struct posting *posted);

/* A class number is (thread << REQUEST_THREAD_SHIFT) | number of the call class; -1: not known. */
#define REQUEST_THREAD_SHIFT 16

/* The operations behind HANDLES[0..count-1], for thread number THREAD: the k-th occurrence of one handle is the k-th
 * of its FIFO that the thread began itself, after those the next that others did. An unknown handle, and an occurrence
 * beyond the end of its FIFO, gets a name in a pool of its own (class -1). OPERATIONS: room for count. O(count),
 * whatever is in flight, where threads have no handle in common. */
void requests_find(const uint64_t *handles, int64_t count, uint32_t thread, struct operation *operations);

/* A call that may complete OPERATIONS begins, or ends: as long as it is UNDER_WAY, requests_find gives them to no other
 * thread while there are others behind the same handle. The library gives a handle away again before the call that freed
 * it returns. */
void requests_complete(const struct operation *operations, int64_t count, uint32_t thread, bool under_way);

/* The call is over and left AFTER where OPERATION's handle was: releases the operation where it is now
 * MPI_REQUEST_NULL. */
void request_finished(const struct operation *operation, uint64_t after);

/* A persistent request was started; or one completed and is inactive again. */
void request_set_active(const struct operation *operation, bool active);

#endif
