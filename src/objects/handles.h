/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI handles: symbolic ids for every kind of object but requests (requests.h).
 *
 * Each kind has a pool of ids, smallest free first. A handle that is seen for the first time gets an id. The id goes
 * back to the pool when the object is released. MPI may return one handle from several calls, each of which must be
 * freed (MPI_Comm_group), so references are counted.
 *
 * Any thread may call these functions once objects_set_threads(true) was called. */
#ifndef PILGRIM_HANDLES_H
#define PILGRIM_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A handle of any kind and any MPI library as an integer. */
#define HANDLE(h) ((uint64_t)(uintptr_t)(h))

enum object_kind {
    KIND_COMM,
    KIND_DATATYPE,
    KIND_GROUP,
    KIND_OP,
    KIND_WIN,
    KIND_FILE,
    KIND_INFO,
    KIND_ERRHANDLER,
    KIND_MESSAGE,
    KIND_SESSION,
    KIND_KEYVAL,
    KIND_CVAR,
    KIND_PVAR,
    KIND_PVAR_SESSION,
    KIND_ENUM,
    KIND_EVENT,
    KIND_EVENT_INSTANCE,
    KIND_REQUEST, /* only for its predefined name, MPI_REQUEST_NULL */
    KIND_COUNT
};

/* The word before the colon in a printed name: "comm", "datatype", ... */
extern const char *const object_kind_word[KIND_COUNT];

/* Rank base: the caller's rank in the group that rank arguments refer to, and the size of the group. */
struct rank_base {
    uint32_t index;
    int rank;       /* the caller's, in its own (local) group; -1: it is not a member */
    int size;       /* of the group that rank arguments refer to: of an intercommunicator the remote one */
    int local_size; /* of the caller's own group */
    bool inter;
};

struct object_name {
    bool predefined; /* then only `name` counts */
    uint16_t name;   /* index into the table of names */
    int64_t id;
};

/* What is known of an object at one time. */
struct object_seen {
    uint64_t generation; /* the rest holds as long as the kind's generation is no greater than this */
    struct object_name name;
    bool has_base;
    struct rank_base base;
};

/* The generation of each kind, from 1. It grows when an object of the kind is released or its rank base changes:
 * what was seen before may be wrong then. */
extern _Atomic uint64_t objects_generation[KIND_COUNT] __attribute__((visibility("hidden")));

/* Sets request_null_handle, because requests.c knows no MPI. Once mpi_library_bind has found MPI. */
void handles_set_null_request(void);

/* Returns the name of HANDLE. A handle never seen before gets a name now. A communicator or window gets no rank base
 * then, so rank base 0 stands for it. */
struct object_name object_name_of(enum object_kind kind, uint64_t handle);

/* Fills in SEEN with the name of HANDLE and what else is known of it, for a cache. A handle never seen before gets a
 * name if ADDING. False: it was never seen and ADDING is false, or memory is short. */
bool object_see(enum object_kind kind, uint64_t handle, bool adding, struct object_seen *seen);

/* Names HANDLE, which a call returned as new, or counts another reference if it has a name. Asks MPI for rank and
 * size of communicators and windows (PMPI), so it must not be called for one that a pending call still creates.
 * Returns the name. */
struct object_name object_created(enum object_kind kind, uint64_t handle);

/* As object_created, with rank base BASE: for a communicator of a nonblocking duplication, a message, a window. */
struct object_name object_created_like(enum object_kind kind, uint64_t handle, const struct rank_base *base);

/* Notes that a call begins that may release a reference of HANDLE. Returns HANDLE. object_released must follow. */
uint64_t object_releasing(enum object_kind kind, uint64_t handle);

/* Releases one reference of BEFORE, in whose place a call left AFTER. Gives the id of BEFORE back if AFTER is a null
 * handle and no reference is left. */
void object_released(enum object_kind kind, uint64_t before, uint64_t after);

/* Returns the rank base of a communicator, window or message. May ask MPI for one that was never seen. A null or
 * invalid handle has rank base 0 with size 0. An unknown message has rank base 0, and so has every handle while MPI
 * is not initialised. */
struct rank_base object_rank_base(enum object_kind kind, uint64_t handle);

/* True if MPI may be asked about COMM without an error, which the program's error handler would see: a call made it,
 * or it was there from the start. */
bool comm_may_ask(uint64_t comm);

/* Return the neighbourhood sizes of a communicator with a topology, 0 if it has none. MPI is asked once for each
 * communicator. */
int comm_indegree(uint64_t comm);
int comm_outdegree(uint64_t comm);

/* Returns the rank base number INDEX. Any thread, without a lock. */
struct rank_base rank_base_numbered(uint32_t index);

/* Copies up to CAPACITY rank bases of the process: distinct pairs of rank and size, by first appearance. Number 0 is
 * that of MPI_COMM_WORLD. Returns how many there are. */
size_t objects_rank_bases(struct rank_base *bases, size_t capacity);

#endif
