/* SPDX-License-Identifier: BSD-3-Clause */
/* follows [SIGNAL]: rank 0 of three kills rank 2, waits until it has gone, and then ends itself, by exit or SIGNAL.
 * Rank 1 follows in silence. Each is in a session of its own, so that the launcher does not reach it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A zombie has ended, too: who should wait for it may have been killed. */
static int is_there(int process)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d %*s %c", &state) != 1)
        state = 'Z';
    if (file)
        fclose(file);
    return state != 'Z' && state != 'X';
}

static void wait_for(int process)
{
    while (is_there(process))
        usleep(1000);
}

int main(int argc, char **argv)
{
    int rank, all[3], own = (int)getpid();
    setsid();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0) {
        kill(all[2], SIGKILL);
        wait_for(all[2]);
        if (argc > 1)
            raise(atoi(argv[1]));
        exit(3);
    }
    if (rank == 1) {
        wait_for(all[0]);
        _exit(0);
    }
    for (;;)
        pause();
}
