/* again: calls whose arguments are regular for a long time, then random, then regular again.
 *
 * Exercises: classes that are unzipped after more calls than are recorded anew, once and twice; keys of other shapes
 * before, during and after that; values that come again in the middle of a run of random ones. */
#include "expect.h"

enum { CALLS = 11010, FIRST = 9000, LAST = 11000 };

static unsigned state;

static int draw(int below)
{
    state = state * 1103515245u + 12345u;
    return (int)((state >> 8) % (unsigned)below);
}

/* Another shape while the tags are random. */
static void one_phase(void)
{
    int buffer = 0;
    void *const places[] = {NULL, &buffer};

    for (int i = 0; i < CALLS; i++) {
        volatile int random = i >= FIRST && i < LAST; /* or the compiler makes two call sites of it */

        MPI_Send(places[random], 0, MPI_INT, MPI_PROC_NULL, random ? draw(30000) : 0, MPI_COMM_WORLD);
    }
}

/* The shape from before among the random ones, and then other arguments that are random. */
static void two_phases(void)
{
    int buffer[4] = {0};
    void *const places[] = {NULL, buffer};

    for (int i = 0; i < CALLS + 3000; i++) {
        volatile int random = i >= FIRST && i < LAST, later = i >= CALLS && i < CALLS + 2000;

        MPI_Send(places[i % 3 > 0], later && i % 3 ? draw(5) : 0, MPI_INT, MPI_PROC_NULL,
                 random && i % 3 ? draw(20000) : i % 2, later && i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD);
    }
}

/* Two arguments that become random one after the other. */
static void two_arguments(void)
{
    char bytes[4096] = {0};

    for (int i = 0; i < CALLS + 3000; i++) {
        volatile int tag = i >= FIRST && i < LAST - 500, count = i >= LAST && i < CALLS + 2500;

        MPI_Send(bytes, count ? draw(4000) : 8, MPI_BYTE, MPI_PROC_NULL, tag || (count && i % 4 == 0) ? draw(9000) : 3,
                 MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = (unsigned)rank;
    one_phase();
    two_phases();
    two_arguments();
    status = expect_verdict("again", MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
/* SPDX-License-Identifier: BSD-3-Clause */
