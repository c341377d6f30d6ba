/* SPDX-License-Identifier: BSD-3-Clause */
/* A library whose constructor calls MPI, before those of the libraries that were loaded before it. */
#include <mpi.h>

__attribute__((constructor)) static void begin(void)
{
    int flag;
    MPI_Initialized(&flag);
}
