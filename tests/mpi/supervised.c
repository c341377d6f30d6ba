/* SPDX-License-Identifier: BSD-3-Clause */
/* supervised [called]: a supervisor forks, and the child is the MPI program. The parent does not call MPI; "called": it
 * has called MPI_Initialized. It ends as the child does. */
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(int argc, char **argv)
{
    int rank, size, token = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++) {
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, i, &token, 1, MPI_INT, (rank + size - 1) % size, i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&token, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, sum %d\n", size, sum);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    int status = 0, flag;
    if (argc > 1)
        MPI_Initialized(&flag);
    pid_t child = fork();
    if (child > 0) {
        if (waitpid(child, &status, 0) != child)
            return 1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    if (child < 0)
        return 1;
    work(argc, argv);
    return 0;
}
