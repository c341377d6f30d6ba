/* phases: a master and its workers, in phases that differ: another model, fewer tasks, other workers.
 *
 * Tasks have different sizes. The master gives them out in turn and takes results in the order of workers, so that
 * the calls are the same in each run. Every fourth worker is a reader: it gets the input and sends pieces to the two
 * workers after it. Between phases the model is broadcast and workers report.
 *
 * usage: phases [phases, default 6] [tasks of the first phase for each worker, default 24]
 */
#include "common.h"

enum { MASTER = 0, MODEL = 96, RESULT = 8, TASK_MAX = 64, INPUT = 32, READERS = 4 };
enum { TAG_TASK = 1, TAG_RESULT, TAG_INPUT };

static int message[MODEL];

static int task_size(int phase, int round, int worker)
{
    return 16 + 8 * ((phase + round + worker) % 3);
}

static void master_round(int phase, int round, int what)
{
    for (int worker = 1; worker < size; worker++) {
        fill(message, task_size(phase, round, worker), phase, what);
        MPI_Send(message, task_size(phase, round, worker), MPI_INT, worker, TAG_TASK, MPI_COMM_WORLD);
    }
    for (int worker = 1; worker < size; worker++) {
        MPI_Recv(message, RESULT, MPI_INT, worker, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(message, RESULT, worker, phase, what);
    }
}

static void input_pass(int phase, int what)
{
    if (rank % READERS == 0)
        for (int after = 1; after <= 2; after++) {
            if (rank + after >= size)
                break;
            fill(message, INPUT * after, phase, what);
            MPI_Send(message, INPUT * after, MPI_INT, rank + after, TAG_INPUT, MPI_COMM_WORLD);
        }
    else if (rank % READERS <= 2 && rank > READERS) {
        const int count = INPUT * (rank % READERS), reader = rank - rank % READERS;

        MPI_Recv(message, count, MPI_INT, reader, TAG_INPUT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(message, count, reader, phase, what);
    }
}

static void worker_round(int phase, int round, int what)
{
    MPI_Status status;
    int count;

    MPI_Recv(message, TASK_MAX, MPI_INT, MASTER, TAG_TASK, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    expect(count, task_size(phase, round, rank));
    check(message, count, MASTER, phase, what);
    if (round % 4 == 0)
        input_pass(phase, what);
    fill(message, RESULT, phase, what);
    MPI_Send(message, RESULT, MPI_INT, MASTER, TAG_RESULT, MPI_COMM_WORLD);
}

static void reports_gather(int phase)
{
    const int report = value(rank, phase, 0, 0);
    int *reports = rank == MASTER ? numbers(size) : NULL;

    MPI_Gather(&report, 1, MPI_INT, reports, 1, MPI_INT, MASTER, MPI_COMM_WORLD);
    for (int worker = 0; reports != NULL && worker < size; worker++)
        expect(reports[worker], value(worker, phase, 0, 0));
    free(reports);
}

int main(int argc, char **argv)
{
    const int phases = begin(argc, argv, 6), tasks = argc > 2 ? atoi(argv[2]) : 24;

    for (int phase = 0; phase < phases; phase++) {
        fill(message, MODEL, phase, 0);
        MPI_Bcast(message, MODEL - phase % 4, MPI_INT, MASTER, MPI_COMM_WORLD);
        check(message, MODEL - phase % 4, MASTER, phase, 0);
        for (int round = 0; round < tasks / (phase + 1); round++) {
            if (rank == MASTER)
                master_round(phase, round, round + 1);
            else
                worker_round(phase, round, round + 1);
        }
        reports_gather(phase);
        if (phase % 2)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    return end("phases", phases);
}
/* SPDX-License-Identifier: BSD-3-Clause */
