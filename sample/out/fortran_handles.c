/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: what calls from Fortran create and free (fortran/fortran_hidden.h). */
#include "fortran/fortran_hidden.h"
#include "functions.h"

const struct fortran_handle fortran_handles[] = {
    {.function = FUNCTION_MPI_Comm_free, .word = 0, .error = 1, .what = HANDLE_RELEASED, .kind = KIND_COMM},
    {.function = FUNCTION_MPI_Isend, .word = 6, .error = 7, .what = HANDLE_BEGUN, .other = 5, .request = {REQUEST_SEND,
     false}},
    {.function = FUNCTION_MPI_Testany, .word = 1, .error = 5, .what = HANDLE_COMPLETED, .other = 0},
    {.function = FUNCTION_MPI_Type_create_hindexed_c, .word = 4, .error = 5, .what = HANDLE_NEW, .kind = KIND_DATATYPE,
     .other = -1, .flag = -1},
    {.function = FUNCTION_MPI_Waitall, .word = 1, .error = 3, .what = HANDLE_COMPLETED, .other = 0},
};

const size_t fortran_handle_count = sizeof fortran_handles / sizeof *fortran_handles;
