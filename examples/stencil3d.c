/* stencil3d: a 7-point averaging stencil on a torus, each rank holding one cube.
 *
 * Exercises: a periodic Cartesian communicator (MPI_Cart_create, MPI_Cart_shift, MPI_Cart_coords), faces sent
 * straight out of the cube by subarray datatypes, six receives and six sends an iteration, one MPI_Waitall.
 *
 * The check: one cell of the torus starts hot and averaging keeps the sum of all cells, so the sum must stay
 * what it was; and a field that is a multiple of a global plane number is followed for one step by its known
 * average.
 *
 * usage: stencil3d [iterations, default 20]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 4, PITCH = SIDE + 2, CELLS = PITCH * PITCH * PITCH, FACES = 6 };

struct cube {
    MPI_Comm grid;
    int coords[3];
    int dims[3];
    int neighbour[FACES];      /* low and high side of each dimension in turn */
    MPI_Datatype inner[FACES]; /* the outermost own layer, to send */
    MPI_Datatype ghost[FACES]; /* the layer beyond it, to receive */
    double *now, *next;
};

static int cell_at(int x, int y, int z) {
    return (x * PITCH + y) * PITCH + z;
}

static MPI_Datatype face_type(int dimension, int layer) {
    const int whole[3] = {PITCH, PITCH, PITCH};
    int part[3] = {SIDE, SIDE, SIDE};
    int start[3] = {1, 1, 1};
    MPI_Datatype face;

    part[dimension] = 1;
    start[dimension] = layer;
    MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &face);
    MPI_Type_commit(&face);
    return face;
}

static void cube_init(struct cube *cube, int size) {
    const int periods[3] = {1, 1, 1};
    int rank;

    for (int d = 0; d < 3; d++)
        cube->dims[d] = 0;
    MPI_Dims_create(size, 3, cube->dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, cube->dims, periods, 1, &cube->grid);
    MPI_Comm_rank(cube->grid, &rank);
    MPI_Cart_coords(cube->grid, rank, 3, cube->coords);
    for (int d = 0; d < 3; d++) {
        MPI_Cart_shift(cube->grid, d, 1, &cube->neighbour[2 * d], &cube->neighbour[2 * d + 1]);
        cube->inner[2 * d] = face_type(d, 1);
        cube->inner[2 * d + 1] = face_type(d, SIDE);
        cube->ghost[2 * d] = face_type(d, 0);
        cube->ghost[2 * d + 1] = face_type(d, SIDE + 1);
    }
    cube->now = calloc(CELLS, sizeof *cube->now);
    cube->next = calloc(CELLS, sizeof *cube->next);
    if (cube->now == NULL || cube->next == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void cube_free(struct cube *cube) {
    for (int f = 0; f < FACES; f++) {
        MPI_Type_free(&cube->inner[f]);
        MPI_Type_free(&cube->ghost[f]);
    }
    free(cube->now);
    free(cube->next);
    MPI_Comm_free(&cube->grid);
}

/* Sends each face to the neighbour behind it. What is sent through face F arrives at the opposite face, F
 * ^ 1. */
static void cube_exchange(struct cube *cube) {
    MPI_Request requests[2 * FACES];

    for (int f = 0; f < FACES; f++)
        MPI_Irecv(cube->now, 1, cube->ghost[f], cube->neighbour[f], f ^ 1, cube->grid, &requests[f]);
    for (int f = 0; f < FACES; f++)
        MPI_Isend(cube->now, 1, cube->inner[f], cube->neighbour[f], f, cube->grid, &requests[FACES + f]);
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
}

static void cube_step(struct cube *cube) {
    double *const now = cube->now;
    double *const next = cube->next;

    cube_exchange(cube);
    for (int x = 1; x <= SIDE; x++)
        for (int y = 1; y <= SIDE; y++)
            for (int z = 1; z <= SIDE; z++)
                next[cell_at(x, y, z)] =
                    (now[cell_at(x, y, z)] + now[cell_at(x - 1, y, z)] + now[cell_at(x + 1, y, z)] +
                     now[cell_at(x, y - 1, z)] + now[cell_at(x, y + 1, z)] + now[cell_at(x, y, z - 1)] +
                     now[cell_at(x, y, z + 1)]) /
                    7.0;
    cube->now = next;
    cube->next = now;
}

static double cube_sum(const struct cube *cube) {
    double mine = 0.0, all = 0.0;

    for (int x = 1; x <= SIDE; x++)
        for (int y = 1; y <= SIDE; y++)
            for (int z = 1; z <= SIDE; z++)
                mine += cube->now[cell_at(x, y, z)];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, cube->grid);
    return all;
}

/* The number of cell (x, y, z), 1..SIDE each, shifted by one along DIMENSION by DELTA, in the whole torus. */
static double plane_number(const struct cube *cube, const int cell[3], int dimension, int delta) {
    double number = 0.0;

    for (int d = 0; d < 3; d++) {
        const int planes = cube->dims[d] * SIDE;
        const int plane = cube->coords[d] * SIDE + cell[d] - 1 + (d == dimension ? delta : 0);

        number = number * 1000.0 + (plane + planes) % planes;
    }
    return number;
}

/* One step on a field where every cell has its own known value. Returns the number of cells that came out
 * wrong. */
static int cube_verify_step(struct cube *cube) {
    int wrong = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int at = 0; at < SIDE * SIDE * SIDE; at++) {
            const int cell[3] = {1 + at / (SIDE * SIDE), 1 + at / SIDE % SIDE, 1 + at % SIDE};
            double *const value = &cube->now[cell_at(cell[0], cell[1], cell[2])];
            double expected = plane_number(cube, cell, 0, 0);

            if (pass == 0) {
                *value = expected;
                continue;
            }
            for (int f = 0; f < FACES; f++)
                expected += plane_number(cube, cell, f / 2, f % 2 ? 1 : -1);
            if (*value * 7.0 - expected > 1e-3 || *value * 7.0 - expected < -1e-3)
                wrong++;
        }
        if (pass == 0)
            cube_step(cube);
    }
    return wrong;
}

int main(int argc, char **argv) {
    const int iterations = argc > 1 ? atoi(argv[1]) : 20;
    struct cube cube;
    double sum;
    int rank, size, wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cube_init(&cube, size);
    MPI_Comm_rank(cube.grid, &rank);

    if (rank == 0)
        cube.now[cell_at(1, 1, 1)] = 1000.0;
    for (int i = 0; i < iterations; i++)
        cube_step(&cube);
    sum = cube_sum(&cube);

    wrong = cube_verify_step(&cube);
    if (sum < 1000.0 - 1e-6 || sum > 1000.0 + 1e-6)
        wrong++;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, cube.grid);
    if (rank == 0) {
        printf("stencil3d: %d iterations on a %d x %d x %d torus of ranks, sum %.6f\n", iterations, cube.dims[0],
               cube.dims[1], cube.dims[2], sum);
        if (wrong)
            fprintf(stderr, "stencil3d: %d values are wrong\n", wrong);
    }
    cube_free(&cube);
    MPI_Finalize();
    return wrong != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
