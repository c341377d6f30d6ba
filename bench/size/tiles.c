/* tiles: a hydrodynamics code on tiles of a plane, which packs the fields that it exchanges, with ghost layers.
 *
 * An exchange has a set of fields and a depth, and so a number of bytes of its own. It goes left and right first,
 * then up and down, because corners travel twice. A step has seven exchanges; the last four differ in even and odd
 * steps. Every tenth step has a summary.
 *
 * usage: tiles [steps, default 40]
 */
#include "common.h"

enum {
    CELLS = 16,
    FIELDS = 8,
    DEPTH_MAX = 2,
    BYTES_MAX = FIELDS * DEPTH_MAX * (CELLS + 2 * DEPTH_MAX) * (int)sizeof(int)
};
enum { LEFT, RIGHT, DOWN, UP, SIDES };
enum { DENSITY = 1, ENERGY = 2, PRESSURE = 4, VISCOSITY = 8, SOUND = 16, VELOCITY = 32 + 64, FLUX = 128 };

static int peer[SIDES];
static char packed_out[SIDES][BYTES_MAX], packed_in[SIDES][BYTES_MAX];

static int layer_count(int side, int depth)
{
    return depth * (side < DOWN ? CELLS : CELLS + 2 * depth);
}

static int pack(int side, int fields, int depth, int step)
{
    int layer[DEPTH_MAX * (CELLS + 2 * DEPTH_MAX)], at = 0;

    for (int field = 0; field < FIELDS; field++)
        if (fields & 1 << field) {
            fill(layer, layer_count(side, depth), step, field);
            MPI_Pack(layer, layer_count(side, depth), MPI_INT, packed_out[side], BYTES_MAX, &at, MPI_COMM_WORLD);
        }
    return at;
}

static void unpack(int side, int fields, int depth, int step)
{
    int layer[DEPTH_MAX * (CELLS + 2 * DEPTH_MAX)], at = 0;

    for (int field = 0; field < FIELDS; field++)
        if (fields & 1 << field) {
            MPI_Unpack(packed_in[side], BYTES_MAX, &at, layer, layer_count(side, depth), MPI_INT, MPI_COMM_WORLD);
            check(layer, layer_count(side, depth), peer[side], step, field);
        }
}

static void exchange_pair(int first, int second, int fields, int depth, int step)
{
    MPI_Request requests[4];
    int count = 0;

    if (peer[first] != MPI_PROC_NULL) {
        const int bytes = pack(first, fields, depth, step);

        MPI_Isend(packed_out[first], bytes, MPI_PACKED, peer[first], first, MPI_COMM_WORLD, &requests[count++]);
        MPI_Irecv(packed_in[first], bytes, MPI_PACKED, peer[first], second, MPI_COMM_WORLD, &requests[count++]);
    }
    if (peer[second] != MPI_PROC_NULL) {
        const int bytes = pack(second, fields, depth, step);

        MPI_Isend(packed_out[second], bytes, MPI_PACKED, peer[second], second, MPI_COMM_WORLD, &requests[count++]);
        MPI_Irecv(packed_in[second], bytes, MPI_PACKED, peer[second], first, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    if (peer[first] != MPI_PROC_NULL)
        unpack(first, fields, depth, step);
    if (peer[second] != MPI_PROC_NULL)
        unpack(second, fields, depth, step);
}

static void exchange(int fields, int depth, int step)
{
    exchange_pair(LEFT, RIGHT, fields, depth, step);
    exchange_pair(DOWN, UP, fields, depth, step);
}

static void advection(int step, int along_x)
{
    exchange(DENSITY | ENERGY | FLUX, 2, step);
    if (along_x)
        exchange(DENSITY | ENERGY | VELOCITY | FLUX, 2, step);
    else
        exchange(DENSITY | ENERGY | VELOCITY, 2, step);
}

static void summary(int step)
{
    double sum;

    for (int figure = 0; figure < 5; figure++) {
        const double own = step + figure;

        MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            expect((int)sum, size * (step + figure));
    }
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 40);
    const struct grid grid = grid_make(2);

    peer[LEFT] = neighbour(&grid, 0, -1, 0);
    peer[RIGHT] = neighbour(&grid, 0, 1, 0);
    peer[DOWN] = neighbour(&grid, -1, 0, 0);
    peer[UP] = neighbour(&grid, 1, 0, 0);
    exchange(DENSITY | ENERGY | PRESSURE | VELOCITY, 2, 0);
    for (int step = 0; step < steps; step++) {
        double length = size - rank, shortest;

        exchange(PRESSURE | ENERGY | DENSITY | VELOCITY, 1, step);
        exchange(VISCOSITY, 1, step);
        MPI_Allreduce(&length, &shortest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        expect((int)shortest, 1);
        exchange(PRESSURE | SOUND, 1, step);
        advection(step, step % 2 == 0);
        advection(step, step % 2 != 0);
        if (step % 10 == 9)
            summary(step);
    }
    return end("tiles", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
