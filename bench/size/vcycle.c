/* vcycle: a multigrid solver whose coarse levels have fewer ranks, down to one.
 *
 * A level has every second rank of the level above it, in a communicator of its own. Ranks that leave hand their
 * cells to their partner, wait, and get the correction on the way up. The coarser a level, the more often it
 * smooths.
 *
 * usage: vcycle [cycles, default 40] */
#include "common.h"

enum { CELLS = 64, LEVELS_MAX = 16, TO_LEFT = 1, TO_RIGHT, RESTRICT, PROLONG };

static MPI_Comm level_comm[LEVELS_MAX];
static int levels, *cells_in[2], *cells_out[2], *handed;

static int level_cells(int level)
{
    return level < 6 ? CELLS >> level : 1;
}

/* Ranks of a level are numbered as in MPI_COMM_WORLD: its rank r is rank r << level there. */
static void smooth(int level, int cycle)
{
    const int count = level_cells(level);
    int own, all;
    MPI_Request requests[4];

    MPI_Comm_rank(level_comm[level], &own);
    MPI_Comm_size(level_comm[level], &all);
    for (int side = 0; side < 2; side++) {
        const int there = side ? own + 1 : own - 1, peer = there < 0 || there >= all ? MPI_PROC_NULL : there;

        fill(cells_out[side], count, cycle, level);
        MPI_Irecv(cells_in[side], count, MPI_INT, peer, side ? TO_LEFT : TO_RIGHT, level_comm[level], &requests[side]);
        MPI_Isend(cells_out[side], count, MPI_INT, peer, side ? TO_RIGHT : TO_LEFT, level_comm[level],
                  &requests[2 + side]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (own > 0)
        check(cells_in[0], count, (own - 1) << level, cycle, level);
    if (own + 1 < all)
        check(cells_in[1], count, (own + 1) << level, cycle, level);
}

static void down_and_up(int level, int cycle)
{
    const int count = level_cells(level), partner = rank ^ 1 << level;

    if (level_comm[level] == MPI_COMM_NULL)
        return;
    for (int i = 0; i <= level; i++)
        smooth(level, cycle);
    if (level + 1 == levels)
        return;
    if (rank & 1 << level) { /* leaves */
        fill(handed, count, cycle, level);
        MPI_Send(handed, count, MPI_INT, partner, RESTRICT, MPI_COMM_WORLD);
        MPI_Recv(handed, count, MPI_INT, partner, PROLONG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(handed, count, partner, cycle, level);
    } else {
        if (partner < size) {
            MPI_Recv(handed, count, MPI_INT, partner, RESTRICT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(handed, count, partner, cycle, level);
        }
        down_and_up(level + 1, cycle);
        if (partner < size) {
            fill(handed, count, cycle, level);
            MPI_Send(handed, count, MPI_INT, partner, PROLONG, MPI_COMM_WORLD);
        }
    }
    smooth(level, cycle);
}

int main(int argc, char **argv)
{
    const int cycles = begin(argc, argv, 40);

    handed = numbers(CELLS);
    for (int side = 0; side < 2; side++) {
        cells_in[side] = numbers(CELLS);
        cells_out[side] = numbers(CELLS);
    }
    for (levels = 0; levels == 0 || 1 << (levels - 1) < size; levels++)
        MPI_Comm_split(MPI_COMM_WORLD, rank % (1 << levels) ? MPI_UNDEFINED : 0, rank, &level_comm[levels]);
    for (int cycle = 0; cycle < cycles; cycle++) {
        double residual = 1.0, sum;

        down_and_up(0, cycle);
        MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        expect((int)sum, size);
    }
    for (int level = 0; level < levels; level++)
        if (level_comm[level] != MPI_COMM_NULL)
            MPI_Comm_free(&level_comm[level]);
    for (int side = 0; side < 2; side++) {
        free(cells_in[side]);
        free(cells_out[side]);
    }
    free(handed);
    return end("vcycle", cycles);
}
/* SPDX-License-Identifier: BSD-3-Clause */
