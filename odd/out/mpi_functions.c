/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the functions of the MPI library. */
#define MPI_FUNCTIONS_OWN_NAMES 1
#include "mpi_functions.h"

#ifdef PILGRIM_STATIC
/* MPI is part of the program. */
struct mpi_functions mpi_functions = {
    .PMPI_Wait = PMPI_Wait,
};
#else
struct mpi_functions mpi_functions;
#endif

const struct mpi_function mpi_function_table[] = {
    {"PMPI_Wait", (void **)(void *)&mpi_functions.PMPI_Wait},
};

const size_t mpi_function_count = sizeof mpi_function_table / sizeof *mpi_function_table;
