/* waitany: all to all by messages that are completed in the order in which they arrive.
 *
 * Exercises: outcomes that nobody can foretell. In each round every rank receives from all others and sends to
 * them, the first of them drawn at random; even rounds are completed by MPI_Waitany, odd ones by MPI_Testsome. In
 * each fifth round rank 0 receives one more message from everyone, from MPI_ANY_SOURCE. What is printed does not
 * depend on the order.
 *
 * usage: waitany [rounds, default 50]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_ALL = 1, TAG_GATHER = 2, GATHER_EVERY = 5 };

/* A place for each of the others in every array: that of rank r is r, or r - 1 behind the own rank. */
struct exchange {
    int rank, others;
    int *in;               /* a value from each */
    MPI_Request *requests; /* receives, then sends */
    MPI_Status *statuses;
    int *done;
};

static uint64_t state;

static int draw(int limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)limit);
}

static int other(const struct exchange *x, int place) {
    return place < x->rank ? place : place + 1;
}

/* Request INDEX is done. Returns whether its message is the wrong one. */
static int completed(const struct exchange *x, int index, const MPI_Status *status, int round) {
    if (index >= x->others)
        return 0;
    return status->MPI_SOURCE != other(x, index) || status->MPI_TAG != TAG_ALL ||
           x->in[index] != round * 1000 + status->MPI_SOURCE;
}

static int complete_waitany(const struct exchange *x, int round) {
    int wrong = 0;

    for (;;) {
        MPI_Status status;
        int index;

        MPI_Waitany(2 * x->others, x->requests, &index, &status);
        if (index == MPI_UNDEFINED)
            return wrong;
        wrong |= completed(x, index, &status, round);
    }
}

static int complete_testsome(const struct exchange *x, int round) {
    int wrong = 0;

    for (;;) {
        int count;

        MPI_Testsome(2 * x->others, x->requests, &count, x->done, x->statuses);
        if (count == MPI_UNDEFINED)
            return wrong;
        for (int i = 0; i < count; i++)
            wrong |= completed(x, x->done[i], &x->statuses[i], round);
    }
}

static int exchange(const struct exchange *x, int round) {
    const int first = x->others > 0 ? draw(x->others) : 0;
    const int value = round * 1000 + x->rank;

    for (int i = 0; i < x->others; i++)
        MPI_Irecv(&x->in[i], 1, MPI_INT, other(x, i), TAG_ALL, MPI_COMM_WORLD, &x->requests[i]);
    for (int i = 0; i < x->others; i++)
        MPI_Isend(&value, 1, MPI_INT, other(x, (first + i) % x->others), TAG_ALL, MPI_COMM_WORLD,
                  &x->requests[x->others + i]);
    return round % 2 == 0 ? complete_waitany(x, round) : complete_testsome(x, round);
}

static int gather(const struct exchange *x, int round) {
    int wrong = 0;

    if (x->rank > 0) {
        MPI_Send(&round, 1, MPI_INT, 0, TAG_GATHER, MPI_COMM_WORLD);
        return 0;
    }
    for (int i = 0; i < x->others; i++) {
        MPI_Status status;
        int value;

        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG_GATHER, MPI_COMM_WORLD, &status);
        wrong |= value != round || status.MPI_SOURCE == 0;
    }
    return wrong;
}

static void exchange_start(struct exchange *x, int rank, int size) {
    const size_t places = (size_t)size;

    *x = (struct exchange){rank,
                           size - 1,
                           calloc(places, sizeof *x->in),
                           calloc(2 * places, sizeof *x->requests),
                           calloc(2 * places, sizeof *x->statuses),
                           calloc(2 * places, sizeof *x->done)};
    if (x->in == NULL || x->requests == NULL || x->statuses == NULL || x->done == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    state = (uint64_t)rank * 1000003 + 7;
}

static void exchange_end(struct exchange *x) {
    free(x->in);
    free(x->requests);
    free(x->statuses);
    free(x->done);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 50;
    struct exchange x;
    int rank, size;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange_start(&x, rank, size);
    for (int round = 0; round < rounds; round++) {
        wrong |= exchange(&x, round);
        if (round % GATHER_EVERY == GATHER_EVERY - 1)
            wrong |= gather(&x, round);
    }
    exchange_end(&x);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("waitany: %d rounds on %d ranks%s\n", rounds, size, wrong ? ", wrong result" : "");
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
