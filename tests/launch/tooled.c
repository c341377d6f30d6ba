/* SPDX-License-Identifier: BSD-3-Clause */
/* tooled: what tool.c counts, and MPI_Comm_size and barriers, by a pointer: linked at a fixed address (-no-pie), the
 * program has a jump under the name of MPI_Barrier. */
#include <mpi.h>

static int (*volatile barrier)(MPI_Comm) = MPI_Barrier;

int main(int argc, char **argv)
{
    int rank, size, sent = 1, received;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++) {
        MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 3, &received, 1, MPI_INT, (rank + size - 1) % size, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
