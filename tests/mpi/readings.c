/* readings: a program that times itself. It calls MPI_Wtime at several call sites, around all other calls, twice in a
 * row, in threads, seldom and often. Of its measurements it prints only that it was quick, so that the output is the
 * same each time. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double longest;

static void note(double from, double to)
{
    if (to - from > longest)
        longest = to - from;
    if (to < from)
        printf("a clock that went backwards\n");
}

static void rest(long us)
{
    struct timespec time = {0, us * 1000};
    nanosleep(&time, NULL);
}

static void step(int i)
{
    double began = MPI_Wtime(), between, sum = 0, value = i;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    between = MPI_Wtime();
    if (i % 50 == 0)
        rest(i % 7 * 300);
    note(began, between);
    note(between, MPI_Wtime());
}

static void *work(void *argument)
{
    double last = MPI_Wtime();
    for (int i = 0; i < *(int *)argument; i++) {
        double now = MPI_Wtime();
        note(last, now);
        last = now;
        if (i % 100 == 99)
            rest(100);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, rounds = argc > 1 ? atoi(argv[1]) : 1000;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double tick = MPI_Wtick(), began = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        step(i);
    pthread_create(&thread, NULL, work, &rounds);
    pthread_join(thread, NULL);
    note(began, began + tick);
    if (rank == 0)
        printf("%s\n", longest < 60 ? "quick" : "slow");
    MPI_Finalize();
    return 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
