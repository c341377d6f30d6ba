/* transpose: an array of three dimensions whose distribution is turned twice, as in a parallel Fourier
 * transform.
 *
 * Exercises: row and column communicators of a process grid (MPI_Comm_split), MPI_Alltoall within the rows,
 * where all parts are equal, MPI_Alltoallv within the columns, where they are not.
 *
 * Of each dimension a rank holds all of it, a part by its place in its row, or a part by its place in its
 * column:
 *
 *     first      dimension 0 whole    1 by row       2 by column
 *     rows       dimension 0 by row   1 whole        2 by column
 *     columns    dimension 0 by row   1 by column    2 whole
 *
 * The check: each element says where in the whole array it belongs, and in which iteration it was made.
 *
 * usage: transpose [iterations, default 5] [elements a rank has along a side, default 3]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Along one dimension: elements FIRST .. FIRST + COUNT - 1. */
struct part {
    int first, count;
};

struct array {
    MPI_Comm row, column;
    int rows, columns; /* of the process grid: a row has `columns` ranks */
    int in_row;        /* this rank's place in its row */
    int in_column;
    int length[3]; /* of the whole array */
    struct part part[3];
    double *from, *to;
};

/* The parts of N elements differ by one at most. */
static struct part part_of(int n, int parts, int place) {
    const int more = n % parts;
    struct part part;

    part.count = n / parts + (place < more);
    part.first = place * (n / parts) + (place < more ? place : more);
    return part;
}

static void *array_new(size_t count, size_t size) {
    void *p = calloc(count + 1, size);

    if (p == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static void array_init(struct array *a, int rank, int size, int side) {
    int dims[2] = {0, 0};
    size_t room;

    MPI_Dims_create(size, 2, dims);
    a->rows = dims[0];
    a->columns = dims[1];
    MPI_Comm_split(MPI_COMM_WORLD, rank / a->columns, rank, &a->row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % a->columns, rank, &a->column);
    MPI_Comm_rank(a->row, &a->in_row);
    MPI_Comm_rank(a->column, &a->in_column);

    a->length[0] = a->length[1] = side * a->columns;
    a->length[2] = side * a->rows + a->rows / 2; /* not the same for all */
    room = (size_t)side * (size_t)a->length[1] * (size_t)(side + 1);
    if (room < (size_t)side * (size_t)(a->length[1] / a->rows + 1) * (size_t)a->length[2])
        room = (size_t)side * (size_t)(a->length[1] / a->rows + 1) * (size_t)a->length[2];
    a->from = array_new(room, sizeof *a->from);
    a->to = array_new(room, sizeof *a->to);
}

static void array_free(struct array *a) {
    free(a->from);
    free(a->to);
    MPI_Comm_free(&a->row);
    MPI_Comm_free(&a->column);
}

static struct part whole(const struct array *a, int dimension) {
    return part_of(a->length[dimension], 1, 0);
}

static struct part by_row(const struct array *a, int dimension, int place) {
    return part_of(a->length[dimension], a->columns, place);
}

static struct part by_column(const struct array *a, int dimension, int place) {
    return part_of(a->length[dimension], a->rows, place);
}

static double element(const struct array *a, int i, int j, int k, int iteration) {
    return ((double)i * a->length[1] + j) * a->length[2] + k + 1000000.0 * iteration;
}

/* Copies the box of PARTs between the own array (of a->part) and BUFFER, where it lies in order. Returns its
 * elements. */
static int copy_box(const struct array *a, const struct part part[3], double *own, double *buffer, int unpack) {
    int at = 0;

    for (int i = 0; i < part[0].count; i++)
        for (int j = 0; j < part[1].count; j++)
            for (int k = 0; k < part[2].count; k++, at++) {
                const int x = part[0].first + i - a->part[0].first;
                const int y = part[1].first + j - a->part[1].first;
                const int z = part[2].first + k - a->part[2].first;
                double *const cell = &own[(x * a->part[1].count + y) * a->part[2].count + z];

                if (unpack)
                    *cell = buffer[at];
                else
                    buffer[at] = *cell;
            }
    return at;
}

static void array_fill(struct array *a, int iteration) {
    double *next = a->from;

    a->part[0] = whole(a, 0);
    a->part[1] = by_row(a, 1, a->in_row);
    a->part[2] = by_column(a, 2, a->in_column);
    for (int i = 0; i < a->part[0].count; i++)
        for (int j = 0; j < a->part[1].count; j++)
            for (int k = 0; k < a->part[2].count; k++)
                *next++ = element(a, i, a->part[1].first + j, a->part[2].first + k, iteration);
}

/* Dimension 0 is parted, dimension 1 becomes whole. */
static void array_turn_rows(struct array *a) {
    struct part box[3] = {a->part[0], a->part[1], a->part[2]};
    int count = 0;

    for (int place = 0; place < a->columns; place++) {
        box[0] = by_row(a, 0, place);
        count = copy_box(a, box, a->from, a->to + place * count, 0);
    }
    MPI_Alltoall(a->to, count, MPI_DOUBLE, a->from, count, MPI_DOUBLE, a->row);
    box[0] = a->part[0] = by_row(a, 0, a->in_row);
    a->part[1] = whole(a, 1);
    for (int place = 0; place < a->columns; place++) {
        box[1] = by_row(a, 1, place);
        copy_box(a, box, a->to, a->from + place * count, 1);
    }
}

/* Dimension 1 is parted, dimension 2 becomes whole. The array is in a->to and ends in a->from. */
static void array_turn_columns(struct array *a) {
    int *const counts = array_new(4 * (size_t)a->rows, sizeof *counts);
    int *const sent_at = counts + a->rows, *const received = sent_at + a->rows, *const received_at = received + a->rows;
    struct part box[3] = {a->part[0], a->part[1], a->part[2]};
    int sum = 0;

    for (int place = 0; place < a->rows; place++) {
        box[1] = by_column(a, 1, place);
        sent_at[place] = sum;
        counts[place] = copy_box(a, box, a->to, a->from + sum, 0);
        sum += counts[place];
    }
    box[1] = by_column(a, 1, a->in_column);
    sum = 0;
    for (int place = 0; place < a->rows; place++) {
        received_at[place] = sum;
        received[place] = box[0].count * box[1].count * by_column(a, 2, place).count;
        sum += received[place];
    }
    MPI_Alltoallv(a->from, counts, sent_at, MPI_DOUBLE, a->to, received, received_at, MPI_DOUBLE, a->column);
    a->part[1] = box[1];
    a->part[2] = whole(a, 2);
    for (int place = 0; place < a->rows; place++) {
        box[2] = by_column(a, 2, place);
        copy_box(a, box, a->from, a->to + received_at[place], 1);
    }
    free(counts);
}

static int array_verify(const struct array *a, int iteration) {
    const double *next = a->from;
    int wrong = 0;

    for (int i = 0; i < a->part[0].count; i++)
        for (int j = 0; j < a->part[1].count; j++)
            for (int k = 0; k < a->part[2].count; k++)
                wrong +=
                    *next++ != element(a, a->part[0].first + i, a->part[1].first + j, a->part[2].first + k, iteration);
    return wrong;
}

int main(int argc, char **argv) {
    const int iterations = argc > 1 ? atoi(argv[1]) : 5;
    const int side = argc > 2 ? atoi(argv[2]) : 3;
    struct array array;
    int rank, size, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    array_init(&array, rank, size, side > 0 ? side : 1);

    for (int i = 0; i < iterations; i++) {
        array_fill(&array, i);
        array_turn_rows(&array);
        array_turn_columns(&array);
        wrong += array_verify(&array, i);
    }

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("transpose: %d iterations on %d rows of %d ranks, %d elements wrong\n", iterations, array.rows,
               array.columns, wrong);
        if (wrong)
            fprintf(stderr, "transpose: elements are not where they belong\n");
    }
    array_free(&array);
    MPI_Finalize();
    return wrong != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
