/* overlap: a number that is used again while the call that makes its next object is under way.
 *
 * Exercises: MPI_Comm_dup in one thread, which begins before another thread frees the communicator whose number the new
 * one gets, and ends after it; each communicator is made by one thread, used by two, and freed by the other one.
 */
#include "expect.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { ROUNDS = 6 };

static int world_rank, world_size, next, previous;
static MPI_Comm base, made;
static sem_t may_begin, begins, done;

static void exchange(MPI_Comm comm, int tag)
{
    int got = -1;

    MPI_Sendrecv(&world_rank, 1, MPI_INT, next, tag, &got, 1, MPI_INT, previous, tag, comm, MPI_STATUS_IGNORE);
    EXPECT(got == previous);
}

static void *maker_run(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        while (sem_wait(&may_begin))
            ;
        sem_post(&begins);
        MPI_Comm_dup(base, &made);
        exchange(made, 2 * round);
        sem_post(&done);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int provided, verdict;
    pthread_t maker;
    MPI_Comm old;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    next = (world_rank + 1) % world_size;
    previous = (world_rank + world_size - 1) % world_size;
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_dup(MPI_COMM_WORLD, &old);
    sem_init(&may_begin, 0, 0);
    sem_init(&begins, 0, 0);
    sem_init(&done, 0, 0);
    EXPECT(pthread_create(&maker, NULL, maker_run, NULL) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        int token = round;

        /* Rank 0 is in MPI_Comm_dup until the others are, and they wait for what it sends behind MPI_Comm_free. */
        if (world_rank == 0) {
            sem_post(&may_begin);
            while (sem_wait(&begins))
                ;
            struct timespec pause = {.tv_nsec = 5000000};
            nanosleep(&pause, NULL);
        }
        MPI_Comm_free(&old);
        if (world_rank > 0) {
            MPI_Recv(&token, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sem_post(&may_begin);
        }
        for (int rank = 1; rank < world_size && world_rank == 0; rank++)
            MPI_Send(&token, 1, MPI_INT, rank, 99, MPI_COMM_WORLD);
        EXPECT(token == round);
        while (sem_wait(&done))
            ;
        exchange(made, 2 * round + 1);
        old = made;
    }
    EXPECT(pthread_join(maker, NULL) == 0);
    MPI_Comm_free(&old);
    MPI_Comm_free(&base);
    verdict = expect_verdict("overlap", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict;
}
/* SPDX-License-Identifier: BSD-3-Clause */
