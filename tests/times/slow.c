/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of ranks, one of which sleeps for 10 ms in each round, so that the others wait for it.
 *
 *     slow RANK ROUNDS */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank, size, slow = argc > 1 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds; i++) {
        int from = i, to;
        if (rank == slow)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        MPI_Sendrecv(&from, 1, MPI_INT, (rank + 1) % size, 1, &to, 1, MPI_INT, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* nobody waits in MPI_Finalize, where Pilgrim itself reads the clock */
    MPI_Finalize();
    return 0;
}
