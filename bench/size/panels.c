/* panels: dense matrices on a grid of ranks, with communicators of rows and columns.
 *
 * For each panel its owners broadcast along rows and columns. Then the matrix is transposed, by an all-to-all in the
 * row and messages to the rank across the diagonal. Then a factorisation goes down the columns: the ranks of one
 * column look for a pivot, then those of the next.
 *
 * usage: panels [steps, default 8]
 */
#include "common.h"

enum { BLOCK = 64, PIVOT = 12, TAG_ACROSS = 7 };

static struct grid grid;
static MPI_Comm in_row, in_column;
static int block[BLOCK], *spread, *arrived;

static int rank_at(int row, int column)
{
    return row * grid.dims[1] + column;
}

static void multiply(int step)
{
    const int rows = grid.dims[0], columns = grid.dims[1], row = grid.coords[0], column = grid.coords[1];

    for (int panel = 0; panel < rows * columns; panel++) {
        fill(block, BLOCK, step, panel);
        MPI_Bcast(block, BLOCK, MPI_INT, panel % columns, in_row);
        check(block, BLOCK, rank_at(row, panel % columns), step, panel);
        fill(block, BLOCK, step, panel);
        MPI_Bcast(block, BLOCK, MPI_INT, panel % rows, in_column);
        check(block, BLOCK, rank_at(panel % rows, column), step, panel);
    }
}

/* On a grid that is not square, only ranks in its square part have a partner. */
static void transpose(int step)
{
    const int row = grid.coords[0], column = grid.coords[1], columns = grid.dims[1];

    for (int to = 0; to < columns; to++)
        fill(spread + to * PIVOT, PIVOT, step, column * columns + to);
    MPI_Alltoall(spread, PIVOT, MPI_INT, arrived, PIVOT, MPI_INT, in_row);
    for (int from = 0; from < columns; from++)
        check(arrived + from * PIVOT, PIVOT, rank_at(row, from), step, from * columns + column);
    if (row != column && row < columns && column < grid.dims[0]) {
        const int across = rank_at(column, row);

        fill(block, BLOCK, step, TAG_ACROSS);
        MPI_Sendrecv_replace(block, BLOCK, MPI_INT, across, TAG_ACROSS, across, TAG_ACROSS, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        check(block, BLOCK, across, step, TAG_ACROSS);
    }
}

static void factor(int step)
{
    for (int panel = 0; panel < grid.dims[1]; panel++) {
        const int own[2] = {grid.coords[0] + panel, rank};
        int found[2];

        if (grid.coords[1] == panel) {
            MPI_Allreduce(own, found, 1, MPI_2INT, MPI_MAXLOC, in_column);
            expect(found[1], rank_at(grid.dims[0] - 1, panel));
            fill(block, PIVOT, step, panel);
        }
        MPI_Bcast(block, PIVOT, MPI_INT, panel, in_row);
        check(block, PIVOT, rank_at(grid.coords[0], panel), step, panel);
    }
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 8);

    grid = grid_make(2);
    MPI_Comm_split(MPI_COMM_WORLD, grid.coords[0], grid.coords[1], &in_row);
    MPI_Comm_split(MPI_COMM_WORLD, grid.coords[1], grid.coords[0], &in_column);
    spread = numbers(PIVOT * grid.dims[1]);
    arrived = numbers(PIVOT * grid.dims[1]);
    for (int step = 0; step < steps; step++) {
        multiply(step);
        transpose(step);
        factor(step);
        if (step % 3 == 2)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    free(spread);
    free(arrived);
    MPI_Comm_free(&in_row);
    MPI_Comm_free(&in_column);
    return end("panels", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
