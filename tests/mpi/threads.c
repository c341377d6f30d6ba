/* threads: four threads of every rank in MPI at once.
 *
 * Exercises: MPI_THREAD_MULTIPLE, each thread with a communicator of its own (point to point and collective)
 * and then all on one communicator with tags of their own; objects made and freed in threads; a thread that
 * ends before finalize and one that makes no call; MPI_Is_thread_main, MPI_Query_thread.
 */
#include "expect.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 10 };

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number;
    int failures;
    long sum;
};

static int world_rank, world_size, next, previous;

static void worker_check(struct worker *worker, int holds, const char *what)
{
    if (holds)
        return;
    worker->failures++;
    fprintf(stderr, "threads: rank %d, thread %d: %s\n", world_rank, worker->number, what);
}

static void *worker_run(void *argument)
{
    struct worker *const worker = argument;
    MPI_Datatype pair;
    int is_main = 1, provided = -1;

    MPI_Is_thread_main(&is_main);
    worker_check(worker, !is_main, "is not the main thread");
    MPI_Query_thread(&provided);
    worker_check(worker, provided == MPI_THREAD_MULTIPLE, "thread level");
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);

    for (int round = 0; round < ROUNDS; round++) {
        int out[2] = {world_rank, round}, in[2] = {-1, -1};
        long sum = 0;
        const long mine = world_rank + worker->number * round;
        MPI_Request requests[2];
        MPI_Status statuses[2];

        /* On a communicator of its own. */
        MPI_Irecv(in, 1, pair, previous, round, worker->comm, &requests[0]);
        MPI_Isend(out, 1, pair, next, round, worker->comm, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        worker_check(worker, in[0] == previous && in[1] == round, "message on its own communicator");
        worker_check(worker, statuses[0].MPI_TAG == round, "status");
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, worker->comm);
        worker->sum += sum;

        /* On the one all share, told apart by the tag. */
        MPI_Sendrecv(out, 2, MPI_INT, next, worker->number, in, 2, MPI_INT, previous, worker->number, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        worker_check(worker, in[0] == previous && in[1] == round, "message on the shared communicator");
    }
    MPI_Type_free(&pair);
    return NULL;
}

static void *idle_run(void *argument)
{
    return argument;
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS];
    int provided, is_main, verdict;
    pthread_t idle;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Is_thread_main(&is_main);
    EXPECT(provided == MPI_THREAD_MULTIPLE && is_main);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;

    EXPECT(pthread_create(&idle, NULL, idle_run, NULL) == 0);
    for (int t = 0; t < THREADS; t++) {
        workers[t].number = t;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
    }
    for (int t = 0; t < THREADS; t++)
        EXPECT(pthread_create(&workers[t].thread, NULL, worker_run, &workers[t]) == 0);
    for (int t = 0; t < THREADS; t++) {
        const long ranks = (long)world_size * (world_size - 1) / 2;
        const long rounds = (long)ROUNDS * (ROUNDS - 1) / 2;

        EXPECT(pthread_join(workers[t].thread, NULL) == 0);
        EXPECT(workers[t].failures == 0);
        EXPECT(workers[t].sum == ROUNDS * ranks + t * rounds * world_size);
        if (world_rank == 0)
            printf("threads: thread %d sums up to %ld\n", t, workers[t].sum);
        MPI_Comm_free(&workers[t].comm);
    }
    EXPECT(pthread_join(idle, NULL) == 0);
    verdict = expect_verdict("threads", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
