/* irregular: every message has another partner, tag and size, as in codes whose work moves about.
 *
 * Exercises: values that never repeat. In each round all ranks draw the same three random numbers: a shift of
 * 1 to ranks - 1, a tag below 30000 and a count below 4000. Each rank receives from the rank that far before it
 * and sends to the one that far behind: MPI_Irecv, MPI_Isend, MPI_Waitall.
 *
 * usage: irregular [rounds, default 300]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAGS = 30000, COUNTS = 4000 };

/* Below LIMIT; the same sequence on every rank. */
static int draw(int limit) {
    static uint64_t state = 20;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)limit);
}

/* Returns whether something else arrived than was sent. */
static int exchange(int round, int rank, int size, int *out, int *in) {
    const int shift = 1 + draw(size - 1);
    const int tag = draw(TAGS), count = draw(COUNTS);
    const int from = (rank + size - shift) % size, to = (rank + shift) % size;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int arrived;

    if (count > 0)
        out[0] = out[count - 1] = round * size + rank;
    MPI_Irecv(in, count, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, count, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_INT, &arrived);
    return statuses[0].MPI_SOURCE != from || statuses[0].MPI_TAG != tag || arrived != count ||
           (count > 0 && (in[0] != round * size + from || in[count - 1] != in[0]));
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 300;
    int rank, size;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "irregular: needs 2 ranks or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    int *out = calloc(COUNTS, sizeof *out), *in = calloc(COUNTS, sizeof *in);
    if (out == NULL || in == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (int round = 0; round < rounds; round++)
        wrong |= exchange(round, rank, size, out, in);
    free(in);
    free(out);

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("irregular: %d rounds on %d ranks%s\n", rounds, size, wrong ? ", wrong result" : "");
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
