/* stencil2d: Jacobi iterations of the 5-point Laplace stencil on a plate, each rank holding one tile.
 *
 * Exercises: the most common pattern of all: per iteration four MPI_Irecv, four MPI_Isend and one MPI_Waitall
 * with the neighbours of a process grid. The plate does not wrap around; a tile at its edge has MPI_PROC_NULL
 * for a neighbour there. Columns travel by a vector datatype. Every tenth iteration the change is summed up.
 *
 * The check: the plate starts with 1 on its upper border and 0 elsewhere. The sweeps do not depend on how the
 * plate is cut into tiles, so rank 0 repeats them alone on the whole plate and compares every value.
 *
 * usage: stencil2d [iterations, default 100]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 8, PITCH = TILE + 2 }; /* a tile's inner width, and with its ghost cells */
enum { NORTH, SOUTH, WEST, EAST, NEIGHBOURS };

struct tile {
    int dims[2];               /* the process grid: rows, columns */
    int row, column;           /* this rank's place in it */
    int neighbour[NEIGHBOURS]; /* ranks, or MPI_PROC_NULL beyond the plate */
    MPI_Datatype column_type;
    double *now, *next; /* PITCH x PITCH, row by row */
};

static double *plate_new(int rows, int columns) {
    double *plate = calloc((size_t)(rows + 2) * (size_t)(columns + 2), sizeof *plate);

    if (plate == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return plate;
}

/* The upper border of the plate is hot. */
static void plate_heat(double *plate, int columns) {
    for (int c = 0; c < columns + 2; c++)
        plate[c] = 1.0;
}

/* One sweep over a field of rows x columns inner cells. Returns the sum of the squared changes. */
static double plate_sweep(const double *now, double *next, int rows, int columns) {
    const int pitch = columns + 2;
    double change = 0.0;

    for (int r = 1; r <= rows; r++)
        for (int c = 1; c <= columns; c++) {
            const int at = r * pitch + c;

            next[at] = 0.25 * (now[at - pitch] + now[at + pitch] + now[at - 1] + now[at + 1]);
            change += (next[at] - now[at]) * (next[at] - now[at]);
        }
    return change;
}

static void tile_init(struct tile *tile, int rank, int size) {
    tile->dims[0] = tile->dims[1] = 0;
    MPI_Dims_create(size, 2, tile->dims);
    tile->row = rank / tile->dims[1];
    tile->column = rank % tile->dims[1];
    tile->neighbour[NORTH] = tile->row > 0 ? rank - tile->dims[1] : MPI_PROC_NULL;
    tile->neighbour[SOUTH] = tile->row < tile->dims[0] - 1 ? rank + tile->dims[1] : MPI_PROC_NULL;
    tile->neighbour[WEST] = tile->column > 0 ? rank - 1 : MPI_PROC_NULL;
    tile->neighbour[EAST] = tile->column < tile->dims[1] - 1 ? rank + 1 : MPI_PROC_NULL;

    MPI_Type_vector(TILE, 1, PITCH, MPI_DOUBLE, &tile->column_type);
    MPI_Type_commit(&tile->column_type);
    tile->now = plate_new(TILE, TILE);
    tile->next = plate_new(TILE, TILE);
    if (tile->row == 0) {
        plate_heat(tile->now, TILE);
        plate_heat(tile->next, TILE);
    }
}

static void tile_exchange(struct tile *tile) {
    double *const field = tile->now;
    const int *const neighbour = tile->neighbour;
    MPI_Request requests[2 * NEIGHBOURS];

    MPI_Irecv(&field[1], TILE, MPI_DOUBLE, neighbour[NORTH], SOUTH, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&field[(TILE + 1) * PITCH + 1], TILE, MPI_DOUBLE, neighbour[SOUTH], NORTH, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&field[PITCH], 1, tile->column_type, neighbour[WEST], EAST, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&field[PITCH + TILE + 1], 1, tile->column_type, neighbour[EAST], WEST, MPI_COMM_WORLD, &requests[3]);

    MPI_Isend(&field[PITCH + 1], TILE, MPI_DOUBLE, neighbour[NORTH], NORTH, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(&field[TILE * PITCH + 1], TILE, MPI_DOUBLE, neighbour[SOUTH], SOUTH, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(&field[PITCH + 1], 1, tile->column_type, neighbour[WEST], WEST, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(&field[PITCH + TILE], 1, tile->column_type, neighbour[EAST], EAST, MPI_COMM_WORLD, &requests[7]);

    MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
}

/* Rank 0 collects all tiles and compares them with sweeps of its own. Returns the number of wrong cells
 * there. */
static int tile_verify(const struct tile *tile, int iterations, int rank, int size) {
    const int rows = tile->dims[0] * TILE, columns = tile->dims[1] * TILE;
    double *tiles = NULL, *now, *next;
    int wrong = 0;

    if (rank == 0)
        tiles = calloc((size_t)size, PITCH * PITCH * sizeof *tiles);
    MPI_Gather(tile->now, PITCH * PITCH, MPI_DOUBLE, tiles, PITCH * PITCH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank != 0 || tiles == NULL)
        return rank == 0;

    now = plate_new(rows, columns);
    next = plate_new(rows, columns);
    plate_heat(now, columns);
    plate_heat(next, columns);
    for (int i = 0; i < iterations; i++) {
        double *const swap = now;

        plate_sweep(now, next, rows, columns);
        now = next;
        next = swap;
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const int owner = r / TILE * tile->dims[1] + c / TILE;
            const double got = tiles[owner * PITCH * PITCH + (r % TILE + 1) * PITCH + c % TILE + 1];
            const double difference = got - now[(r + 1) * (columns + 2) + c + 1];

            if (difference > 1e-12 || difference < -1e-12)
                wrong++;
        }
    free(tiles);
    free(now);
    free(next);
    return wrong;
}

int main(int argc, char **argv) {
    const int iterations = argc > 1 ? atoi(argv[1]) : 100;
    struct tile tile;
    double residual = 0.0;
    int rank, size, wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tile_init(&tile, rank, size);

    for (int i = 1; i <= iterations; i++) {
        double *const swap = tile.now;
        double change;

        tile_exchange(&tile);
        change = plate_sweep(tile.now, tile.next, TILE, TILE);
        tile.now = tile.next;
        tile.next = swap;
        if (i % 10 == 0)
            MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }

    wrong = tile_verify(&tile, iterations, rank, size);
    if (rank == 0)
        printf("stencil2d: %d iterations on a %d x %d grid of ranks, residual %.6e, %d cells wrong\n", iterations,
               tile.dims[0], tile.dims[1], residual, wrong);
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (wrong && rank == 0)
        fprintf(stderr, "stencil2d: the tiles differ from the plate\n");

    free(tile.now);
    free(tile.next);
    MPI_Type_free(&tile.column_type);
    MPI_Finalize();
    return wrong != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
