/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: the names that Fortran programs call (fortran/fortran.h). */
#include "fortran/fortran.h"
#include "functions.h"

FORTRAN_ENTRY_8(mpi_wait, FUNCTION_MPI_Wait, 0)
FORTRAN_ENTRY_8(mpi_wait_, FUNCTION_MPI_Wait, 0)
FORTRAN_ENTRY_8(mpi_wait__, FUNCTION_MPI_Wait, 0)
FORTRAN_ENTRY_8(MPI_WAIT, FUNCTION_MPI_Wait, 0)
FORTRAN_ENTRY_8(mpi_wait_f08_, FUNCTION_MPI_Wait, 0)
FORTRAN_ENTRY_8(mpi_wait_f08ts_, FUNCTION_MPI_Wait, 0)
