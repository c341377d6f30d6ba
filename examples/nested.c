/* nested: three loops in each other, the inner ones with numbers of trips that change.
 *
 * Exercises: the same calls in the same order, but for how often: other calls at each level, 1 to 5 trips of the second
 * loop and 1 to 4 of the third. A formula makes them of the numbers of the outer trips; with a seed that is not 0 they
 * are drawn at random.
 *
 * usage: nested [outer trips, default 100] [seed, default 0]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_SHIFT = 1, TAG_PASS = 2 };

struct ring {
    int next, previous;
};

static uint64_t state;

/* Of 1 to MOST trips those that the formula gives for NUMBER, or some at random; the same on every rank. */
static int trips_of(int number, int most) {
    if (state == 0)
        return number % most + 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)most) + 1;
}

static int pass(const struct ring *ring, int value) {
    MPI_Request request;
    int in = -1;

    MPI_Irecv(&in, 1, MPI_INT, ring->previous, TAG_PASS, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, ring->next, TAG_PASS, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return in != value;
}

static int step(const struct ring *ring, int i) {
    const int outer = trips_of(i * 7, 5);
    int wrong = 0;

    for (int j = 0; j < outer; j++) {
        const int inner = trips_of(i + j, 4);
        int in = -1;

        MPI_Sendrecv(&j, 1, MPI_INT, ring->next, TAG_SHIFT, &in, 1, MPI_INT, ring->previous, TAG_SHIFT, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        wrong |= in != j;
        for (int k = 0; k < inner; k++)
            wrong |= pass(ring, k);
    }
    return wrong;
}

int main(int argc, char **argv) {
    const int trips = argc > 1 ? atoi(argv[1]) : 100;
    struct ring ring;
    int rank, size;
    int wrong = 0, all = 0;

    state = argc > 2 ? (uint64_t)atoi(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ring.next = (rank + 1) % size;
    ring.previous = (rank + size - 1) % size;

    for (int i = 0; i < trips; i++) {
        int trip = rank == 0 ? i : -1;

        MPI_Bcast(&trip, 1, MPI_INT, 0, MPI_COMM_WORLD);
        wrong |= step(&ring, trip);
        MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("nested: %d outer trips on %d ranks%s\n", trips, size, all ? ", wrong result" : "");
    MPI_Finalize();
    return all;
}
/* SPDX-License-Identifier: BSD-3-Clause */
