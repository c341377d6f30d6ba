/* octants: transport sweeps from the corners of a grid, as a discrete ordinates code does them.
 *
 * A step has sweeps in four directions over the grid of ranks, for each group of energies. A chunk waits for its
 * upwind neighbours and sends downwind without blocking; the send before the last one must be complete first. Each
 * group converges after a different number of iterations.
 *
 * usage: octants [steps, default 6] [chunks, default 4]
 */
#include "common.h"

enum { CHUNK = 48, GROUPS = 4, IN_FLIGHT = 2, ALONG_Y = 1, ALONG_Z = 2 };

static struct grid grid;
static int chunks;

/* What flows along one dimension: from UPWIND to DOWNWIND. */
struct flow {
    int upwind, downwind, tag;
    int in[CHUNK], out[IN_FLIGHT][CHUNK];
    MPI_Request sends[IN_FLIGHT];
};

static void flow_receive(struct flow *flow, int step, int what)
{
    MPI_Status status;

    if (flow->upwind == MPI_PROC_NULL)
        return;
    MPI_Recv(flow->in, CHUNK, MPI_INT, flow->upwind, flow->tag, MPI_COMM_WORLD, &status);
    check(flow->in, CHUNK, flow->upwind, step, what);
}

static void flow_send(struct flow *flow, int step, int what, int chunk)
{
    const int slot = chunk % IN_FLIGHT;

    if (flow->downwind == MPI_PROC_NULL)
        return;
    MPI_Wait(&flow->sends[slot], MPI_STATUS_IGNORE);
    fill(flow->out[slot], CHUNK, step, what);
    MPI_Isend(flow->out[slot], CHUNK, MPI_INT, flow->downwind, flow->tag, MPI_COMM_WORLD, &flow->sends[slot]);
}

static struct flow flow_make(int tag, int direction)
{
    struct flow flow = {.tag = tag};
    const int y = tag == ALONG_Y, z = tag == ALONG_Z;

    flow.upwind = neighbour(&grid, -direction * y, -direction * z, 0);
    flow.downwind = neighbour(&grid, direction * y, direction * z, 0);
    for (int slot = 0; slot < IN_FLIGHT; slot++)
        flow.sends[slot] = MPI_REQUEST_NULL;
    return flow;
}

static void sweep(int step, int group, int y, int z)
{
    struct flow along_y = flow_make(ALONG_Y, y), along_z = flow_make(ALONG_Z, z);

    for (int chunk = 0; chunk < chunks; chunk++) {
        const int what = group * chunks + chunk;

        flow_receive(&along_y, step, what);
        flow_receive(&along_z, step, what);
        flow_send(&along_y, step, what, chunk);
        flow_send(&along_z, step, what, chunk);
    }
    MPI_Waitall(IN_FLIGHT, along_y.sends, MPI_STATUSES_IGNORE);
    MPI_Waitall(IN_FLIGHT, along_z.sends, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 6);

    chunks = argc > 2 ? atoi(argv[2]) : 4;
    grid = grid_make(2);
    for (int step = 0; step < steps; step++)
        for (int iteration = 0; iteration < GROUPS; iteration++) {
            double error = rank, worst;

            for (int group = 0; group < GROUPS; group++)
                if (iteration <= group % 3 + step % 2) /* else it has converged */
                    for (int octant = 0; octant < 4; octant++)
                        sweep(step, group, octant & 1 ? 1 : -1, octant & 2 ? 1 : -1);
            MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            expect((int)worst, size - 1);
        }
    return end("octants", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
