/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that come in a part of the iterations: as a whole, with a loop in them, and with a call that only rank 0
 * makes; and one of which each half of the iterations has another part. */
#include <mpi.h>

static int rank, size;

__attribute__((always_inline)) static inline void ring(void)
{
    for (int i = 0; i < 3; i++) {
        int out = i, in;
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

__attribute__((noinline)) static void refine(void)
{
    int value = rank, sum;
    if (rank == 0)
        (void)MPI_Wtime();
    ring();
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noinline)) static void either(int which)
{
    int value = 1;
    if (which)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        ring();
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 24; i++) {
        int value = i, least;
        MPI_Reduce(&value, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
        if (i % 4 == 1)
            refine();
        MPI_Bcast(&least, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 24; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        either(i % 2);
    }
    MPI_Finalize();
    return 0;
}
