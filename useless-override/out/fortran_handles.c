/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: what calls from Fortran create and free (fortran/fortran_hidden.h). */
#include "fortran/fortran_hidden.h"
#include "functions.h"

const struct fortran_handle fortran_handles[] = {
    {.function = FUNCTION_MPI_Wait, .word = 0, .error = 2, .what = HANDLE_COMPLETED, .other = -1},
};

const size_t fortran_handle_count = sizeof fortran_handles / sizeof *fortran_handles;
