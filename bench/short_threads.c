/* short_threads FORM THREADS: threads one after another, each of which makes a few calls. FORM: `one`, a single call; `alike`, MPI_Irecv,
 * MPI_Isend, MPI_Waitall; `eight`, the same in eight threads at a time; `tags`, one at a time with a random tag each and up to six calls of MPI_Iprobe.
 * Each rank prints the calls, the CPU time of a thread in us, the peak of its memory, in KiB, before MPI_Finalize and after, and the CPU time of
 * MPI_Finalize, in seconds. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { AT_A_TIME = 8, PROBES = 7, TAG_MAX = 30000 };

struct task {
    pthread_t thread;
    uint32_t number;
    long calls;
};

static int single, tags;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void *run(void *argument)
{
    struct task *task = argument;
    int in, out = 1, flag, rank, tag = tags ? (int)((task->number * 2654435761u) >> 8) % TAG_MAX : 0;
    MPI_Request requests[2];
    if (single) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        task->calls++;
        return NULL;
    }
    MPI_Irecv(&in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    task->calls += 3;
    for (uint32_t i = 0; tags && i < task->number % PROBES; i++, task->calls++)
        MPI_Iprobe(0, TAG_MAX, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, at_a_time = 1;
    struct task tasks[AT_A_TIME];
    memset(tasks, 0, sizeof tasks);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (argc < 3 || provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 2);
    single = !strcmp(argv[1], "one");
    tags = !strcmp(argv[1], "tags");
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
    printf("%ld %.2f %ld %ld %.2f\n", calls, 1e6 * (done - start) / threads, before, peak_kib(), cpu_seconds() - done);
    return 0;
}
