/* Written by pilgrim-gen: what the wrappers of direct functions call in place of PMPI_X (capture/fortran.h). */
#ifndef PILGRIM_FORTRAN_DIRECTS_H
#define PILGRIM_FORTRAN_DIRECTS_H

#include "objects/mpi_library.h"


#endif
