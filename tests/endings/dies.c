/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes calls and ends in the way that its arguments say: PATTERN END RANK STEPS [NS].
 *
 * PATTERN: steady, random, threads. END: how the process with RANK ends after STEPS steps (-1: all processes do); the
 * others go on until they are killed, but for a limit. With `timer` it is killed NS nanoseconds later, wherever it is.
 */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, STEPS_MAX = 2000000, TAG_NOBODY = 99 };

static int rank, size, random_values;

static void step(MPI_Comm comm, unsigned *state)
{
    int out[8] = {0}, in[8], next = (rank + 1) % size, before = (rank + size - 1) % size, count = 1, tag = 5;
    MPI_Request requests[2];
    if (random_values) {
        *state = *state * 1103515245u + 12345u;
        count = 1 + (int)(*state >> 16) % 8;
        tag = (int)(*state >> 20) % 100;
    }
    MPI_Irecv(in, 8, MPI_INT, before, MPI_ANY_TAG, comm, &requests[0]);
    MPI_Isend(out, count, MPI_INT, next, tag, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (random_values && *state >> 30 == 0) {
        MPI_Datatype type;
        MPI_Type_contiguous(count + tag, MPI_INT, &type);
        MPI_Type_free(&type);
    }
}

static int leave(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    exit(5);
}

static void arm(long ns)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 + 1}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
        abort();
}

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = above ? *above : 0;
    return deeper(here) + here[0];
}

/* Ends the process as END says; returns if that is not at once. */
static void end_as(const char *end, char **argv)
{
    int key, value;
    volatile int zero = 0;
    if (!strcmp(end, "exit"))
        exit(3);
    if (!strcmp(end, "_exit"))
        _exit(4);
    if (!strcmp(end, "abort"))
        abort();
    if (!strcmp(end, "segv"))
        *(volatile int *)(size_t)zero = 1;
    if (!strcmp(end, "stack"))
        exit(deeper(NULL));
    if (!strcmp(end, "fpe"))
        raise(SIGFPE);
    if (!strcmp(end, "term"))
        raise(SIGTERM);
    if (!strcmp(end, "kill"))
        raise(SIGKILL);
    if (!strcmp(end, "mpiabort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(end, "fatal"))
        MPI_Send(&value, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD);
    if (!strcmp(end, "recv"))
        MPI_Recv(&value, 1, MPI_INT, rank, TAG_NOBODY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(end, "execve"))
        execl("/bin/true", "true", (char *)NULL);
    if (!strcmp(end, "callback")) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
        MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    }
    if (!strcmp(end, "timer"))
        arm(atol(argv[5]));
}

static void *work(void *comm)
{
    unsigned state = (unsigned)(size_t)comm;
    for (;;)
        step(*(MPI_Comm *)comm, &state);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    unsigned state = 1;
    if (argc < 5)
        return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    random_values = strcmp(argv[1], "steady") != 0;
    int chosen = atoi(argv[3]) < 0 || atoi(argv[3]) == rank;
    if (!strcmp(argv[1], "threads")) {
        size = 1, rank = 0;
        static MPI_Comm comms[THREADS];
        pthread_t thread;
        for (int i = 0; i < THREADS; i++) {
            MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
            if (pthread_create(&thread, NULL, work, &comms[i]))
                return 2;
        }
    }
    MPI_Comm comm = size == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    long steps = atol(argv[4]);
    for (long i = 0; i < steps; i++)
        step(comm, &state);
    if (chosen)
        end_as(argv[2], argv);
    if (!strcmp(argv[2], "return") && chosen)
        return 6;
    for (long i = 0; i < STEPS_MAX; i++)
        step(comm, &state);
    return 1;
}
