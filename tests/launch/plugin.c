/* plugin: all the MPI of host.c; uses functions, predefined handles and variables of the library. */
#include <mpi.h>
#include <stdio.h>

int plugin_run(int *argc, char ***argv);

int plugin_run(int *argc, char ***argv)
{
    int rank, size, sum, next, previous, from = -1;
    MPI_Comm graph;
    MPI_Status status;

    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, next, i, &from, 1, MPI_INT, previous, i, MPI_COMM_WORLD, &status);
    sum = from;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_free(&graph);
    if (rank == 0)
        printf("sum %d of %d\n", sum, size);
    return MPI_Finalize();
}
/* SPDX-License-Identifier: BSD-3-Clause */
