/* SPDX-License-Identifier: BSD-3-Clause */
/* One place that is called first, and then behind 80 others: more than are told apart. */
#include <mpi.h>

static void __attribute__((noinline)) again(void)
{
    int flag;
    MPI_Initialized(&flag);
}

#define CALL      MPI_Comm_size(MPI_COMM_WORLD, &size), again()
#define TEN_CALLS CALL, CALL, CALL, CALL, CALL, CALL, CALL, CALL, CALL, CALL

int main(int argc, char **argv)
{
    int size;
    again();
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++)
        TEN_CALLS, TEN_CALLS, TEN_CALLS, TEN_CALLS, TEN_CALLS, TEN_CALLS, TEN_CALLS, TEN_CALLS;
    MPI_Finalize();
    return 0;
}
