/* corners3d: a 27-point average over a box, each rank holding one cube of it.
 *
 * Exercises: an open Cartesian communicator (MPI_Cart_create, MPI_Cart_coords, MPI_Cart_rank), exchanges with
 * up to 26 neighbours, over faces, edges and corners, by subarray datatypes. There is nobody beyond the box: a
 * rank at its surface has fewer neighbours and makes fewer calls.
 *
 * The check: the average over 27 cells of a linear field is the cell in the middle. All cells grow by one after
 * each iteration, so that a value that came too late is seen.
 *
 * usage: corners3d [iterations, default 10] [cells along a cube's side, default 4]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEIGHBOURS = 27, MIDDLE = 13 }; /* direction (x + 1) * 9 + (y + 1) * 3 + z + 1, each -1..1 */

struct cube {
    MPI_Comm grid;
    int dims[3];
    int coords[3];
    int side, pitch;                /* cells along a side; with the ghost cells */
    int count;                      /* neighbours that there are */
    int direction[NEIGHBOURS];      /* of each of these */
    int rank[NEIGHBOURS];           /* in the grid */
    MPI_Datatype inner[NEIGHBOURS]; /* what it gets, by neighbour */
    MPI_Datatype ghost[NEIGHBOURS]; /* what comes from it */
    double *now, *next;
};

static int step_of(int direction, int dimension) {
    const int steps[3] = {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};

    return steps[dimension];
}

/* The cells next to the surface that lies in DIRECTION: own ones, or the ghosts beyond. */
static MPI_Datatype surface_type(const struct cube *cube, int direction, int ghost) {
    int whole[3], part[3], start[3];
    MPI_Datatype type;

    for (int d = 0; d < 3; d++) {
        const int step = step_of(direction, d);

        whole[d] = cube->pitch;
        part[d] = step ? 1 : cube->side;
        start[d] = step > 0 ? cube->side + ghost : 1;
        if (step < 0 && ghost)
            start[d] = 0;
    }
    MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void cube_meet_neighbours(struct cube *cube) {
    for (int direction = 0; direction < NEIGHBOURS; direction++) {
        int coords[3], there = direction != MIDDLE;

        for (int d = 0; d < 3; d++) {
            coords[d] = cube->coords[d] + step_of(direction, d);
            there = there && coords[d] >= 0 && coords[d] < cube->dims[d];
        }
        if (!there)
            continue;
        MPI_Cart_rank(cube->grid, coords, &cube->rank[cube->count]);
        cube->direction[cube->count] = direction;
        cube->inner[cube->count] = surface_type(cube, direction, 0);
        cube->ghost[cube->count] = surface_type(cube, direction, 1);
        cube->count++;
    }
}

static int cell_at(const struct cube *cube, int x, int y, int z) {
    return (x * cube->pitch + y) * cube->pitch + z;
}

/* The field at the beginning, ghost cells too: linear in the cell's place in the whole box. */
static double field_at(const struct cube *cube, int x, int y, int z) {
    const int *const c = cube->coords;
    const int s = cube->side;

    return 10000.0 * (c[0] * s + x) + 100.0 * (c[1] * s + y) + (c[2] * s + z);
}

static void cube_init(struct cube *cube, int size, int side) {
    const int periods[3] = {0, 0, 0};
    size_t cells;
    int rank;

    cube->dims[0] = cube->dims[1] = cube->dims[2] = 0;
    MPI_Dims_create(size, 3, cube->dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, cube->dims, periods, 0, &cube->grid);
    MPI_Comm_rank(cube->grid, &rank);
    MPI_Cart_coords(cube->grid, rank, 3, cube->coords);
    cube->side = side;
    cube->pitch = side + 2;
    cube->count = 0;
    cube_meet_neighbours(cube);

    cells = (size_t)cube->pitch * (size_t)cube->pitch * (size_t)cube->pitch;
    cube->now = calloc(cells, sizeof *cube->now);
    cube->next = calloc(cells, sizeof *cube->next);
    if (cube->now == NULL || cube->next == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int x = 0; x < cube->pitch; x++)
        for (int y = 0; y < cube->pitch; y++)
            for (int z = 0; z < cube->pitch; z++)
                cube->now[cell_at(cube, x, y, z)] = field_at(cube, x, y, z);
}

static void cube_free(struct cube *cube) {
    for (int i = 0; i < cube->count; i++) {
        MPI_Type_free(&cube->inner[i]);
        MPI_Type_free(&cube->ghost[i]);
    }
    free(cube->now);
    free(cube->next);
    MPI_Comm_free(&cube->grid);
}

/* A message has the number of the direction that it goes in. */
static void cube_exchange(struct cube *cube) {
    MPI_Request requests[2 * NEIGHBOURS];

    for (int i = 0; i < cube->count; i++)
        MPI_Irecv(cube->now, 1, cube->ghost[i], cube->rank[i], NEIGHBOURS - 1 - cube->direction[i], cube->grid,
                  &requests[i]);
    for (int i = 0; i < cube->count; i++)
        MPI_Isend(cube->now, 1, cube->inner[i], cube->rank[i], cube->direction[i], cube->grid,
                  &requests[cube->count + i]);
    MPI_Waitall(2 * cube->count, requests, MPI_STATUSES_IGNORE);
}

static double average_at(const struct cube *cube, int x, int y, int z) {
    double sum = 0.0;

    for (int direction = 0; direction < NEIGHBOURS; direction++)
        sum +=
            cube->now[cell_at(cube, x + step_of(direction, 0), y + step_of(direction, 1), z + step_of(direction, 2))];
    return sum / NEIGHBOURS;
}

/* All cells grow; those that are nobody's continue the field beyond the box. */
static void cube_step(struct cube *cube) {
    double *const swap = cube->now;

    cube_exchange(cube);
    for (int x = 0; x < cube->pitch; x++)
        for (int y = 0; y < cube->pitch; y++)
            for (int z = 0; z < cube->pitch; z++) {
                const int at = cell_at(cube, x, y, z);
                const int own = x % (cube->pitch - 1) && y % (cube->pitch - 1) && z % (cube->pitch - 1);

                cube->next[at] = 1.0 + (own ? average_at(cube, x, y, z) : cube->now[at]);
            }
    cube->now = cube->next;
    cube->next = swap;
}

static int cube_verify(const struct cube *cube, int iterations) {
    int wrong = 0;

    for (int x = 1; x <= cube->side; x++)
        for (int y = 1; y <= cube->side; y++)
            for (int z = 1; z <= cube->side; z++) {
                const double got = cube->now[cell_at(cube, x, y, z)];
                const double difference = got - field_at(cube, x, y, z) - iterations;

                if (difference > 1e-6 || difference < -1e-6)
                    wrong++;
            }
    return wrong;
}

int main(int argc, char **argv) {
    const int iterations = argc > 1 ? atoi(argv[1]) : 10;
    const int side = argc > 2 ? atoi(argv[2]) : 4;
    struct cube cube;
    int rank, size, wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cube_init(&cube, size, side > 0 ? side : 1);

    for (int i = 0; i < iterations; i++)
        cube_step(&cube);

    wrong = cube_verify(&cube, iterations);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, cube.grid);
    if (rank == 0) {
        printf("corners3d: %d iterations on a %d x %d x %d grid of ranks, %d cells wrong\n", iterations, cube.dims[0],
               cube.dims[1], cube.dims[2], wrong);
        if (wrong)
            fprintf(stderr, "corners3d: the field is not linear any more\n");
    }
    cube_free(&cube);
    MPI_Finalize();
    return wrong != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
