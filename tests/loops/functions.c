/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose loops are in functions that call each other. Some have the symbols of C++ and Fortran. Nothing is
 * inlined but what says so, and no call is a jump. */
#include <mpi.h>

#define FUNCTION __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

enum { TAG = 5, ROUNDS = 12 };

static int rank, size, values[4];
static volatile int swaps = 5; /* so that no compiler unrolls the loop */

void exchange(int tag) __asm__("_ZN4mesh8exchangeEi");
void swap(void) __asm__("__grid_MOD_swap");

/* As many messages as there are neighbours on a line. */
FUNCTION void exchange(int tag)
{
    MPI_Request requests[4];
    int count = 0;
    if (rank > 0)
        MPI_Irecv(&values[0], 1, MPI_INT, rank - 1, tag, MPI_COMM_WORLD, &requests[count++]);
    if (rank < size - 1)
        MPI_Irecv(&values[1], 1, MPI_INT, rank + 1, tag, MPI_COMM_WORLD, &requests[count++]);
    if (rank > 0)
        MPI_Isend(&rank, 1, MPI_INT, rank - 1, tag, MPI_COMM_WORLD, &requests[count++]);
    if (rank < size - 1)
        MPI_Isend(&rank, 1, MPI_INT, rank + 1, tag, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

FUNCTION void swap(void)
{
    int other = rank ^ 1;
    if (other == size)
        other = MPI_PROC_NULL;
    MPI_Sendrecv(&values[2], 1, MPI_INT, other, TAG, &values[3], 1, MPI_INT, other, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline __attribute__((always_inline)) void reduce(void)
{
    MPI_Allreduce(&values[2], &values[3], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

FUNCTION static void norm(void)
{
    reduce();
    values[2]++;
}

FUNCTION static void step(int i)
{
    exchange(TAG);
    if (i % 3 == 0)
        norm();
    exchange(TAG + 1);
    values[2]++;
}

FUNCTION static void settle(void)
{
    MPI_Bcast(values, 4, MPI_INT, 0, MPI_COMM_WORLD);
    values[2]++;
}

FUNCTION static void prepare(void)
{
    settle();
    values[2]++;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    prepare();
    prepare();
    for (int i = 0; i < ROUNDS; i++) {
        step(i);
        MPI_Bcast(values, 4, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < swaps; i++)
        swap();
    MPI_Finalize();
    return 0;
}
