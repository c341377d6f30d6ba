/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: where calls of PMPI_X from MPI's Fortran layer go (fortran/fortran_layer.h). */
#include "mpi/entry.h"
#include "mpi/mpi_library.h"
#include "fortran/fortran_layer.h"
#include "wrap/fortran_call.h"
#include "functions.h"


extern void *entry_MPI_Wait;

static int slot_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (fortran_expects(FUNCTION_MPI_Wait))
        return ((int(*)(MPI_Request *request, MPI_Status *status))entry_MPI_Wait)(request, status);
    return PMPI_Wait(request, status);
}

const struct fortran_slot fortran_slots[] = {
    {"MPI_Wait", (void *)slot_MPI_Wait},
};

const size_t fortran_slot_count = sizeof fortran_slots / sizeof *fortran_slots;
