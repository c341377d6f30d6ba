/* Mistakes that MPI gets over (tests/waits): a message that is truncated, one that nobody receives, a request that is
 * never completed, roots that differ, datatypes that differ, a buffer that is posted twice, objects that are never
 * freed. For an even number of ranks. */
#include "expect.h"

static int here[64];

/* What another rank would have to know to see it. */
static void differ(int rank)
{
    float reals[8];

    if (rank == 0) {
        MPI_Send(here, 8, MPI_INT, 1, 4, MPI_COMM_WORLD);
        MPI_Send(here, 8, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Send(here, 8, MPI_INT, 1, 6, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(reals, 8, MPI_FLOAT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);              /* as reals */
        MPI_Recv(here, 8, MPI_INT32_T, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);             /* that is right */
        MPI_Recv(here, (int)sizeof here, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* that is common */
    }
}

/* Two receives into the same memory; then two sends from it, and two receives side by side, which are right. */
static void post_twice(int rank)
{
    MPI_Request requests[2];
    const int other = rank ^ 1;

    MPI_Irecv(here, 8, MPI_INT, other, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(here + 7, 8, MPI_INT, other, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(here + 32, 8, MPI_INT, other, 7, MPI_COMM_WORLD);
    MPI_Send(here + 32, 8, MPI_INT, other, 8, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Isend(here, 8, MPI_INT, other, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(here, 8, MPI_INT, other, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(here + 8, 8, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(here + 16, 8, MPI_INT, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Of two sends the second one is completed first, and its buffer is used: right, though MPICH gives both one request.
 */
static void complete_second(int rank)
{
    MPI_Request requests[2];
    const int other = rank ^ 1;

    MPI_Isend(here, 8, MPI_INT, other, 10, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(here + 8, 8, MPI_INT, other, 11, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Recv(here + 8, 8, MPI_INT, other, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Recv(here, 8, MPI_INT, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* A send into whose buffer is received. */
    MPI_Isend(here + 40, 8, MPI_INT, other, 12, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv(here + 44, 8, MPI_INT, other, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void keep(int rank)
{
    MPI_Comm comm;
    MPI_Datatype types[2];
    MPI_Request request;

    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i)
            MPI_Comm_free(&comm);
    }
    for (int i = 0; i < 2; i++)
        MPI_Type_contiguous(2, MPI_INT, &types[i]);
    MPI_Type_free(&types[0]);
    MPI_Send_init(here, 1, MPI_INT, rank ^ 1, 9, MPI_COMM_WORLD, &request);
}

int main(int argc, char **argv)
{
    int data[64] = {0}, rank, i;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Send(data, 64, MPI_INT, 1, 1, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(data, 32, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* too short */
    }
    differ(rank);
    post_twice(rank);
    complete_second(rank);
    keep(rank);
    if (rank == 0)
        MPI_Send(data, 1, MPI_INT, 1, 2, MPI_COMM_WORLD); /* nobody receives it */
    if (rank == 1)
        MPI_Isend(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request); /* nobody waits for it */
    if (rank == 0)
        MPI_Recv(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(data, 0, MPI_INT, rank, MPI_COMM_WORLD); /* each is its own root */
    MPI_Finalize();
    return 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
