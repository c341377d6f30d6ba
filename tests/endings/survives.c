/* SPDX-License-Identifier: BSD-3-Clause */
/* survives HOW: gets signals that it handles before MPI_Init (SIGUSR1, SIGALRM from a timer, a SIGSEGV that it repairs)
 * and goes on. Then it ends. HOW: finalize; fpe: a signal without a handler; term: a handler calls _exit; again: a
 * handler takes itself away and sends the signal again; quick: quick_exit. */
#define _GNU_SOURCE 1
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { PAGE = 4096, BARRIERS = 50 };

static volatile sig_atomic_t seen, repaired;
static char *page;

static void count(int number)
{
    (void)number;
    seen++;
}

static void repair(int number)
{
    (void)number;
    repaired++;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void leave(int number)
{
    _exit(number);
}

static void again(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "finalize";
    struct itimerval timer = {{0, 20000}, {0, 20000}};
    page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGUSR1, count);
    signal(SIGALRM, count);
    signal(SIGSEGV, repair);
    signal(SIGTERM, leave);
    signal(SIGINT, again);
    MPI_Init(&argc, &argv);
    raise(SIGUSR1);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (seen < 3)
        usleep(1000);
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    *page = 1;
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    fprintf(stdout, "went on %d\n", (int)repaired);
    fflush(stdout);
    if (!strcmp(how, "fpe"))
        raise(SIGFPE);
    if (!strcmp(how, "term"))
        raise(SIGTERM);
    if (!strcmp(how, "again"))
        raise(SIGINT);
    if (!strcmp(how, "quick"))
        quick_exit(4);
    MPI_Finalize();
    return 0;
}
