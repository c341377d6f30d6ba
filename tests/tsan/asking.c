/* SPDX-License-Identifier: BSD-3-Clause */
/* asking: threads ask MPI_Initialized, MPI_Finalized and the version while the main thread is in MPI_Finalize, which is
 * legal, and go on for a while after it. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS_MIN = 200, AFTER_US = 20000 };

static atomic_int rounds, stop;

static void *ask(void *unused)
{
    (void)unused;
    for (int i = 0; !stop; i++) {
        int flag, version, subversion;
        MPI_Initialized(&flag);
        if (i % 3)
            MPI_Finalized(&flag);
        if (i % 7 == 0)
            MPI_Get_version(&version, &subversion);
        rounds++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, ask, NULL);
    while (rounds < ROUNDS_MIN)
        usleep(100);
    MPI_Finalize();
    usleep(AFTER_US);
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("asked");
    return 0;
}
