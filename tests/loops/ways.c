/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a thread that reaches a call in 2^15 ways, more than a process has paths for. Before that and after it
 * another thread calls a function, in two ways. Nothing is inlined, and no call is a jump. */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

#define FUNCTION __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

enum { CHOICES = 15 };

static int values[4];

/* Bit by bit, the numbers below 2^BITS. */
FUNCTION static void choose(int bits)
{
    if (bits == 0) {
        MPI_Barrier(MPI_COMM_SELF);
        values[2]++;
        return;
    }
    choose(bits - 1);
    values[2]++;
    choose(bits - 1);
    values[2]++;
}

static void *run(void *unused)
{
    choose(CHOICES);
    return unused;
}

FUNCTION static void settle(void)
{
    MPI_Bcast(values, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(values, values + 1, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    values[2]++;
}

FUNCTION static void settle_again(void)
{
    settle();
    values[2]++;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    settle();
    if (pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
    settle_again();
    MPI_Finalize();
    return 0;
}
