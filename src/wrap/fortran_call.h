/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's call from Fortran, as the wrappers of the C functions see it; fortran.h has the rest. */
#ifndef PILGRIM_FORTRAN_CALL_H
#define PILGRIM_FORTRAN_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fortran_direct;

enum { FORTRAN_WORDS = 16 }; /* arguments at most, ierror and the strings' hidden lengths among them */

/* A name that Fortran programs call. */
struct fortran_entry {
    const char *name;     /* "mpi_send_" */
    uint32_t function;    /* enum function_id, of the C binding */
    int status;           /* which argument is the status or the array of them, -1: none */
    unsigned words;       /* 8 or 16: passed on, whether used or not */
    _Atomic(void *) next; /* the function of that name in the next library; NULL: not looked for yet */
    atomic_bool foreign;  /* that is not MPI's: it is looked for at each call, as its library may be unloaded */
    const struct fortran_direct *direct; /* NULL: the Fortran function calls the C function of its name */
    atomic_bool prepared;                /* that is known, and the calls that MPI's Fortran layer makes come to us */
    atomic_bool is_seen;                 /* its last call was, as the first one was */
};

/* A call under way. */
struct fortran_call {
    struct fortran_entry *entry;
    const intptr_t *words; /* the arguments */
    const void *site;
    bool seen;                  /* its C function was called */
    bool taken;                 /* fortran_take has had it */
    struct fortran_call *outer; /* the Fortran call in whose callback this one is made */
    uint64_t *before;           /* handles that went in, if it may be that nobody sees it (fortran_hidden.h) */
    uintptr_t check;            /* of all that does not change: this is a call, and not what lies there after it */
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

/* Whether C lies there still: a call that never returned leaves fortran_now behind. */
static inline bool fortran_is_whole(const struct fortran_call *c)
{
    return c->check == fortran_check(c);
}

/* Whether the C function FUNCTION, being called, is what FROM is a call of. */
static inline bool fortran_claims(struct fortran_call *from, uint32_t function)
{
    if (from->seen || from->entry->function != function)
        return false;
    return from->seen = true;
}

/* The same without claiming it. */
static inline bool fortran_expects_of(const struct fortran_call *from, uint32_t function)
{
    return !from->seen && from->entry->function == function;
}

/* The same for this thread's call: what MPI's Fortran layer calls as PMPI_X is MPI_X then. */
static inline bool fortran_expects(uint32_t function)
{
    return fortran_now && fortran_is_whole(fortran_now) && fortran_expects_of(fortran_now, function);
}

/* Whether the program passed MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. Open MPI's Fortran layer does not always tell.
 */
bool fortran_ignores_status(const struct fortran_call *call);

#endif
