/* Written by pilgrim-gen: Fortran functions that call no C function of their name (capture/fortran.h). */
#include "fortran_directs.h"

#include "capture/entry.h"
#include "capture/fortran.h"
#include "functions.h"


const struct fortran_direct fortran_directs[] = {
};

const size_t fortran_direct_count = sizeof fortran_directs / sizeof *fortran_directs;
