/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: conversions for direct functions of Fortran (fortran/fortran.h). */
#include "fortran_directs.h"

#include "mpi/entry.h"
#include "fortran/fortran.h"
#include "functions.h"


const struct fortran_direct fortran_directs[] = {
};

const size_t fortran_direct_count = sizeof fortran_directs / sizeof *fortran_directs;
