/* outputs: time steps, with rare events among them: reductions, checkpoints to a file, probes on a few ranks.
 *
 * Each step exchanges along a chain. Every 5th agrees on its length, every 10th sends a history line to rank 0,
 * every 20th writes a checkpoint: a head by rank 0, then the blocks of all ranks together. Every 7th rank has a
 * probe and sends its value to rank 0 every 4th step. The last checkpoint is read and checked.
 *
 * usage: outputs [steps, default 60]
 */
#include "common.h"

enum { CELLS = 32, HEAD = 4, PROBE = 7, TAG_UP = 1, TAG_DOWN, TAG_PROBE };

static int left, right;
static int in[CELLS], out[CELLS];

static void chain_exchange(int step)
{
    MPI_Request requests[4];

    fill(out, CELLS, step, 0);
    MPI_Irecv(in, CELLS / 2, MPI_INT, left, TAG_UP, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + CELLS / 2, CELLS / 2, MPI_INT, right, TAG_DOWN, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, CELLS / 2, MPI_INT, right, TAG_UP, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out, CELLS / 2, MPI_INT, left, TAG_DOWN, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (left != MPI_PROC_NULL)
        check(in, CELLS / 2, left, step, 0);
    if (right != MPI_PROC_NULL)
        check(in + CELLS / 2, CELLS / 2, right, step, 0);
}

static void probes_collect(int step)
{
    int probed;

    if (rank % PROBE == PROBE - 1) {
        fill(&probed, 1, step, TAG_PROBE);
        MPI_Send(&probed, 1, MPI_INT, 0, TAG_PROBE, MPI_COMM_WORLD);
    }
    for (int from = PROBE - 1; rank == 0 && from < size; from += PROBE) {
        MPI_Recv(&probed, 1, MPI_INT, from, TAG_PROBE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(&probed, 1, from, step, TAG_PROBE);
    }
}

static void history_write(int step)
{
    const int own[3] = {step, rank, 1};
    int sums[3];

    MPI_Reduce(own, sums, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        expect(sums[0], size * step);
}

static MPI_Offset block_offset(void)
{
    return (HEAD + rank * CELLS) * (MPI_Offset)sizeof(int);
}

static void checkpoint_write(const char *name, int step)
{
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (rank == 0) {
        fill(out, HEAD, step, 1);
        MPI_File_write_at(file, 0, out, HEAD, MPI_INT, MPI_STATUS_IGNORE);
    }
    fill(out, CELLS, step, 2);
    MPI_File_write_at_all(file, block_offset(), out, CELLS, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void checkpoint_read(const char *name, int step)
{
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_read_at_all(file, 0, in, HEAD, MPI_INT, MPI_STATUS_IGNORE);
    check(in, HEAD, 0, step, 1);
    MPI_File_read_at_all(file, block_offset(), in, CELLS, MPI_INT, MPI_STATUS_IGNORE);
    check(in, CELLS, rank, step, 2);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    const int steps = begin(argc, argv, 60);
    const char *const name = "outputs.checkpoint";
    int written = -1;

    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    for (int step = 0; step < steps; step++) {
        chain_exchange(step);
        if (step % 4 == 3)
            probes_collect(step);
        if (step % 5 == 4) {
            int own = rank, most;

            MPI_Allreduce(&own, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            expect(most, size - 1);
        }
        if (step % 10 == 9)
            history_write(step);
        if (step % 20 == 19)
            checkpoint_write(name, written = step);
    }
    if (written >= 0)
        checkpoint_read(name, written);
    return end("outputs", steps);
}
/* SPDX-License-Identifier: BSD-3-Clause */
