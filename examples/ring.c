/* ring: a token walks round the ring of ranks; each rank adds its number to it.
 *
 * Exercises: blocking MPI_Send and MPI_Recv, the wrap-around of the last rank to the first, MPI_Sendrecv and
 * MPI_Sendrecv_replace, real statuses and MPI_Get_count.
 *
 * usage: ring [rounds, default 10]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_TOKEN = 7, TAG_SHIFT = 8 };

/* One walk of the token, started and ended by rank 0. Returns the token as this rank saw it last. */
static long walk_token(long token, int rank, int size) {
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    MPI_Status status;
    int count;

    if (size == 1)
        return token;
    if (rank == 0) {
        MPI_Send(&token, 1, MPI_LONG, next, TAG_TOKEN, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_LONG, previous, TAG_TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return token;
    }
    MPI_Recv(&token, 1, MPI_LONG, previous, TAG_TOKEN, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_LONG, &count);
    if (status.MPI_SOURCE != previous || status.MPI_TAG != TAG_TOKEN || count != 1)
        return -1;
    token += rank;
    MPI_Send(&token, 1, MPI_LONG, next, TAG_TOKEN, MPI_COMM_WORLD);
    return token;
}

/* Every rank passes a value on to the next one at the same time. Returns 0 if each got what it should. */
static int shift_values(int rank, int size) {
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    int mine = 100 + rank, theirs = -1;
    int wrong = 0;

    MPI_Sendrecv(&mine, 1, MPI_INT, next, TAG_SHIFT, &theirs, 1, MPI_INT, previous, TAG_SHIFT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    wrong |= theirs != 100 + previous;

    /* And back again, in one buffer. */
    MPI_Sendrecv_replace(&theirs, 1, MPI_INT, previous, TAG_SHIFT, next, TAG_SHIFT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong |= theirs != 100 + rank;
    return wrong;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    long token = 0;
    int rank, size;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    for (int round = 0; round < rounds; round++) {
        token = walk_token(token, rank, size);
        wrong |= shift_values(rank, size);
    }

    if (rank == 0) {
        const long expected = (long)rounds * size * (size - 1) / 2;

        if (token != expected)
            wrong = 1;
        printf("ring: %d rounds over %d ranks, the token is %ld\n", rounds, size, token);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (wrong && rank == 0)
        fprintf(stderr, "ring: wrong result\n");
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
