/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that sends its settings from rank 0 to all, one by one, with a function for each type. Nothing is inlined,
 * and no call is a jump. */
#include <mpi.h>

#define FUNCTION __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static int values[4];

FUNCTION static void send_int(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(values, 1, MPI_INT, 0, MPI_COMM_WORLD);
    values[2]++;
}

FUNCTION static void send_real(void)
{
    MPI_Bcast(values, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Bcast(values, 2, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    values[2]++;
}

FUNCTION static void deliver(void)
{
    MPI_Bcast(values, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(values, values + 1, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    values[2]++;
}

FUNCTION static void send_text(void)
{
    deliver();
    values[2]++;
}

FUNCTION static void settings(void)
{
    send_int();
    send_real();
    send_int();
    send_real(); /* two lines are no run */
    send_text();
    deliver();
    send_int();
    send_text();
    send_real();
    send_int();
    MPI_Barrier(MPI_COMM_WORLD);
    send_real();
    send_int();
    send_real();
    values[2]++;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    settings();
    MPI_Finalize();
    return 0;
}
