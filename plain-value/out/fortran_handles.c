/* Written by pilgrim-gen: what calls from Fortran make and free (capture/fortran_unseen.h). */
#include "capture/fortran_unseen.h"
#include "functions.h"

const struct fortran_handle fortran_handles[] = {
};

const size_t fortran_handle_count = sizeof fortran_handles / sizeof *fortran_handles;
