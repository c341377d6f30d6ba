/* Mistakes that MPI gets over (tests/waits): a message that is truncated, one that nobody receives, a request that is
 * never completed, a receive that is cancelled by nobody, roots that differ. For two ranks. */
#include "expect.h"

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
