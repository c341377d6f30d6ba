/* tags: the tag of each message says in which step it was sent.
 *
 * Exercises: tags that count up: 16 times the step, and the direction, starting over before they reach 32767, which is
 * the least upper bound that MPI allows. A torus of ranks; each step is four MPI_Irecv, four MPI_Isend and an
 * MPI_Waitall.
 *
 * usage: tags [steps, default 100] [first step, default 2000]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIRECTIONS = 4, TAGS_OF_STEP = 16, TAG_UB_LEAST = 32767 };

static int tag_of(int step, int direction) {
    return step % (TAG_UB_LEAST / TAGS_OF_STEP) * TAGS_OF_STEP + direction;
}

/* A value goes into each direction, and comes from the opposite one. Returns whether a wrong one came. */
static int exchange(MPI_Comm torus, const int neighbors[DIRECTIONS], int step) {
    MPI_Request requests[2 * DIRECTIONS];
    MPI_Status statuses[2 * DIRECTIONS];
    int in[DIRECTIONS], out[DIRECTIONS];
    int wrong = 0;

    for (int d = 0; d < DIRECTIONS; d++)
        MPI_Irecv(&in[d], 1, MPI_INT, neighbors[d ^ 1], tag_of(step, d), torus, &requests[d]);
    for (int d = 0; d < DIRECTIONS; d++) {
        out[d] = step * DIRECTIONS + d;
        MPI_Isend(&out[d], 1, MPI_INT, neighbors[d], tag_of(step, d), torus, &requests[DIRECTIONS + d]);
    }
    MPI_Waitall(2 * DIRECTIONS, requests, statuses);
    for (int d = 0; d < DIRECTIONS; d++)
        wrong |= in[d] != out[d] || statuses[d].MPI_TAG != tag_of(step, d);
    return wrong;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    const int first = argc > 2 ? atoi(argv[2]) : 2000;
    int sides[2] = {0, 0}, periods[2] = {1, 1}, neighbors[DIRECTIONS];
    MPI_Comm torus;
    int rank, size;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 1, &torus);
    MPI_Comm_rank(torus, &rank);
    MPI_Cart_shift(torus, 0, 1, &neighbors[0], &neighbors[1]);
    MPI_Cart_shift(torus, 1, 1, &neighbors[2], &neighbors[3]);
    for (int step = first; step < first + steps; step++)
        wrong |= exchange(torus, neighbors, step);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, torus);
    if (rank == 0)
        printf("tags: %d steps on %d x %d ranks%s\n", steps, sides[0], sides[1], wrong ? ", wrong result" : "");
    MPI_Comm_free(&torus);
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
