/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that gets out of MPI_Init waits some seconds, without using the processor, and then ends the job. */
#include <mpi.h>
#include <unistd.h>

enum { PATIENCE_S = 7 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sleep(PATIENCE_S);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 0;
}
