/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: what calls from Fortran create and free (fortran/fortran_hidden.h). */
#include "fortran/fortran_hidden.h"
#include "functions.h"

const struct fortran_handle fortran_handles[] = {
};

const size_t fortran_handle_count = sizeof fortran_handles / sizeof *fortran_handles;
