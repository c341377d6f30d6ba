/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI handles: symbolic ids for every kind of object but requests (requests.h).
 *
 * Each kind has a pool of ids, smallest free first. A handle seen for the first time gets an id; the id goes
 * back when the object is released. MPI may return one handle from several calls that each must be freed
 * (MPI_Comm_group): references are counted.
 * All functions may be called by any thread once objects_set_threads(true) was called. */
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
    KIND_REQUEST, /* for predefined names (MPI_REQUEST_NULL) only */
    KIND_COUNT
};

/* The word before the colon: "comm", "datatype", ... */
extern const char *const object_kind_word[KIND_COUNT];

/* The caller's place in the group that rank arguments refer to.
 * index: place in the process's rank base table; views[0] is MPI_COMM_WORLD's */
struct rank_base {
    uint32_t index;
    int rank;       /* the caller's, in the (local) group; -1 where it is in none */
    int size;       /* of the group that ranks refer to: the remote one of an inter-communicator */
    int local_size; /* of the caller's own group */
    bool inter;
};

struct object_name {
    bool predefined; /* then only `name` counts */
    uint16_t name;   /* index into the vocabulary's names */
    int64_t id;
};

/* What is known of an object at one time. */
struct object_seen {
    uint64_t generation; /* it holds as long as the kind's generation is no greater */
    struct object_name name;
    bool has_base;
    struct rank_base base;
};

/* For each kind, counted up whenever an object of it is released, or its rank base changes: what was seen before may be
 * wrong. From 1. */
extern _Atomic uint64_t objects_generation[KIND_COUNT] __attribute__((visibility("hidden")));

void handles_set_null_request(void); /* the MPI library's variables are known (mpi_library.h) */

void objects_set_threads(bool several); /* after MPI_Init_thread: whether locks are needed */

/* The name of HANDLE; one never seen gets a name now (and for communicators, windows no rank base: views[0]). */
struct object_name object_name_of(enum object_kind kind, uint64_t handle);

/* The same, and what else is known of it, for a cache. One never seen gets a name if ADDING; else, and where memory is
 * short: false. */
bool object_see(enum object_kind kind, uint64_t handle, bool adding, struct object_seen *seen);

/* A call returned HANDLE as new: names it, or counts a further reference if it is known. For communicators and windows
 * asks MPI for rank and size (PMPI), so not for one that a pending call still creates. */
struct object_name object_created(enum object_kind kind, uint64_t handle);

/* As object_created, with the rank base of PARENT: a communicator of a non-blocking duplication, a message, a window.
 */
struct object_name object_created_like(enum object_kind kind, uint64_t handle, const struct rank_base *base);

/* A call that may take a reference of HANDLE begins; returns HANDLE. object_released must follow. */
uint64_t object_releasing(enum object_kind kind, uint64_t handle);

/* A call took one reference of BEFORE and left AFTER in its place: releases BEFORE's id where AFTER is a null handle
 * and no reference is left. */
void object_released(enum object_kind kind, uint64_t before, uint64_t after);

/* The rank base of a communicator, window or message; views[0] for what is unknown or null, of size 0 for null. */
struct rank_base object_rank_base(enum object_kind kind, uint64_t handle);

/* Whether MPI may be asked about COMM without an error that the application's error handler would see: a call made it,
 * or it was there from the start. */
bool comm_may_ask(uint64_t comm);

/* Neighbourhood sizes of a communicator with a topology, asked once and kept; 0 without one. */
int comm_indegree(uint64_t comm);
int comm_outdegree(uint64_t comm);

/* The rank base of that index; any thread, without a lock. */
struct rank_base rank_base_numbered(uint32_t index);

/* The process's rank base table: distinct (rank, size) pairs in order of first appearance. Returns the count. */
size_t objects_rank_bases(struct rank_base *bases, size_t capacity);

/* Called for every id that goes back to its pool, with the object's printed name ("comm:3", "heap:1", "request:5.0");
 * NULL: nobody, as in the shipped libraries; for the shadow (src/shadow). */
extern void (*objects_release_hook)(const char *name);

#endif
