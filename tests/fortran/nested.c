/* nested: a C function that MPI calls within a call from Fortran, and that wants a status although the outer call does
 * not. Fortran's side is called by its symbols. */
#include <mpi.h>
#include <stdio.h>

void mpi_init_(MPI_Fint *ierror);
void mpi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror);

static int on_query(void *extra, MPI_Status *status)
{
    int out = 5, in = 0;
    MPI_Status own;

    own.MPI_TAG = own.MPI_SOURCE = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 7, &in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &own);
    *(int *)extra = in == 5 && own.MPI_TAG == 7 && own.MPI_SOURCE == 0;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int on_free(void *extra)
{
    return extra ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int on_cancel(void *extra, int complete)
{
    (void)complete;
    return on_free(extra);
}

int main(void)
{
    int good = 0;
    MPI_Request request;
    MPI_Fint handle, error = -1;

    mpi_init_(&error); /* without it MPICH does not know MPI_F_STATUS_IGNORE */
    MPI_Grequest_start(on_query, on_free, on_cancel, &good, &request);
    MPI_Grequest_complete(request);
    handle = MPI_Request_c2f(request);
    mpi_wait_(&handle, MPI_F_STATUS_IGNORE, &error);
    puts(good && error == MPI_SUCCESS ? "nested: ok" : "nested: FAILED");
    MPI_Finalize();
    return !good;
}
/* SPDX-License-Identifier: BSD-3-Clause */
