/* SPDX-License-Identifier: BSD-3-Clause */
/* Written by pilgrim-gen: where calls of PMPI_X from MPI's Fortran layer go (fortran/fortran_layer.h). */
#include "mpi/entry.h"
#include "mpi/mpi_library.h"
#include "fortran/fortran_layer.h"
#include "wrap/fortran_call.h"
#include "functions.h"


extern void *entry_MPI_Comm_free;

static int slot_MPI_Comm_free(MPI_Comm *comm)
{
    if (fortran_expects(FUNCTION_MPI_Comm_free))
        return ((int(*)(MPI_Comm *comm))entry_MPI_Comm_free)(comm);
    return PMPI_Comm_free(comm);
}

extern void *entry_MPI_Finalize;

static int slot_MPI_Finalize(void)
{
    if (fortran_expects(FUNCTION_MPI_Finalize))
        return ((int(*)(void))entry_MPI_Finalize)();
    return PMPI_Finalize();
}

extern void *entry_MPI_Gatherv;

static int slot_MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                            const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    if (fortran_expects(FUNCTION_MPI_Gatherv))
        return ((int(*)(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                const int recvcounts[], const int *displs, MPI_Datatype recvtype, int root,
                MPI_Comm comm))entry_MPI_Gatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                root, comm);
    return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
}

extern void *entry_MPI_Isend;

static int slot_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                          MPI_Request *request)
{
    if (fortran_expects(FUNCTION_MPI_Isend))
        return ((int(*)(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request *request))entry_MPI_Isend)(buf, count, datatype, dest, tag, comm, request);
    return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
}

extern void *entry_MPI_Recv;

static int slot_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                         MPI_Status *status)
{
    if (fortran_expects(FUNCTION_MPI_Recv))
        return ((int(*)(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Status *status))entry_MPI_Recv)(buf, count, datatype, source, tag, comm, status);
    return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}

extern void *entry_MPI_Testany;

static int slot_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
    if (fortran_expects(FUNCTION_MPI_Testany))
        return ((int(*)(int count, MPI_Request array_of_requests[], int *index, int *flag,
                MPI_Status *status))entry_MPI_Testany)(count, array_of_requests, index, flag, status);
    return PMPI_Testany(count, array_of_requests, index, flag, status);
}

extern void *entry_MPI_Type_create_hindexed_c;

static int slot_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                           const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                           MPI_Datatype *newtype)
{
    if (fortran_expects(FUNCTION_MPI_Type_create_hindexed_c))
        return ((int(*)(MPI_Count count, const MPI_Count array_of_blocklengths[],
                const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                MPI_Datatype *newtype))entry_MPI_Type_create_hindexed_c)(count, array_of_blocklengths,
                array_of_displacements, oldtype, newtype);
    return PMPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

extern void *entry_MPI_Waitall;

static int slot_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    if (fortran_expects(FUNCTION_MPI_Waitall))
        return ((int(*)(int count, MPI_Request array_of_requests[],
                MPI_Status *array_of_statuses))entry_MPI_Waitall)(count, array_of_requests, array_of_statuses);
    return PMPI_Waitall(count, array_of_requests, array_of_statuses);
}

extern void *entry_MPI_Wtime;

static double slot_MPI_Wtime(void)
{
    if (fortran_expects(FUNCTION_MPI_Wtime))
        return ((double(*)(void))entry_MPI_Wtime)();
    return PMPI_Wtime();
}

const struct fortran_slot fortran_slots[] = {
    {"MPI_Comm_free", (void *)slot_MPI_Comm_free},
    {"MPI_Finalize", (void *)slot_MPI_Finalize},
    {"MPI_Gatherv", (void *)slot_MPI_Gatherv},
    {"MPI_Isend", (void *)slot_MPI_Isend},
    {"MPI_Recv", (void *)slot_MPI_Recv},
    {"MPI_Testany", (void *)slot_MPI_Testany},
    {"MPI_Type_create_hindexed_c", (void *)slot_MPI_Type_create_hindexed_c},
    {"MPI_Waitall", (void *)slot_MPI_Waitall},
    {"MPI_Wtime", (void *)slot_MPI_Wtime},
};

const size_t fortran_slot_count = sizeof fortran_slots / sizeof *fortran_slots;
