/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls from Fortran.
 *
 * The program's mpi_send_ is an entry of ours. It notes the call site, and which function it is, and calls the Fortran
 * function of the MPI library with the arguments as they are. That one converts them (handles, LOGICALs, strings,
 * sentinels, indices, statuses) and calls MPI_Send or PMPI_Send: there the ordinary wrapper records the call, with the
 * site and the language that the entry noted. Nothing of what a Fortran argument looks like has to be known here.
 *
 * What else MPI's Fortran layer calls on its way (MPI_Comm_size, MPI_Type_f2c) is not the program's and is not
 * recorded. Some Fortran functions call no C function of their name: these are told in gen/overrides (`fortran`). */
#ifndef PILGRIM_FORTRAN_H
#define PILGRIM_FORTRAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrap/fortran_call.h"
#include "mpi/mpi_library.h"
#include "pilgrim/status.h"

/* ---- entries ---- */

/* Makes the call that the program made: WORDS as many as ENTRY has. */
intptr_t fortran_pass(struct fortran_entry *entry, const intptr_t *words, const void *site);
double fortran_pass_real(struct fortran_entry *entry, const void *site); /* without arguments, returns a double */

/* A function's entries; eight arguments are enough for most. */
#define FORTRAN_ENTRY_8(symbol, id, status_argument)                                                                   \
    PILGRIM_API intptr_t symbol(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);       \
    intptr_t symbol(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h)    \
    {                                                                                                                  \
        static struct fortran_entry entry = {.name = #symbol, .function = id, .status = status_argument, .words = 8};  \
        const intptr_t words[] = {a, b, c, d, e, f, g, h};                                                             \
        return fortran_pass(&entry, words, __builtin_return_address(0));                                               \
    }
#define FORTRAN_ENTRY_16(symbol, id, status_argument)                                                                  \
    PILGRIM_API intptr_t symbol(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,        \
                                intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);       \
    intptr_t symbol(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h,    \
                    intptr_t i, intptr_t j, intptr_t k, intptr_t l, intptr_t m, intptr_t n, intptr_t o, intptr_t p)    \
    {                                                                                                                  \
        static struct fortran_entry entry = {.name = #symbol, .function = id, .status = status_argument, .words = 16}; \
        const intptr_t words[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};                                     \
        return fortran_pass(&entry, words, __builtin_return_address(0));                                               \
    }
#define FORTRAN_ENTRY_REAL(symbol, id)                                                                                 \
    PILGRIM_API double symbol(void);                                                                                   \
    double symbol(void)                                                                                                \
    {                                                                                                                  \
        static struct fortran_entry entry = {.name = #symbol, .function = id, .status = -1, .words = 8};               \
        return fortran_pass_real(&entry, __builtin_return_address(0));                                                 \
    }

/* ---- functions whose Fortran form calls no C function of their name; gen/overrides ---- */

struct fortran_direct {
    uint32_t function;
    bool after; /* to be called after the Fortran function, else in its place */
    void (*call)(
        const intptr_t *words); /* converts the arguments, calls the C wrapper; that one calls the Fortran function */
};

extern const struct fortran_direct fortran_directs[]; /* generated */
extern const size_t fortran_direct_count;

/* This thread's call from Fortran, if it is one of FUNCTION that nobody has taken. */
struct fortran_call *fortran_take(uint32_t function);

/* Calls the Fortran function. IERROR: which argument that is; the program may have left it out. Returns the error code.
 */
int fortran_run_taken(const struct fortran_call *call, unsigned ierror);

static inline MPI_Fint fortran_integer(intptr_t word)
{
    return *(const MPI_Fint *)word;
}

/* In MPICH the keys of predefined attributes have a number of their own in Fortran, the one after C's. */
static inline int fortran_keyval(intptr_t word)
{
    int keyval = fortran_integer(word);
#ifdef MPICH
    if (keyval >> 30 == 1 && !(keyval & 1))
        keyval--;
#endif
    return keyval;
}

static inline MPI_Aint fortran_address(intptr_t word)
{
    return *(const MPI_Aint *)word;
}

/* Completes or starts no requests with FUNCTION: a Fortran layer need not ask MPI for that. False: WORDS are of another
 * call. */
bool fortran_complete_nothing(uint32_t function, const intptr_t *words);

/* ---- MPI's Fortran layer ---- */

/* Where the layer's calls of PMPI_X lead. Sorted by name. */
struct fortran_slot {
    const char *name; /* "MPI_Send" */
    void *target;     /* calls MPI_X's wrapper where fortran_expects, else PMPI_X */
};

extern const struct fortran_slot fortran_slots[]; /* generated */
extern const size_t fortran_slot_count;

/* From here on calls of PMPI_X in the library that ADDRESS lies in lead to fortran_slots. One thread at a time. */
void fortran_layer_bind(const void *address);

#endif
