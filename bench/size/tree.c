/* tree: nested meshes, each with its own time step, as codes with adaptive refinement have them.
 *
 * Ranks form a tree with four children each. A rank of depth d does 2^d short steps while the root does one. In each
 * it exchanges with its siblings, then its children do two steps and hand up their results. Children of one parent
 * have different sizes. Every tenth step all ranks tell their load to all.
 *
 * usage: tree [steps, default 25]
 */
#include "common.h"

enum { CHILDREN = 4, CELLS_MAX = 40, COARSE = 1, FINE, SIBLING };

static int parent, place; /* which child of its parent */
static int children, child[CHILDREN];
static int message[CELLS_MAX];

static int cells_of(int of)
{
    return 8 * (of % CHILDREN + 2);
}

static void boundary_from_parent(int step)
{
    if (parent == MPI_PROC_NULL)
        return;
    MPI_Recv(message, cells_of(rank), MPI_INT, parent, COARSE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(message, cells_of(rank), parent, step, rank);
}

static void average_to_parent(int step)
{
    if (parent == MPI_PROC_NULL)
        return;
    fill(message, cells_of(rank) / 4, step, rank);
    MPI_Send(message, cells_of(rank) / 4, MPI_INT, parent, FINE, MPI_COMM_WORLD);
}

/* Exchanges with the child before it and the child after it, of the same parent. */
static void siblings_exchange(int step)
{
    const int before = place > 0 ? rank - 1 : MPI_PROC_NULL;
    const int after = place >= 0 && place + 1 < CHILDREN && rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    int out[CHILDREN];

    if (parent == MPI_PROC_NULL)
        return;
    fill(out, CHILDREN, step, SIBLING);
    MPI_Sendrecv(out, CHILDREN, MPI_INT, after, SIBLING, message, CHILDREN, MPI_INT, before, SIBLING, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (before != MPI_PROC_NULL)
        check(message, CHILDREN, before, step, SIBLING);
    MPI_Sendrecv(out, CHILDREN, MPI_INT, before, SIBLING, message, CHILDREN, MPI_INT, after, SIBLING, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (after != MPI_PROC_NULL)
        check(message, CHILDREN, after, step, SIBLING);
}

/* One short step of this rank, and the two of its children. */
static void substep(int step)
{
    boundary_from_parent(step);
    siblings_exchange(step);
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < children; i++) {
            fill(message, cells_of(child[i]), step, child[i]);
            MPI_Send(message, cells_of(child[i]), MPI_INT, child[i], COARSE, MPI_COMM_WORLD);
        }
        for (int i = 0; i < children; i++) {
            MPI_Recv(message, cells_of(child[i]) / 4, MPI_INT, child[i], FINE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check(message, cells_of(child[i]) / 4, child[i], step, child[i]);
        }
    }
    average_to_parent(step);
}

static void loads_gather(void)
{
    const int load = cells_of(rank);
    int *loads = numbers(size);

    MPI_Allgather(&load, 1, MPI_INT, loads, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        expect(loads[i], cells_of(i));
    free(loads);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 25);
    int depth = 0;

    parent = rank ? (rank - 1) / CHILDREN : MPI_PROC_NULL;
    place = rank ? (rank - 1) % CHILDREN : -1;
    for (int i = 1; i <= CHILDREN; i++)
        if (CHILDREN * rank + i < size)
            child[children++] = CHILDREN * rank + i;
    for (int above = rank; above > 0; above = (above - 1) / CHILDREN)
        depth++;

    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < 1 << depth; i++)
            substep(step);
        if (step % 10 == 9)
            loads_gather();
    }
    return end("tree", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
