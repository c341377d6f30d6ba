/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI library of the traced program: which one it is, and where its functions and variables are.
 *
 * Include this instead of <mpi.h>. MPI's constants may be variables of the library (MPI_COMM_WORLD of Open MPI,
 * MPI_UNWEIGHTED of MPICH). The linker would bind a plain reference to them when Pilgrim is loaded. There may be no
 * MPI yet then, or never one. So they are pointers here, which mpi_library_bind sets. */
#ifndef PILGRIM_MPI_LIBRARY_H
#define PILGRIM_MPI_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi_features.h"  /* generated */
#include "mpi_functions.h" /* generated */
#include "mpi_symbols.h"   /* generated */

#define MPI_LIBRARY_DECLARE(symbol) extern void *mpi_symbol_##symbol;
MPI_LIBRARY_SYMBOLS(MPI_LIBRARY_DECLARE)
#undef MPI_LIBRARY_DECLARE

#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, symbol) ((type)mpi_symbol_##symbol)
#elif !defined MPI_UNWEIGHTED /* with the ABI of MPI 5 they are numbers */
#define MPI_UNWEIGHTED         (*(int *const *)mpi_symbol_MPI_UNWEIGHTED)
#define MPI_WEIGHTS_EMPTY      (*(int *const *)mpi_symbol_MPI_WEIGHTS_EMPTY)
#define MPI_T_PVAR_ALL_HANDLES (*(MPI_T_pvar_handle *)mpi_symbol_MPI_T_PVAR_ALL_HANDLES)
#endif

/* MPI-4.1. A library that is newer than this mpi.h has MPICH's value; Open MPI's mpi.h has had the name since it has
 * it. */
#if !defined MPI_BUFFER_AUTOMATIC && !defined OPEN_MPI
#define MPI_BUFFER_AUTOMATIC ((void *)-2)
#endif

/* Integers of a Fortran status; MPI-4 has this name. */
#ifndef MPI_F_STATUS_SIZE
#define MPI_F_STATUS_SIZE ((int)(sizeof(MPI_Status) / sizeof(MPI_Fint)))
#endif

enum mpi_library {
    MPI_LIBRARY_NONE,      /* no MPI in this process so far */
    MPI_LIBRARY_BUILT_FOR, /* the one that Pilgrim was built for: its variables are known from now on */
    MPI_LIBRARY_OTHER,     /* another one: its handles are of another type, so no call may pass through a wrapper */
};

/* Looks for MPI among what the process has loaded, and sets the pointers to its functions and variables. In
 * this order:
 *   1. the names that the whole process sees;
 *   2. the libraries of the module in which SITE lies, the call site of an MPI function: a plugin that was opened
 *      so that nobody else sees its names (RTLD_LOCAL), as Python's modules are;
 *   3. all that is loaded.
 *
 * In cases 2 and 3 the library stays loaded until the process ends.
 *
 * SITE NULL: only 1 is tried. SITE not NULL: PMPI may be called afterwards, whatever is returned. Without a library
 * each function then calls mpi_library_missing_hook, once in a process, and returns an error code. But
 * MPI_Initialized and MPI_Finalized answer no, because programs call them to find out if there is MPI.
 *
 * Several threads may do this at once; they find the same. They take no lock but the loader's own: one of them may
 * be in a constructor, and so hold that lock already. */
enum mpi_library mpi_library_bind(const void *site);

/* Returns the address of NAME in the library, or NULL. After mpi_library_bind. */
void *mpi_library_symbol(const char *name);

/* Returns where a call of MPI_X, which NAME says, goes on to: a tool behind this library, or MPI. NULL: it is no
 * function that is recorded, or MPI is linked into the program. After mpi_library_bind. */
const void *mpi_library_next(const char *name);

/* The program asks the loader for NAME in the library HANDLE, which it has opened. True if that is a function of the
 * MPI that this process uses: the one that is known, or, if none is, the one that the program asked for first. Any
 * other one is left alone, because MPI may be one library in front of another; and so is a function that a tool behind
 * this library has. */
bool mpi_library_asked(void *handle, const char *name);

/* Writes into TEXT, of ROOM bytes, as "MPI_X, MPI_Y and 3 more", the functions of the library that this build does not
 * know, so that they are not recorded: the library is newer. Returns how many there are. After mpi_library_bind. */
size_t mpi_library_unknown(char *text, size_t room);

/* The same for the functions whose calls another object gets, because it comes before this library. *OBJECT is the file
 * of the first one, if there is any. */
size_t mpi_library_hidden(char *text, size_t room, const char **object);

/* Called once by the functions that stand for those of a missing library, to tell the user. May be NULL. */
extern void (*mpi_library_missing_hook)(void);

extern const char mpi_library_built_for[]; /* "MPICH" or "Open MPI" */
extern const char *mpi_library_other;      /* the name of the other library, for MPI_LIBRARY_OTHER */

#endif
