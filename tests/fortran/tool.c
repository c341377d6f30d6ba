/* tool: a PMPI tool, that takes the C functions it is compiled for and goes on to PMPI by itself. With FORTRAN it has
 * Fortran functions, too; one of them goes on to PMPI's Fortran function, one to its C function. */
#include <mpi.h>

#ifdef HIDE_Init
int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}
#endif
#ifdef HIDE_Finalize
int MPI_Finalize(void)
{
    return PMPI_Finalize();
}
#endif
#ifdef HIDE_Wtime
double MPI_Wtime(void)
{
    return PMPI_Wtime();
}
#endif
#ifdef HIDE_Isend
int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Isend(buf, count, type, dest, tag, comm, request);
}
#endif
#ifdef HIDE_Irecv
int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Irecv(buf, count, type, source, tag, comm, request);
}
#endif
#ifdef HIDE_Wait
int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return PMPI_Wait(request, status);
}
#endif
#ifdef HIDE_Waitall
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    return PMPI_Waitall(count, requests, statuses);
}
#endif
#ifdef HIDE_Start
int MPI_Start(MPI_Request *request)
{
    return PMPI_Start(request);
}
#endif
#ifdef HIDE_Comm_rank
int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return PMPI_Comm_rank(comm, rank);
}
#endif
#ifdef HIDE_Comm_size
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    return PMPI_Comm_size(comm, size);
}
#endif
#ifdef HIDE_Comm_dup
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    return PMPI_Comm_dup(comm, made);
}
#endif
#ifdef HIDE_Comm_split
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    return PMPI_Comm_split(comm, color, key, made);
}
#endif
#ifdef HIDE_Comm_free
int MPI_Comm_free(MPI_Comm *comm)
{
    return PMPI_Comm_free(comm);
}
#endif
#ifdef FORTRAN
void pmpi_init_(MPI_Fint *error);
void mpi_init_(MPI_Fint *error);
void mpi_comm_rank_(MPI_Fint *comm, MPI_Fint *rank, MPI_Fint *error);

void mpi_init_(MPI_Fint *error)
{
    pmpi_init_(error);
}

void mpi_comm_rank_(MPI_Fint *comm, MPI_Fint *rank, MPI_Fint *error)
{
    int found, size;
    MPI_Comm c = PMPI_Comm_f2c(*comm);
    PMPI_Comm_size(c, &size); /* is the tool's, not the program's */
    *error = PMPI_Comm_rank(c, &found);
    *rank = found;
}
#endif
/* SPDX-License-Identifier: BSD-3-Clause */
