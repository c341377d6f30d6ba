/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for an MPI library that is newer than the one that Pilgrim was built for: it has a function of a later
 * standard, one of ULFM, and one that nobody knows. As a preload it is where the process finds PMPI_Init; all else is
 * the real library's. As a program (PROGRAM) it calls them. */
#define _GNU_SOURCE 1
#include <mpi.h>
#include <stdio.h>

#ifdef PROGRAM
int MPI_Remove_error_string(int code);
int MPI_Made_up(int number);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int removed = MPI_Remove_error_string(7), made_up = MPI_Made_up(5);
    int out = 3, in = 0;
    MPI_Comm left;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &left);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 8, &in, 1, MPI_INT, 0, 8, left, MPI_STATUS_IGNORE);
    MPI_Comm_free(&left);
    printf("%d %d %d\n", removed, made_up, in);
    return MPI_Finalize();
}
#else
#include <dlfcn.h>

int PMPI_Remove_error_string(int code);
int MPI_Remove_error_string(int code);
int PMPI_Made_up(int number);
int MPI_Made_up(int number);
int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm);

int PMPI_Init(int *argc, char ***argv)
{
    int (*real)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "PMPI_Init");
    return real(argc, argv);
}

int PMPI_Remove_error_string(int code)
{
    return code + 1000;
}

int MPI_Remove_error_string(int code)
{
    return PMPI_Remove_error_string(code);
}

int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
    return PMPI_Comm_dup(comm, newcomm);
}

int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
    return PMPIX_Comm_shrink(comm, newcomm);
}

int PMPI_Made_up(int number)
{
    return number + 2000;
}

int MPI_Made_up(int number)
{
    return PMPI_Made_up(number);
}
#endif
