/* SPDX-License-Identifier: BSD-3-Clause */
/* Some ranks make calls that others do not: which ones must be told. */
#include <mpi.h>

static int rank, size;

static __attribute__((noinline)) void step(void)
{
    int flag, version, subversion;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Get_version(&version, &subversion);
    if (rank != 2)
        MPI_Initialized(&flag);
    if (rank % 2 == 1)
        MPI_Finalized(&flag);
    if (rank > 0 && rank < size - 1)
        MPI_Get_processor_name(name, &flag);
    MPI_Allreduce(&rank, &flag, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        step();
    MPI_Finalize();
    return 0;
}
