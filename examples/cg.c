/* cg: heat in a rod, by implicit time steps that are each solved with conjugate gradients.
 *
 * Exercises: an inner loop that ends when the data say so, after another number of iterations in each time step. An
 * iteration is an exchange with the neighbours (MPI_Irecv, MPI_Isend, MPI_Waitall) and two MPI_Allreduce.
 *
 * In each step a cell that is drawn at random is heated, and the length of the step is drawn, too. No heat is lost at
 * the ends, which is what is checked.
 *
 * usage: cg [time steps, default 20]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 24, TAG_LEFT = 1, TAG_RIGHT = 2, ITERATIONS_MAX = 10000 };

/* One rank's cells, 1 to CELLS, with a cell of the neighbour at each end. */
typedef double cells[CELLS + 2];

static int left, right; /* neighbours, MPI_PROC_NULL at the ends */

/* Below LIMIT; the same sequence on every rank. */
static int draw(int limit) {
    static uint64_t state = 11;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)limit);
}

static void exchange(cells u) {
    MPI_Request requests[4];

    u[0] = u[1]; /* nothing flows through the ends */
    u[CELLS + 1] = u[CELLS];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, TAG_RIGHT, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, right, TAG_LEFT, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, left, TAG_LEFT, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, right, TAG_RIGHT, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double dot(const cells a, const cells b) {
    double sum = 0.0, all;

    for (int i = 1; i <= CELLS; i++)
        sum += a[i] * b[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Solves (1 + STEP * (2, -1, -1)) u = u as it is. Returns the number of iterations. */
static int solve(cells u, double step) {
    static cells residual, direction, image;
    double old = 0.0, end = 0.0;
    int iterations = 0;

    exchange(u);
    for (int i = 1; i <= CELLS; i++)
        direction[i] = residual[i] = step * (u[i - 1] - 2 * u[i] + u[i + 1]);
    old = dot(residual, residual);
    end = 1e-16 * old;
    for (; old > end && iterations < ITERATIONS_MAX; iterations++) {
        double along, next;

        exchange(direction);
        for (int i = 1; i <= CELLS; i++)
            image[i] = direction[i] - step * (direction[i - 1] - 2 * direction[i] + direction[i + 1]);
        along = old / dot(direction, image);
        for (int i = 1; i <= CELLS; i++) {
            u[i] += along * direction[i];
            residual[i] -= along * image[i];
        }
        next = dot(residual, residual);
        for (int i = 1; i <= CELLS; i++)
            direction[i] = residual[i] + next / old * direction[i];
        old = next;
    }
    return iterations;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 20;
    static cells u;
    double heat = 0.0, total;
    int rank, size, wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

    for (int step = 0; step < steps; step++) {
        const int heated = draw(CELLS * size);

        if (heated / CELLS == rank)
            u[1 + heated % CELLS] += 1.0;
        solve(u, 0.1 + draw(100) * 0.2);
    }
    for (int i = 1; i <= CELLS; i++)
        heat += u[i];
    MPI_Allreduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    wrong = total < steps - 1e-5 * (steps + 1) || total > steps + 1e-5 * (steps + 1);
    if (rank == 0)
        printf("cg: %d time steps on %d ranks, the heat is %.3f%s\n", steps, size, total,
               wrong ? ", wrong result" : "");
    MPI_Finalize();
    return wrong;
}
/* SPDX-License-Identifier: BSD-3-Clause */
