/* SPDX-License-Identifier: BSD-3-Clause */
/* fails SEED STEPS: collective operations, the same at random on all ranks; some calls fail, and the errors return.
 * Prints "OPERATIONS TRUNCATED": how many operations there were, and in how many calls one failed that took part. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 8, FEW = 4, NO_ROOT = -77 };

static unsigned state;

static unsigned draw(unsigned most)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % most;
}

int main(int argc, char **argv)
{
    static int out[MANY], in[MANY];
    int rank, size, operations = 2, truncated = 0; /* MPI_Init and MPI_Finalize */
    state = (unsigned)atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int step = 0; step < atoi(argv[2]); step++) {
        const int who = (int)draw((unsigned)size), root = (int)draw((unsigned)size);
        operations++;
        switch (draw(7)) {
        case 0: /* all but the root have too small a buffer */
            if (MPI_Bcast(out, rank == root ? MANY : FEW, MPI_INT, root, MPI_COMM_WORLD) != MPI_SUCCESS)
                truncated++;
            break;
        case 1: /* one rank is wrong, and tries again */
            if (rank == who)
                MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, NO_ROOT, MPI_COMM_WORLD);
            MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
            break;
        case 2: /* all are wrong: there is no operation */
            MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, NO_ROOT, MPI_COMM_WORLD);
            operations--;
            break;
        case 3:
            MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            break;
        case 4:
            MPI_Reduce(out, in, MANY, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
            break;
        case 5:
            MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
            break;
        default:
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    printf("%d %d\n", operations, truncated);
    MPI_Finalize();
    return 0;
}
