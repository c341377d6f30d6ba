/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: a pointer to each function of the MPI library that is recorded; for mpi/mpi_library.h.
 *
 * The functions' names are macros for these pointers. If this library referred to the functions themselves, it could
 * be loaded only into processes with MPI, and only if MPI's names were visible in the whole process. */
#ifndef PILGRIM_MPI_FUNCTIONS_H
#define PILGRIM_MPI_FUNCTIONS_H

#include <mpi.h>
#include <stddef.h>

struct mpi_functions {
    __typeof__(PMPI_Wait) *PMPI_Wait;
};

/* Set by mpi_library_bind. */
extern struct mpi_functions mpi_functions __attribute__((visibility("hidden")));

struct mpi_function {
    const char *name;
    void **address;
};

extern const struct mpi_function mpi_function_table[] __attribute__((visibility("hidden")));
extern const size_t mpi_function_count __attribute__((visibility("hidden")));

#ifndef MPI_FUNCTIONS_OWN_NAMES
#define PMPI_Wait (*mpi_functions.PMPI_Wait)
#endif

#endif
