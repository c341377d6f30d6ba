/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the functions of the MPI library. */
#define MPI_FUNCTIONS_OWN_NAMES 1
#include "mpi_functions.h"

#ifdef PILGRIM_STATIC
/* MPI is part of the program. */
struct mpi_functions mpi_functions = {
    .PMPI_Comm_free = PMPI_Comm_free,
    .PMPI_Finalize = PMPI_Finalize,
    .PMPI_Gatherv = PMPI_Gatherv,
    .PMPI_Isend = PMPI_Isend,
    .PMPI_Recv = PMPI_Recv,
    .PMPI_Testany = PMPI_Testany,
    .PMPI_Type_create_hindexed_c = PMPI_Type_create_hindexed_c,
    .PMPI_Waitall = PMPI_Waitall,
    .PMPI_Wtime = PMPI_Wtime,
};
#else
struct mpi_functions mpi_functions;
#endif

const struct mpi_function mpi_function_table[] = {
    {"PMPI_Comm_free", (void **)(void *)&mpi_functions.PMPI_Comm_free},
    {"PMPI_Finalize", (void **)(void *)&mpi_functions.PMPI_Finalize},
    {"PMPI_Gatherv", (void **)(void *)&mpi_functions.PMPI_Gatherv},
    {"PMPI_Isend", (void **)(void *)&mpi_functions.PMPI_Isend},
    {"PMPI_Recv", (void **)(void *)&mpi_functions.PMPI_Recv},
    {"PMPI_Testany", (void **)(void *)&mpi_functions.PMPI_Testany},
    {"PMPI_Type_create_hindexed_c", (void **)(void *)&mpi_functions.PMPI_Type_create_hindexed_c},
    {"PMPI_Waitall", (void **)(void *)&mpi_functions.PMPI_Waitall},
    {"PMPI_Wtime", (void **)(void *)&mpi_functions.PMPI_Wtime},
};

const size_t mpi_function_count = sizeof mpi_function_table / sizeof *mpi_function_table;
