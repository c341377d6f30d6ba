/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI library of the traced program: which one it is, where its functions and its data are.
 *
 * Included in place of <mpi.h>. MPI's constants may be variables of the library (MPI_COMM_WORLD of Open MPI,
 * MPI_UNWEIGHTED of MPICH). A plain reference to them would be bound when this library is loaded, where there may be no
 * MPI yet, or never one: here they are pointers, which mpi_library_bind sets. */
#ifndef PILGRIM_MPI_LIBRARY_H
#define PILGRIM_MPI_LIBRARY_H

#include <mpi.h>

#include "mpi_functions.h" /* generated */
#include "mpi_symbols.h"   /* generated */

#define MPI_LIBRARY_DECLARE(symbol) extern void *mpi_symbol_##symbol;
MPI_LIBRARY_SYMBOLS(MPI_LIBRARY_DECLARE)
#undef MPI_LIBRARY_DECLARE

#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, symbol) ((type)mpi_symbol_##symbol)
#else
#define MPI_UNWEIGHTED         (*(int *const *)mpi_symbol_MPI_UNWEIGHTED)
#define MPI_WEIGHTS_EMPTY      (*(int *const *)mpi_symbol_MPI_WEIGHTS_EMPTY)
#define MPI_T_PVAR_ALL_HANDLES (*(MPI_T_pvar_handle *)mpi_symbol_MPI_T_PVAR_ALL_HANDLES)
#endif

/* Integers of a Fortran status; of MPI-4. */
#ifndef MPI_F_STATUS_SIZE
#define MPI_F_STATUS_SIZE ((int)(sizeof(MPI_Status) / sizeof(MPI_Fint)))
#endif

enum mpi_library {
    MPI_LIBRARY_NONE,      /* no MPI in this process so far */
    MPI_LIBRARY_BUILT_FOR, /* the one that Pilgrim was built for: its variables are known from now on */
    MPI_LIBRARY_OTHER,     /* another one: its handles are of another type, no call may pass through a wrapper */
};

/* Looks for MPI among what the process has loaded:
 *   1. the names that the whole process sees;
 *   2. the libraries of the module that SITE, the caller of an MPI function, lies in: a plugin that was opened so that
 *      nobody else sees its names (RTLD_LOCAL), as Python's modules are;
 *   3. all that is loaded.
 * Where the names are not for all to see the library stays loaded until the process ends.
 * site: NULL: only 1. Not NULL: PMPI may be called afterwards, whatever is returned: without a library each function
 * says so, once, and returns an error code, but for MPI_Initialized and MPI_Finalized, which answer no, as programs
 * ask them to find out whether there is MPI.
 * Several threads at once do the same. They take no lock but the loader's own: one of them may be in a constructor, and
 * so hold that already. */
enum mpi_library mpi_library_bind(const void *site);

/* After mpi_library_bind: NAME in the library, or NULL. */
void *mpi_library_symbol(const char *name);

/* Called by the functions that stand for those of a missing library. */
extern void (*mpi_library_missing_hook)(void);

extern const char mpi_library_built_for[]; /* "MPICH" or "Open MPI" */
extern const char *mpi_library_other;      /* what MPI_LIBRARY_OTHER is */

#endif
