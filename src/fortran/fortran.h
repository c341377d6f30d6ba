/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls from Fortran.
 *
 * The program's mpi_send_ is an entry in this library. The entry notes the call site and the function, and calls the
 * Fortran function of the MPI library with the same arguments. That function converts them (handles, LOGICALs,
 * strings, sentinels, indices, statuses) and calls MPI_Send or PMPI_Send. There the ordinary wrapper records the
 * call, with the site and the language that the entry noted. So Pilgrim need not know what Fortran arguments look
 * like.
 *
 * Other functions that MPI's Fortran layer calls meanwhile (MPI_Comm_size, MPI_Type_f2c) are not the program's calls,
 * and are not recorded. Some Fortran functions call no C function of their name; gen/overrides lists them
 * (`fortran`). */
#ifndef PILGRIM_FORTRAN_H
#define PILGRIM_FORTRAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrap/fortran_call.h"
#include "mpi/mpi_library.h"
#include "pilgrim/status.h"
#include "unwind/call_path.h"

/* ---- entries ---- */

/* Makes the call that the program made through ENTRY at SITE, with FRAME (CALL_PATH_FRAME). WORDS: its arguments,
 * entry->words of them. Returns what the Fortran function returns. */
intptr_t fortran_pass(struct fortran_entry *entry, const intptr_t *words, const void *site, const void *frame);
/* The same for functions without arguments that return a double. */
double fortran_pass_real(struct fortran_entry *entry, const void *site, const void *frame);

/* Define an entry. Eight arguments are enough for most functions. */
#define FORTRAN_ENTRY_8(symbol, id, status_argument)                                                                   \
    PILGRIM_API intptr_t symbol(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);       \
    intptr_t symbol(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h)    \
    {                                                                                                                  \
        static struct fortran_entry entry = {.name = #symbol, .function = id, .status = status_argument, .words = 8};  \
        const intptr_t words[] = {a, b, c, d, e, f, g, h};                                                             \
        return fortran_pass(&entry, words, __builtin_return_address(0), CALL_PATH_FRAME);                              \
    }
#define FORTRAN_ENTRY_16(symbol, id, status_argument)                                                                  \
    PILGRIM_API intptr_t symbol(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,        \
                                intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);       \
    intptr_t symbol(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h,    \
                    intptr_t i, intptr_t j, intptr_t k, intptr_t l, intptr_t m, intptr_t n, intptr_t o, intptr_t p)    \
    {                                                                                                                  \
        static struct fortran_entry entry = {.name = #symbol, .function = id, .status = status_argument, .words = 16}; \
        const intptr_t words[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};                                     \
        return fortran_pass(&entry, words, __builtin_return_address(0), CALL_PATH_FRAME);                              \
    }
#define FORTRAN_ENTRY_REAL(symbol, id)                                                                                 \
    PILGRIM_API double symbol(void);                                                                                   \
    double symbol(void)                                                                                                \
    {                                                                                                                  \
        static struct fortran_entry entry = {.name = #symbol, .function = id, .status = -1, .words = 8};               \
        double result = fortran_pass_real(&entry, __builtin_return_address(0), CALL_PATH_FRAME);                       \
        __asm__ volatile(""); /* no jump to it: then the frame would be gone */                                        \
        return result;                                                                                                 \
    }

/* ---- functions whose Fortran form calls no C function of their name; gen/overrides ---- */

struct fortran_direct {
    uint32_t function;
    bool after; /* to be called after the Fortran function, unless that failed; else in place of it */
    int error;  /* index of ierror among the arguments; -1: the function has none */
    void (*call)(
        const intptr_t *words); /* converts the arguments and calls the C wrapper, which calls the Fortran function */
};

extern const struct fortran_direct fortran_directs[]; /* generated */
extern const size_t fortran_direct_count;

/* Returns this thread's call from Fortran if it is one of FUNCTION and was not taken before; else NULL. */
struct fortran_call *fortran_take(uint32_t function);

/* Calls the Fortran function of CALL. IERROR: index of that argument, which the program may have left out. Returns the
 * error code. */
int fortran_run_taken(const struct fortran_call *call, unsigned ierror);

static inline MPI_Fint fortran_integer(intptr_t word)
{
    return *(const MPI_Fint *)word;
}

/* Returns a key of attributes as a C value. In MPICH, the keys of predefined attributes have another number in Fortran,
 * the one after C's. */
static inline int fortran_keyval(intptr_t word)
{
    int keyval = fortran_integer(word);
#ifdef MPICH
    if (keyval >> 30 == 1 && !(keyval & 1))
        keyval--;
#endif
    return keyval;
}

enum { FORTRAN_TEXT_BYTES = (MPI_MAX_INFO_VAL > MPI_MAX_INFO_KEY ? MPI_MAX_INFO_VAL : MPI_MAX_INFO_KEY) + 1 };

/* Copies the string at WORD, of LENGTH characters, to TO without the blanks at its ends. Returns TO. Longer strings,
 * which are cut, are no keys of an info object. */
const char *fortran_text(char to[FORTRAN_TEXT_BYTES], intptr_t word, intptr_t length);

static inline MPI_Aint fortran_address(intptr_t word)
{
    return *(const MPI_Aint *)word;
}

#endif
