/* rounds: loops with unpredictable numbers of trips, often 0, that differ from rank to rank.
 *
 * Exercises: nested loops whose trips differ from rank to rank, 0 among them. Each rank sends to itself, so that ranks
 * need not agree.
 *
 * usage: rounds [outer trips, default 400] */
#include <stdint.h>

#include "expect.h"

enum { SECOND = 20, THIRD = 5 };

static uint32_t below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1103515245 + 12345;
    return (*state >> 16) % limit;
}

static void exchange(int rank, int tag)
{
    MPI_Request request;
    int out = tag, in = -1;

    MPI_Isend(&out, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(in == tag);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 400;
    int rank, most;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    uint32_t state = (uint32_t)rank;
    for (int i = 0; i < rounds; i++) {
        int root = i;

        MPI_Bcast(&root, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (uint32_t second = below(&state, SECOND); second > 0; second--) {
            MPI_Sendrecv(&i, 1, MPI_INT, rank, 0, &most, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (uint32_t third = below(&state, THIRD); third > 0; third--)
                exchange(rank, (int)third);
        }
        MPI_Allreduce(&i, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        EXPECT(most == root);
    }
    const int result = expect_verdict("rounds", MPI_COMM_WORLD);
    MPI_Finalize();
    return result;
}
/* SPDX-License-Identifier: BSD-3-Clause */
