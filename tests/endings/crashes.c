/* SPDX-License-Identifier: BSD-3-Clause */
/* crashes HOW: rank 1 of two crashes, in code of its own, behind a few frames. Lines have names, in comments, by which
 * the test knows what the stack must be. Built without optimisation. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *how;
static volatile int *nowhere;
static char *page;

static int is(const char *name)
{
    return !strcmp(how, name);
}

static void own_handler(int number)
{
    static const char text[] = "the program's own words\n";
    (void)!write(2, text, sizeof text - 1);
    signal(number, SIG_DFL);
}

/* Repairs so many faults, and the program goes on. */
static void repairs(int number)
{
    static int times;
    if (times++ < 20)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
    else
        signal(number, SIG_DFL);
}

static __attribute__((noinline)) void run(void)
{
    static int packed[2000];
    volatile int zero = 0;
    int at = 0;
    for (int i = 0; i < 20 && is("repaired"); i++) {
        mprotect(page, 4096, PROT_NONE);
        *page = 1;
    }
    if (is("repaired") || is("write") || is("handler") || is("thread"))
        *nowhere = 1; /* write, handler, thread */
    if (is("abort"))
        abort(); /* abort */
    if (is("divide"))
        printf("%d\n", 3 / zero); /* divide */
    if (is("trap"))
        raise(SIGTRAP); /* trap */
    if (is("library"))
        memset((void *)16, 1, 5000); /* library */
    if (is("called"))
        ((void (*)(void))nowhere)(); /* called */
    if (is("mpi"))
        MPI_Pack((void *)64, 1000, MPI_INT, packed, sizeof packed, &at, MPI_COMM_SELF); /* mpi */
}

static __attribute__((noinline)) int deeper(int depth)
{
    if (depth)
        return deeper(depth - 1) + 1; /* deeper */
    run();                            /* runs */
    return depth;
}

static int compare(const void *a, const void *b)
{
    return a == b ? 0 : deeper(2); /* compares */
}

static void *sort(void *unused)
{
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof numbers[0], compare); /* sorts */
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t thread;

    how = argv[1];
    if (is("handler"))
        signal(SIGSEGV, own_handler);
    if (is("repaired"))
        signal(SIGSEGV, repairs);
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && is("thread")) {
        pthread_create(&thread, NULL, sort, NULL);
        pthread_join(thread, NULL);
    } else if (rank == 1) {
        sort(NULL); /* main */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
