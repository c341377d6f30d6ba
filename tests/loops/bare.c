/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled three times: as the function bare, without unwind tables, so that the callers of its MPI calls cannot be
 * found; as the function whole, which does the same; and as the program that calls both. Nothing is inlined, and no
 * call is a jump. */
#include <mpi.h>

#define FUNCTION __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

#ifdef WRAP
static int values[4];

FUNCTION static void settle(void)
{
    MPI_Bcast(values, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(values, values + 1, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    values[2]++;
}

FUNCTION void WRAP(void)
{
    settle();
    values[2]++;
}
#else
void bare(void);
void whole(void);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bare();
    MPI_Barrier(MPI_COMM_WORLD);
    whole();
    MPI_Barrier(MPI_COMM_SELF);
    whole();
    MPI_Finalize();
    return 0;
}
#endif
