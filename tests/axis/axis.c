/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages round a ring, each after the one before, and the true time before and after each call: lines "RANK SEQ
 * BEFORE AFTER" of a file truth.RANK, ns of CLOCK_MONOTONIC, which is one for all processes of a host. Usage: axis
 * ROUNDS PAUSE_US [LATE SECONDS]: rank LATE comes to MPI_Finalize so much later. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS_MAX = 100000, FIRST_SEQ = 3 }; /* MPI_Init, MPI_Comm_rank, MPI_Comm_size */

static int64_t times[CALLS_MAX][2];
static int calls;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void send(int to, int round)
{
    times[calls][0] = now();
    MPI_Send(&round, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    times[calls++][1] = now();
}

static void receive(int from)
{
    int round;
    times[calls][0] = now();
    MPI_Recv(&round, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    times[calls++][1] = now();
}

int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 10;
    long pause_us = argc > 2 ? atol(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < rounds && calls + 2 <= CALLS_MAX; round++) {
        if (rank > 0)
            receive(rank - 1);
        send((rank + 1) % size, round);
        if (rank == 0)
            receive(size - 1);
        if (rank == 0)
            nanosleep(&(struct timespec){.tv_nsec = pause_us * 1000}, NULL);
    }
    if (argc > 4 && rank == atoi(argv[3]))
        nanosleep(&(struct timespec){.tv_sec = atol(argv[4])}, NULL);
    MPI_Finalize();
    char path[64];
    snprintf(path, sizeof path, "truth.%d", rank);
    FILE *truth = fopen(path, "w");
    for (int i = 0; i < calls && truth; i++)
        fprintf(truth, "%d %d %lld %lld\n", rank, FIRST_SEQ + i, (long long)times[i][0], (long long)times[i][1]);
    return !truth || fclose(truth);
}
