/* surfaces: a box of elements, as a shock hydrodynamics code exchanges it: over faces, edges and corners.
 *
 * Each of the 26 directions has call sites of its own, passed only by ranks that have a neighbour there: 27 kinds of
 * position. A step has three exchanges: sums over all surfaces, positions over those that look forward, gradients over
 * faces. Then the length of the next step is agreed on.
 *
 * usage: surfaces [steps, default 20] [elements along a side, default 5]
 */
#include "common.h"

enum { DIRECTIONS = 27, FIELDS_MAX = 6 };

/* X(x, y, z) for each direction. */
#define FACES(X) X(-1, 0, 0) X(1, 0, 0) X(0, -1, 0) X(0, 1, 0) X(0, 0, -1) X(0, 0, 1)
#define EDGES(X)                                                                                                       \
    X(-1, -1, 0)                                                                                                       \
    X(-1, 0, -1)                                                                                                       \
    X(0, -1, -1)                                                                                                       \
    X(1, 1, 0) X(1, 0, 1) X(0, 1, 1) X(-1, 1, 0) X(0, -1, 1) X(-1, 0, 1) X(1, -1, 0) X(0, 1, -1) X(1, 0, -1)
#define CORNERS(X)  X(-1, -1, -1) X(-1, -1, 1) X(-1, 1, -1) X(-1, 1, 1) X(1, -1, -1) X(1, -1, 1) X(1, 1, -1) X(1, 1, 1)
#define ALL(X)      FACES(X) EDGES(X) CORNERS(X)
#define FORWARD(X)  X(1, 0, 0) X(0, 1, 0) X(0, 0, 1) X(1, 1, 0) X(1, 0, 1) X(0, 1, 1) X(1, 1, 1)
#define BACKWARD(X) X(-1, 0, 0) X(0, -1, 0) X(0, 0, -1) X(-1, -1, 0) X(-1, 0, -1) X(0, -1, -1) X(-1, -1, -1)

#define NUMBER(x, y, z) (((x) + 1) * 9 + ((y) + 1) * 3 + (z) + 1)

static struct grid grid;
static int side, fields; /* fields of the exchange that goes on */
static int *in[DIRECTIONS], *out[DIRECTIONS];
static MPI_Request coming[DIRECTIONS], going[DIRECTIONS];

static int surface(int x, int y, int z)
{
    return fields * (x ? 1 : side) * (y ? 1 : side) * (z ? 1 : side);
}

#define RECEIVE(x, y, z)                                                                                               \
    if (neighbour(&grid, x, y, z) != MPI_PROC_NULL)                                                                    \
        MPI_Irecv(in[NUMBER(x, y, z)], surface(x, y, z), MPI_INT, neighbour(&grid, x, y, z), 1024 + fields,            \
                  MPI_COMM_WORLD, &coming[NUMBER(x, y, z)]);
#define SEND(x, y, z)                                                                                                  \
    if (neighbour(&grid, x, y, z) != MPI_PROC_NULL) {                                                                  \
        fill(out[NUMBER(x, y, z)], surface(x, y, z), step, NUMBER(x, y, z));                                           \
        MPI_Isend(out[NUMBER(x, y, z)], surface(x, y, z), MPI_INT, neighbour(&grid, x, y, z), 1024 + fields,           \
                  MPI_COMM_WORLD, &going[NUMBER(x, y, z)]);                                                            \
    }
#define UNPACK(x, y, z)                                                                                                \
    if (neighbour(&grid, x, y, z) != MPI_PROC_NULL) {                                                                  \
        MPI_Wait(&coming[NUMBER(x, y, z)], MPI_STATUS_IGNORE);                                                         \
        check(in[NUMBER(x, y, z)], surface(x, y, z), neighbour(&grid, x, y, z), step, NUMBER(-(x), -(y), -(z)));       \
    }

static void sums_exchange(int step)
{
    fields = 3;
    ALL(RECEIVE)
    ALL(SEND)
    MPI_Waitall(DIRECTIONS, going, MPI_STATUSES_IGNORE);
    ALL(UNPACK)
}

static void positions_exchange(int step)
{
    fields = FIELDS_MAX;
    FORWARD(RECEIVE)
    BACKWARD(SEND)
    MPI_Waitall(DIRECTIONS, going, MPI_STATUSES_IGNORE);
    FORWARD(UNPACK)
}

static void gradients_exchange(int step)
{
    fields = 4;
    FACES(RECEIVE)
    FACES(SEND)
    MPI_Waitall(DIRECTIONS, going, MPI_STATUSES_IGNORE);
    FACES(UNPACK)
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 20);

    side = argc > 2 ? atoi(argv[2]) : 5;
    grid = grid_make(3);
    for (int d = 0; d < DIRECTIONS; d++) {
        in[d] = numbers(FIELDS_MAX * side * side);
        out[d] = numbers(FIELDS_MAX * side * side);
        coming[d] = going[d] = MPI_REQUEST_NULL;
    }
    sums_exchange(steps); /* masses, before the first step */
    for (int step = 0; step < steps; step++) {
        double length = 1.0 + rank, shortest;

        sums_exchange(step);
        positions_exchange(step);
        gradients_exchange(step);
        MPI_Allreduce(&length, &shortest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        expect((int)shortest, 1);
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        free(in[d]);
        free(out[d]);
    }
    return end("surfaces", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
