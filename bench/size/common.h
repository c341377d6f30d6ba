/* What the programs of bench/size share: begin and end, messages whose contents the receiver knows, grids of ranks.
 *
 * The programs stand for the structure of real codes: who talks to whom, from which call site, in which order. They
 * compute nothing. Each message is filled with numbers that follow from its sender, the step and what it is for, and
 * its receiver checks each of them. Their calls depend on the arguments and the number of ranks only. */
#ifndef PILGRIM_BENCH_SIZE_COMMON_H
#define PILGRIM_BENCH_SIZE_COMMON_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static int wrong; /* values that were not as expected, on this rank */

/* Returns the number of steps: the first argument, or STEPS. */
static inline int begin(int argc, char **argv, int steps)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return argc > 1 ? atoi(argv[1]) : steps;
}

/* Returns the exit status. */
static inline int end(const char *name, int steps)
{
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d steps on %d ranks, %d values wrong\n", name, steps, size, wrong);
    MPI_Finalize();
    return wrong != 0;
}

static inline int *numbers(int count)
{
    int *made = calloc((size_t)count, sizeof *made);

    if (made == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

/* Returns number AT of the message that rank FROM of MPI_COMM_WORLD sends in STEP for the purpose WHAT. */
static inline int value(int from, int step, int what, int at)
{
    return (from * 131071 + step * 8191 + what * 127 + at) & 0xffffff;
}

static inline void fill(int *message, int count, int step, int what)
{
    for (int at = 0; at < count; at++)
        message[at] = value(rank, step, what, at);
}

static inline void check(const int *message, int count, int from, int step, int what)
{
    for (int at = 0; at < count; at++)
        wrong += message[at] != value(from, step, what, at);
}

static inline void expect(int found, int wanted)
{
    wrong += found != wanted;
}

/* Returns a number that looks random, from two others; it is the same for (a, b) and (b, a). */
static inline unsigned mixed(unsigned a, unsigned b)
{
    unsigned low = a < b ? a : b, high = a < b ? b : a, x = low * 2654435761u ^ high * 40503u;

    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

/* A box of ranks, numbered with the last coordinate fastest. Beyond its surface is MPI_PROC_NULL. */
struct grid {
    int dims[3];
    int coords[3];
};

static inline struct grid grid_make(int dimensions)
{
    struct grid grid = {.dims = {0, dimensions < 2, dimensions < 3}};

    MPI_Dims_create(size, 3, grid.dims);
    grid.coords[2] = rank % grid.dims[2];
    grid.coords[1] = rank / grid.dims[2] % grid.dims[1];
    grid.coords[0] = rank / grid.dims[2] / grid.dims[1];
    return grid;
}

/* Returns the rank that lies (x, y, z) away, or MPI_PROC_NULL. */
static inline int neighbour(const struct grid *grid, int x, int y, int z)
{
    const int steps[3] = {x, y, z};
    int at = 0;

    for (int d = 0; d < 3; d++) {
        const int there = grid->coords[d] + steps[d];

        if (there < 0 || there >= grid->dims[d])
            return MPI_PROC_NULL;
        at = at * grid->dims[d] + there;
    }
    return at;
}

#endif
/* SPDX-License-Identifier: BSD-3-Clause */
