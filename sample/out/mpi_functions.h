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
    __typeof__(PMPI_Comm_free) *PMPI_Comm_free;
    __typeof__(PMPI_Finalize) *PMPI_Finalize;
    __typeof__(PMPI_Gatherv) *PMPI_Gatherv;
    __typeof__(PMPI_Isend) *PMPI_Isend;
    __typeof__(PMPI_Recv) *PMPI_Recv;
    __typeof__(PMPI_Testany) *PMPI_Testany;
    __typeof__(PMPI_Type_create_hindexed_c) *PMPI_Type_create_hindexed_c;
    __typeof__(PMPI_Waitall) *PMPI_Waitall;
    __typeof__(PMPI_Wtime) *PMPI_Wtime;
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
#define PMPI_Comm_free (*mpi_functions.PMPI_Comm_free)
#define PMPI_Finalize (*mpi_functions.PMPI_Finalize)
#define PMPI_Gatherv (*mpi_functions.PMPI_Gatherv)
#define PMPI_Isend (*mpi_functions.PMPI_Isend)
#define PMPI_Recv (*mpi_functions.PMPI_Recv)
#define PMPI_Testany (*mpi_functions.PMPI_Testany)
#define PMPI_Type_create_hindexed_c (*mpi_functions.PMPI_Type_create_hindexed_c)
#define PMPI_Waitall (*mpi_functions.PMPI_Waitall)
#define PMPI_Wtime (*mpi_functions.PMPI_Wtime)
#endif

#endif
