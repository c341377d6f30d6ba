/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's call from Fortran, as the wrappers of the C functions see it. fortran/fortran.h has the rest. */
#ifndef PILGRIM_FORTRAN_CALL_H
#define PILGRIM_FORTRAN_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fortran_direct;

enum { FORTRAN_WORDS = 16 }; /* at most so many arguments, with ierror and the hidden lengths of strings */

/* A name that Fortran programs call. */
struct fortran_entry {
    const char *name;     /* "mpi_send_" */
    uint32_t function;    /* enum function_id of the C binding */
    int status;           /* index of the argument that is the status or array of statuses; -1: none */
    unsigned words;       /* 8 or 16: arguments that are passed on, used or not */
    _Atomic(void *) next; /* the function with this name in the next library; NULL: not looked up yet */
    atomic_bool foreign;  /* `next` is not MPI's: it is looked up at each call, because its library may be unloaded */
    const struct fortran_direct *direct; /* NULL: the Fortran function calls the C function of its name */
    atomic_bool prepared;                /* `direct` is known, and calls from MPI's Fortran layer come to Pilgrim */
    atomic_bool is_seen;                 /* the C function was seen during the last call of this entry */
};

/* A call in progress. */
struct fortran_call {
    struct fortran_entry *entry;
    const intptr_t *words; /* its arguments */
    const void *site;
    const void *frame;          /* of the entry: CALL_PATH_FRAME */
    bool seen;                  /* the C function was called */
    bool taken;                 /* fortran_take has used it */
    struct fortran_call *outer; /* the call from Fortran whose callback makes this one */
    uint64_t *before;           /* handles that went in, if the call may be hidden from Pilgrim (fortran_hidden.h) */
    uintptr_t check; /* checksum of the members that do not change: proves that the memory still holds this call */
};

/* This thread's innermost call from Fortran, or NULL. */
extern _Thread_local struct fortran_call *fortran_now __attribute__((tls_model("initial-exec")));

static inline uintptr_t fortran_check(const struct fortran_call *c)
{
    const uintptr_t parts[] = {(uintptr_t)c, (uintptr_t)c->entry, (uintptr_t)c->words, (uintptr_t)c->site,
                               (uintptr_t)c->outer};
    uintptr_t sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sum = sum * 31 + parts[i];
    return ~sum;
}

/* True if C is still intact: a call that never returned leaves fortran_now pointing at memory with other contents. */
static inline bool fortran_is_whole(const struct fortran_call *c)
{
    return c->check == fortran_check(c);
}

/* True if FROM is a call of the C function FUNCTION, which is now called for the first time. Marks FROM as seen. */
static inline bool fortran_claims(struct fortran_call *from, uint32_t function)
{
    if (from->seen || from->entry->function != function)
        return false;
    return from->seen = true;
}

/* The same, but does not mark FROM. */
static inline bool fortran_expects_of(const struct fortran_call *from, uint32_t function)
{
    return !from->seen && from->entry->function == function;
}

/* The same for this thread's call. If MPI's Fortran layer calls PMPI_X then, that is the program's MPI_X. */
static inline bool fortran_expects(uint32_t function)
{
    return fortran_now && fortran_is_whole(fortran_now) && fortran_expects_of(fortran_now, function);
}

/* True if the program passed MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. Open MPI's Fortran layer does not always pass
 * that on. */
bool fortran_ignores_status(const struct fortran_call *call);

#endif
