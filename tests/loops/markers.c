/* SPDX-License-Identifier: BSD-3-Clause */
/* Markers of all kinds: alone, in loops, in functions, with several texts at one place, with texts that ranks have for
 * themselves, and one that only some ranks have. */
#include <mpi.h>
#include <stdio.h>

#include "pilgrim/pilgrim.h"

static void __attribute__((noinline)) begin(const char *name)
{
    pilgrim_marker(name);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    char own[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin("setup");
    for (int i = 0; i < 3; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    pilgrim_marker("solve");
    for (int i = 0; i < 40; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 6; i++) {
        pilgrim_marker("step");
        MPI_Barrier(MPI_COMM_WORLD);
        pilgrim_marker(i % 2 ? "odd" : "even");
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    if (rank == 0)
        pilgrim_marker("of rank 0");
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(own, sizeof own, "rank %d", rank);
    pilgrim_marker(own);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
