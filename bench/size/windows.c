/* windows: a halo exchange without receives, and counters that all ranks add to.
 *
 * A step puts its sides twice: between fences, and in epochs with the neighbours only (post, start, complete, wait).
 * Every fourth step each rank locks rank 0 and takes a number.
 *
 * usage: windows [steps, default 30]
 */
#include "common.h"

/* MPICH 4.0 puts data into the wrong place if the size of a window that it allocated is no multiple of 16 bytes. */
enum { SIDES = 4, LAYER = 20, COUNTER = SIDES * LAYER, CELLS = 96 };

static int peer[SIDES]; /* numbers of opposite sides differ in the lowest bit */
static int *cells, layer[SIDES][LAYER];
static MPI_Win window;

static void arrived_check(int step, int what)
{
    for (int side = 0; side < SIDES; side++)
        if (peer[side] != MPI_PROC_NULL)
            check(cells + side * LAYER, LAYER, peer[side], step, what + side);
}

/* What a rank puts to SIDE arrives at the opposite side of the target. */
static void sides_put(int step, int what)
{
    for (int side = 0; side < SIDES; side++) {
        if (peer[side] == MPI_PROC_NULL)
            continue;
        fill(layer[side], LAYER, step, what + (side ^ 1));
        MPI_Put(layer[side], LAYER, MPI_INT, peer[side], (side ^ 1) * LAYER, LAYER, MPI_INT, window);
    }
}

static void fence_step(int step)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    sides_put(step, 0);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    arrived_check(step, 0);
}

static void epoch_step(MPI_Group neighbours, int step)
{
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    sides_put(step, SIDES);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    arrived_check(step, SIDES);
}

static void number_take(void)
{
    const int one = 1;
    int before;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, COUNTER, MPI_SUM, window);
    MPI_Win_unlock(0, window);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 30);
    const struct grid grid = grid_make(2);
    int there[SIDES], count = 0;
    MPI_Group world, neighbours;

    peer[0] = neighbour(&grid, -1, 0, 0);
    peer[1] = neighbour(&grid, 1, 0, 0);
    peer[2] = neighbour(&grid, 0, -1, 0);
    peer[3] = neighbour(&grid, 0, 1, 0);
    for (int side = 0; side < SIDES; side++)
        if (peer[side] != MPI_PROC_NULL)
            there[count++] = peer[side];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, there, &neighbours);
    MPI_Win_allocate(CELLS * (MPI_Aint)sizeof *cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    cells[COUNTER] = 0;

    for (int step = 0; step < steps; step++) {
        fence_step(step);
        epoch_step(neighbours, step);
        if (step % 4 == 3)
            number_take();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        expect(cells[COUNTER], size * (steps / 4));
        MPI_Win_unlock(0, window);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&neighbours);
    MPI_Win_free(&window);
    return end("windows", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
