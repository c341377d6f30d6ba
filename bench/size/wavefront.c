/* wavefront: pipelines over a grid of ranks, as in a solver with lower and upper triangular sweeps.
 *
 * For each plane a rank waits for north and west and sends to south and east; the upper sweep goes the other way.
 * Each step ends with the exchange of two halo layers, and every fifth step with norms.
 *
 * usage: wavefront [steps, default 30] [planes, default 10]
 */
#include "common.h"

enum { CELLS = 12, VARIABLES = 5, PLANE = CELLS * VARIABLES, HALO = 2 * PLANE, NORMS = 5 };
enum { FROM_NORTH = 1, FROM_WEST, FROM_SOUTH, FROM_EAST };

static int north, south, west, east, planes;
static int row[PLANE], column[PLANE], *halo_in, *halo_out;

static void lower_sweep(int step)
{
    for (int plane = 0; plane < planes; plane++) {
        if (north != MPI_PROC_NULL) {
            MPI_Recv(row, PLANE, MPI_INT, north, FROM_NORTH, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(row, PLANE, north, step, plane);
        }
        if (west != MPI_PROC_NULL) {
            MPI_Recv(column, PLANE, MPI_INT, west, FROM_WEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(column, PLANE, west, step, plane);
        }
        fill(row, PLANE, step, plane);
        fill(column, PLANE, step, plane);
        if (south != MPI_PROC_NULL)
            MPI_Send(row, PLANE, MPI_INT, south, FROM_NORTH, MPI_COMM_WORLD);
        if (east != MPI_PROC_NULL)
            MPI_Send(column, PLANE, MPI_INT, east, FROM_WEST, MPI_COMM_WORLD);
    }
}

static void upper_sweep(int step)
{
    for (int plane = planes - 1; plane >= 0; plane--) {
        if (south != MPI_PROC_NULL) {
            MPI_Recv(row, PLANE, MPI_INT, south, FROM_SOUTH, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(row, PLANE, south, step, plane);
        }
        if (east != MPI_PROC_NULL) {
            MPI_Recv(column, PLANE, MPI_INT, east, FROM_EAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(column, PLANE, east, step, plane);
        }
        fill(row, PLANE, step, plane);
        fill(column, PLANE, step, plane);
        if (north != MPI_PROC_NULL)
            MPI_Send(row, PLANE, MPI_INT, north, FROM_SOUTH, MPI_COMM_WORLD);
        if (west != MPI_PROC_NULL)
            MPI_Send(column, PLANE, MPI_INT, west, FROM_EAST, MPI_COMM_WORLD);
    }
}

/* Sends to AHEAD, receives from BEHIND. */
static void halo_shift(int ahead, int behind, int tag, int step)
{
    MPI_Request request;

    if (behind != MPI_PROC_NULL)
        MPI_Irecv(halo_in, planes * HALO, MPI_INT, behind, tag, MPI_COMM_WORLD, &request);
    if (ahead != MPI_PROC_NULL) {
        fill(halo_out, planes * HALO, step, tag);
        MPI_Send(halo_out, planes * HALO, MPI_INT, ahead, tag, MPI_COMM_WORLD);
    }
    if (behind != MPI_PROC_NULL) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(halo_in, planes * HALO, behind, step, tag);
    }
}

static void norms(void)
{
    double own[NORMS], all[NORMS];

    for (int i = 0; i < NORMS; i++)
        own[i] = i + 1;
    MPI_Allreduce(own, all, NORMS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < NORMS; i++)
        expect((int)all[i], (i + 1) * size);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 30);
    const struct grid grid = grid_make(2);
    int settings[] = {1, 5, 2, 1};

    planes = argc > 2 ? atoi(argv[2]) : 10;
    north = neighbour(&grid, -1, 0, 0);
    south = neighbour(&grid, 1, 0, 0);
    west = neighbour(&grid, 0, -1, 0);
    east = neighbour(&grid, 0, 1, 0);
    halo_in = numbers(planes * HALO);
    halo_out = numbers(planes * HALO);
    MPI_Bcast(settings, 4, MPI_INT, 0, MPI_COMM_WORLD);

    for (int step = 0; step < steps; step++) {
        lower_sweep(step);
        upper_sweep(step);
        halo_shift(south, north, FROM_NORTH, step);
        halo_shift(north, south, FROM_SOUTH, step);
        halo_shift(east, west, FROM_WEST, step);
        halo_shift(west, east, FROM_EAST, step);
        if (step % 5 == 4)
            norms();
    }
    free(halo_in);
    free(halo_out);
    return end("wavefront", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
