/* particles: molecular dynamics on a torus of boxes: atoms move, and lists of neighbours are kept for some steps.
 *
 * Between rebuilds a step sends positions forward and forces back, in six shifts whose lengths stay equal. At a
 * rebuild atoms migrate, in random numbers: first their number is sent, then they. So lengths change at each
 * rebuild.
 *
 * usage: particles [steps, default 60] [steps from rebuild to rebuild, default 15] */
#include "common.h"

enum { SHIFTS = 6, ATOMS_MAX = 256, TAG_COUNT = 1, TAG_MIGRATE, TAG_FORWARD, TAG_REVERSE };

static int to[SHIFTS], from[SHIFTS];         /* of each shift */
static int own_count[SHIFTS], there[SHIFTS]; /* atoms that the shift sends and gets, since the last rebuild */
static int in[ATOMS_MAX], out[ATOMS_MAX];

static int drawn(int step, int shift)
{
    return 20 + (int)(mixed((unsigned)(rank * SHIFTS + shift), (unsigned)step + 100000u) % 64);
}

static void rebuild(int step)
{
    for (int shift = 0; shift < SHIFTS; shift++) {
        own_count[shift] = drawn(step, shift);
        MPI_Sendrecv(&own_count[shift], 1, MPI_INT, to[shift], TAG_COUNT, &there[shift], 1, MPI_INT, from[shift],
                     TAG_COUNT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fill(out, own_count[shift], step, shift);
        MPI_Sendrecv(out, own_count[shift], MPI_INT, to[shift], TAG_MIGRATE, in, there[shift], MPI_INT, from[shift],
                     TAG_MIGRATE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in, there[shift], from[shift], step, shift);
    }
}

static void forward(int step)
{
    for (int shift = 0; shift < SHIFTS; shift++) {
        MPI_Request request;

        MPI_Irecv(in, 3 * there[shift], MPI_INT, from[shift], TAG_FORWARD, MPI_COMM_WORLD, &request);
        fill(out, 3 * own_count[shift], step, shift);
        MPI_Send(out, 3 * own_count[shift], MPI_INT, to[shift], TAG_FORWARD, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(in, 3 * there[shift], from[shift], step, shift);
    }
}

static void reverse(int step)
{
    for (int shift = SHIFTS - 1; shift >= 0; shift--) {
        MPI_Request request;

        MPI_Irecv(in, 3 * own_count[shift], MPI_INT, to[shift], TAG_REVERSE, MPI_COMM_WORLD, &request);
        fill(out, 3 * there[shift], step, shift);
        MPI_Send(out, 3 * there[shift], MPI_INT, from[shift], TAG_REVERSE, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(in, 3 * own_count[shift], to[shift], step, shift);
    }
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 60), period = argc > 2 ? atoi(argv[2]) : 15;
    const struct grid grid = grid_make(3);

    for (int shift = 0; shift < SHIFTS; shift++) {
        const int d = shift / 2, ahead = shift % 2 ? grid.dims[d] - 1 : 1;
        struct grid moved = grid;

        moved.coords[d] = (grid.coords[d] + ahead) % grid.dims[d];
        to[shift] = neighbour(&moved, 0, 0, 0);
        moved.coords[d] = (grid.coords[d] + grid.dims[d] - ahead) % grid.dims[d];
        from[shift] = neighbour(&moved, 0, 0, 0);
    }
    for (int step = 0; step < steps; step++) {
        if (step % period == 0)
            rebuild(step);
        forward(step);
        reverse(step);
        if (step % 10 == 9) {
            const int energies[4] = {1, 2, 3, 4};
            int sums[4];

            MPI_Allreduce(energies, sums, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            expect(sums[3], 4 * size);
        }
    }
    return end("particles", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
