/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts threads one after another, each of which makes a few calls. For bench/threads.sh.
 *
 * usage: short_threads FORM THREADS. Forms:
 *
 *   one     a single call
 *   alike   MPI_Irecv, MPI_Isend, MPI_Waitall
 *   loop    these, a hundred times
 *   eight   alike, in eight threads at a time
 *   tags    one thread at a time, with a random tag each and up to six calls of MPI_Iprobe
 *
 * Each rank prints: the calls; the CPU time of a thread in us; the peak of its memory in KiB before MPI_Finalize,
 * and after; the CPU time of MPI_Finalize in seconds. Then medians over the last threads, in ns: of a first call,
 * MPI_Query_thread, by which a tracer notices the thread and which it may be told to leave out; of the calls; of the
 * end, which is the destructors of thread-specific data. */
#include <mpi.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measures.h"

enum { AT_A_TIME = 8, ROUNDS = 100, PROBES = 7, TAG_MAX = 30000, TIMED = 1024 };
enum part { BEGIN, CALLS, END, PARTS };

struct task {
    pthread_t thread;
    uint32_t number;
    long calls;
    int passes; /* over its thread-specific data */
    double end_began;
};

static int single, tags, rounds = 1;
static pthread_key_t first_key, last_key; /* those of MPI and of a tracer lie between them */
static double times[PARTS][TIMED];        /* ns; thread N has element N % TIMED */

static double now_ns(void)
{
    return 1e9 * seconds(CLOCK_MONOTONIC);
}

/* Destructors run key by key, and all of them several times. */
static void end_begins(void *data)
{
    struct task *task = data;
    if (++task->passes < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(first_key, task);
    task->end_began = now_ns();
}

static void end_ends(void *data)
{
    struct task *task = data;
    times[END][task->number % TIMED] += now_ns() - task->end_began;
    if (task->passes < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(last_key, task);
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(enum part part, uint32_t threads)
{
    uint32_t count = threads < TIMED ? threads : TIMED;
    qsort(times[part], count, sizeof *times[part], compare_times);
    return count ? times[part][count / 2] : 0;
}

static void make_calls(struct task *task)
{
    int in, out = 1, flag, rank, tag = tags ? (int)((task->number * 2654435761u) >> 8) % TAG_MAX : 0;
    MPI_Request requests[2];
    if (single) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        task->calls++;
        return;
    }
    for (int i = 0; i < rounds; i++, task->calls += 3) {
        MPI_Irecv(&in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (uint32_t i = 0; tags && i < task->number % PROBES; i++, task->calls++)
        MPI_Iprobe(0, TAG_MAX, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void *run(void *argument)
{
    struct task *task = argument;
    uint32_t place = task->number % TIMED;
    int provided;
    double start = now_ns();
    MPI_Query_thread(&provided);
    double begun = now_ns();
    make_calls(task);
    times[CALLS][place] = now_ns() - begun;
    times[BEGIN][place] = begun - start;
    times[END][place] = 0;
    task->passes = 0;
    pthread_setspecific(first_key, task);
    pthread_setspecific(last_key, task);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, at_a_time = 1;
    struct task tasks[AT_A_TIME], own = {0};
    memset(tasks, 0, sizeof tasks);
    pthread_key_create(&first_key, end_begins);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (argc < 3 || provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 2);
    single = !strcmp(argv[1], "one");
    tags = !strcmp(argv[1], "tags");
    if (!strcmp(argv[1], "loop"))
        rounds = ROUNDS;
    make_calls(&own); /* after it all keys exist */
    pthread_key_create(&last_key, end_ends);
    if (!strcmp(argv[1], "eight"))
        at_a_time = AT_A_TIME;
    uint32_t threads = (uint32_t)strtoul(argv[2], NULL, 10);
    double start = cpu_seconds();
    for (uint32_t first = 0; first < threads; first += (uint32_t)at_a_time) {
        for (int i = 0; i < at_a_time; i++) {
            tasks[i].number = first + (uint32_t)i;
            if (pthread_create(&tasks[i].thread, NULL, run, &tasks[i]) != 0)
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (int i = 0; i < at_a_time; i++)
            pthread_join(tasks[i].thread, NULL);
    }
    double done = cpu_seconds();
    long before = peak_kib(), calls = 0;
    for (int i = 0; i < AT_A_TIME; i++)
        calls += tasks[i].calls;
    MPI_Finalize();
    printf("%ld %.2f %ld %ld %.2f", calls, 1e6 * (done - start) / threads, before, peak_kib(), cpu_seconds() - done);
    for (int part = 0; part < PARTS; part++)
        printf(" %.0f", median((enum part)part, threads));
    printf("\n");
    return 0;
}
