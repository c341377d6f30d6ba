/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls whose text has more to say than numbers: errors, long arrays, names of communicators. On 2 ranks. */
#include <mpi.h>
#include <stdlib.h>

enum { BLOCKS = 4096, ROUNDS = 20 };

int main(int argc, char **argv)
{
    int rank, size, one = 1, two[2] = {0, 0}, *blocks = malloc(BLOCKS * sizeof *blocks);
    MPI_Comm workers, again;
    MPI_Datatype type;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &workers);
    MPI_Comm_set_name(workers, "the \"workers\"");
    MPI_Send(&one, 1, MPI_INT, 999, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(two, 2, MPI_INT, 1 - rank, 7, &one, 1, MPI_INT, 1 - rank, 7, workers, &status);
    for (int i = 0; i < ROUNDS; i++)
        MPI_Wtime();
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = 3 * i;
    MPI_Type_create_indexed_block(BLOCKS, 2, blocks, MPI_INT, &type);
    MPI_Type_free(&type);
    MPI_Comm_set_name(workers, "others");
    MPI_Barrier(workers);
    MPI_Comm_free(&workers);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &again);
    MPI_Barrier(again);
    MPI_Comm_free(&again);
    MPI_Finalize();
    free(blocks);
    return 0;
}
