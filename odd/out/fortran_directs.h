/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: what wrappers of direct functions call in place of PMPI_X (fortran/fortran.h). */
#ifndef PILGRIM_FORTRAN_DIRECTS_H
#define PILGRIM_FORTRAN_DIRECTS_H

#include "mpi/mpi_library.h"


#endif
