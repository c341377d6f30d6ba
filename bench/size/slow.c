/* slow: a regular exchange on a torus, in which one rank computes longer than all others.
 *
 * The slow rank sleeps in each step. Its neighbours wait for it in MPI_Waitall, the other ranks in the reduction. So
 * ranks differ in where time goes, and in nothing else.
 *
 * usage: slow [steps, default 100] [microseconds of sleep, default 1000] [slow rank, default 1]
 */
#include "common.h"
#include <time.h>

enum { SIDES = 4, LAYER = 24 };

static int peer[SIDES], in[SIDES][LAYER], out[SIDES][LAYER];

static void exchange(int step)
{
    MPI_Request requests[2 * SIDES];

    for (int side = 0; side < SIDES; side++)
        MPI_Irecv(in[side], LAYER, MPI_INT, peer[side], side ^ 1, MPI_COMM_WORLD, &requests[side]);
    for (int side = 0; side < SIDES; side++) {
        fill(out[side], LAYER, step, side);
        MPI_Isend(out[side], LAYER, MPI_INT, peer[side], side, MPI_COMM_WORLD, &requests[SIDES + side]);
    }
    MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
    for (int side = 0; side < SIDES; side++)
        check(in[side], LAYER, peer[side], step, side ^ 1);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 100);
    const struct timespec sleep = {.tv_nsec = 1000L * (argc > 2 ? atoi(argv[2]) : 1000)};
    const int slow = argc > 3 ? atoi(argv[3]) : 1;
    const struct grid grid = grid_make(2);
    const int x = grid.coords[0], y = grid.coords[1], rows = grid.dims[0], columns = grid.dims[1];

    peer[0] = (x + rows - 1) % rows * columns + y;
    peer[1] = (x + 1) % rows * columns + y;
    peer[2] = x * columns + (y + columns - 1) % columns;
    peer[3] = x * columns + (y + 1) % columns;
    for (int step = 0; step < steps; step++) {
        int own = rank, sum;

        if (rank == slow)
            nanosleep(&sleep, NULL);
        exchange(step);
        MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect(sum, size * (size - 1) / 2);
    }
    return end("slow", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
