/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills the file system of the working directory between MPI_Init and MPI_Finalize. */
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char piece[4096];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    int file = rank ? -1 : open("filler", O_CREAT | O_WRONLY, 0600);
    while (file >= 0 && write(file, piece, sizeof piece) > 0)
        ;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
