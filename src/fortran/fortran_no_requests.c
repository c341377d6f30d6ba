/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with no requests. Open MPI's Fortran layer answers them without calling the C function. The C function has the
 * same result, so the entry calls it afterwards. */
#include "fortran/fortran_no_requests.h"

#include "fortran/fortran.h"
#include "functions.h"

/* The wrapper of function NAME, even if another library's function has that name. */
#define WRAPPER(name) ((__typeof__(&name))entry_##name)

extern void *entry_MPI_Waitall, *entry_MPI_Waitany, *entry_MPI_Waitsome, *entry_MPI_Testall, *entry_MPI_Testany,
    *entry_MPI_Testsome, *entry_MPI_Startall;

static bool nothing(const intptr_t *words)
{
    return fortran_integer(words[0]) == 0;
}

bool fortran_replay_no_requests(uint32_t function, const intptr_t *words)
{
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Status status;
    int index, flag;
    switch (function) {
    case FUNCTION_MPI_Waitall:
        return nothing(words) && (WRAPPER(MPI_Waitall)(0, &none, &status), true);
    case FUNCTION_MPI_Waitany:
        return nothing(words) && (WRAPPER(MPI_Waitany)(0, &none, &index, &status), true);
    case FUNCTION_MPI_Waitsome:
        return nothing(words) && (WRAPPER(MPI_Waitsome)(0, &none, &flag, &index, &status), true);
    case FUNCTION_MPI_Testall:
        return nothing(words) && (WRAPPER(MPI_Testall)(0, &none, &flag, &status), true);
    case FUNCTION_MPI_Testany:
        return nothing(words) && (WRAPPER(MPI_Testany)(0, &none, &index, &flag, &status), true);
    case FUNCTION_MPI_Testsome:
        return nothing(words) && (WRAPPER(MPI_Testsome)(0, &none, &flag, &index, &status), true);
    case FUNCTION_MPI_Startall:
        return nothing(words) && (WRAPPER(MPI_Startall)(0, &none), true);
    default:
        return false;
    }
}
