/* SPDX-License-Identifier: BSD-3-Clause */
/* groups COUNT: makes COUNT communicators of groups drawn at random, with a few calls of random values between them.
 * What Pilgrim knows of the communicators hardly compresses. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

enum { CALLS = 8, TAGS = 30000, LENGTHS = 60 };

static int draw(int below)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

int main(int argc, char **argv)
{
    static int in[LENGTHS], out[LENGTHS];
    MPI_Group world;
    MPI_Init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (long i = argc > 1 ? atol(argv[1]) : 1000; i > 0; i--) {
        int first = draw(2), ranks[2] = {first, 1 - first};
        MPI_Group group;
        MPI_Comm comm;
        MPI_Group_incl(world, 2, ranks, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, draw(TAGS), &comm);
        MPI_Group_free(&group);
        for (int k = 0; k < CALLS; k++) {
            int tag = draw(TAGS);
            MPI_Sendrecv(out, draw(LENGTHS), MPI_INT, 0, tag, in, LENGTHS, MPI_INT, 0, tag, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
