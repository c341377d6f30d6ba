/* Written by pilgrim-gen: where MPI's Fortran layer is led to when it calls PMPI_X (capture/fortran.h). */
#include "capture/entry.h"
#include "capture/fortran.h"
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
